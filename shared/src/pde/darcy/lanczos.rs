//! `exp(-t A) v`, without steps in time.
//!
//! After a while only the slowest waves of `v` are left, and the inverse of `A` makes exactly these stand out. So
//! Lanczos' method with `(A + shift)^-1` finds a small space that holds them, and the exponential is taken there:
//! J. van den Eshof, M. Hochbruck, "Preconditioning Lanczos approximations to the matrix exponential",
//! SIAM J. Sci. Comput. 27 (2006). Each new dimension costs one steady problem, whatever the grid.

use super::DarcyError;
use super::conjugate_gradient::{ConjugateGradient, dot};
use super::eigen;
use super::multigrid::Multigrid;

/// Shift, times the duration. Published samples need nine or ten dimensions with anything from 0 to 4; for times too
/// short for only a few waves to be left, zero would be the wrong choice.
const SHIFT: f64 = 2.0;
/// Most dimensions: far more than any coefficient needs.
const MOST: usize = 80;
/// Tolerance of the inner solutions: tighter ones do not change the result.
const INNER: f64 = 1e-9;
/// RMS change by another dimension at which the result stands; the error is then below 1e-10 for published samples.
const CHANGE: f64 = 1e-9;

/// The shift to build the grids with.
pub(super) fn shift(duration: f64) -> f64 {
    SHIFT / duration
}

/// What is left of `start` (padded) after `duration`, and the effort: dimensions, and iterations for all of them.
///
/// `grid` is that of `h² (A + shift)`.
pub(super) fn decayed(
    grid: &mut Multigrid,
    n: usize,
    start: &[f64],
    duration: f64,
) -> Result<(Vec<f64>, usize, usize), DarcyError> {
    let norm = dot(start, start).sqrt();
    let mut left = vec![0.0; start.len()];
    if norm == 0.0 {
        return Ok((left, 0, 0));
    }
    let mut solver = ConjugateGradient::new(n);
    let mut basis = vec![scaled(start, 1.0 / norm)];
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut shares: Vec<f64> = Vec::new();
    let (mut iterations, mut quiet) = (0, 0);
    while quiet < 2 {
        let newest = &basis[basis.len() - 1];
        let source = scaled(newest, (n as f64).powi(-2));
        let mut next = vec![0.0; start.len()];
        iterations += solver.solve(grid, &source, &mut next, INNER)?.iterations;
        diagonal.push(dot(newest, &next));
        // Against all, and twice: rounding, and what the inner solution left, would bring old directions back.
        for _ in 0..2 {
            for vector in &basis {
                let part = dot(vector, &next);
                for (next, vector) in next.iter_mut().zip(vector) {
                    *next -= part * vector;
                }
            }
        }
        let length = dot(&next, &next).sqrt();

        let old = std::mem::replace(&mut shares, exponential(&diagonal, &beside, duration));
        let change = (0..shares.len()).map(|k| shares[k] - old.get(k).unwrap_or(&0.0));
        let rms = norm * change.map(|c| c * c).sum::<f64>().sqrt() / n as f64;
        quiet = if rms < CHANGE { quiet + 1 } else { 0 };
        // The space is complete, as for a start that is a sum of a few waves.
        if length <= 1e-12 * diagonal[0] {
            break;
        }
        if basis.len() == MOST && quiet < 2 {
            return Err(DarcyError::Stalled {
                iterations,
                residual: rms,
                tolerance: CHANGE,
            });
        }
        beside.push(length);
        basis.push(scaled(&next, 1.0 / length));
    }
    for (share, vector) in shares.iter().zip(&basis) {
        for (left, vector) in left.iter_mut().zip(vector) {
            *left += norm * share * vector;
        }
    }
    Ok((left, shares.len(), iterations))
}

fn scaled(vector: &[f64], factor: f64) -> Vec<f64> {
    vector.iter().map(|v| factor * v).collect()
}

/// First column of `exp(-duration A)` in the small space, where `(A + shift)^-1` is tridiagonal.
fn exponential(diagonal: &[f64], beside: &[f64], duration: f64) -> Vec<f64> {
    let size = diagonal.len();
    let mut matrix = vec![0.0; size * size];
    for k in 0..size {
        matrix[k * size + k] = diagonal[k];
        if k > 0 {
            matrix[k * size + k - 1] = beside[k - 1];
            matrix[(k - 1) * size + k] = beside[k - 1];
        }
    }
    let (values, vectors) = eigen::symmetric(matrix, size);
    let decay = |inverse: f64| {
        let rate = 1.0 / inverse.max(f64::MIN_POSITIVE) - shift(duration);
        (-duration * rate).exp()
    };
    (0..size)
        .map(|k| {
            let terms = (0..size).map(|m| vectors[k * size + m] * decay(values[m]) * vectors[m]);
            terms.sum()
        })
        .collect()
}
