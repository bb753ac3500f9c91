//! The Gaussian random field `N(0, (-Laplace + 9)^-2)` with zero Neumann boundary conditions.
//!
//! Its eigenfunctions are products of cosines, so it is a cosine series with independent normal coefficients:
//!
//! ```text
//! g(x, y) = sum over (k, l) != (0, 0) of  z_kl c_k c_l cos(pi k x) cos(pi l y) / (pi² (k² + l²) + 9)
//! c_0 = 1, c_k = sqrt 2
//! ```
//!
//! The constant has no part in it, as in the generator of the published data (the formula in the paper has it).
//! The series is the same for every grid: [`MODES`] waves per axis, whether the grid can resolve them or not. So a grid
//! samples one function, and not a function of its own.

use std::f64::consts::{PI, SQRT_2};

use super::coefficient::stream;
use crate::noise;

/// Waves of the series along each axis, the constant included: all that 128 cells can tell apart.
const MODES: usize = 128;
/// The constant that is added to the Laplacian.
const INVERSE_LENGTH_SQUARED: f64 = 9.0;

/// The field of sample `index` at the centres of `n x n` cells.
pub fn gaussian_field(seed: u64, index: u64, n: usize) -> Vec<f64> {
    let coefficients = coefficients(seed, index);
    let cosines = cosines(n);
    // Rows of `half` are waves of x, its columns cells of y.
    let mut half = vec![0.0; MODES * n];
    multiply(&coefficients, &cosines, n, &mut half);
    let mut field = vec![0.0; n * n];
    let transposed: Vec<f64> = (0..n * MODES)
        .map(|k| cosines[k % MODES * n + k / MODES])
        .collect();
    multiply(&transposed, &half, n, &mut field);
    field
}

/// Coefficients of the cosines, `[k, l]`.
fn coefficients(seed: u64, index: u64) -> Vec<f64> {
    let seed = noise::case_seed(seed, index);
    let draws = noise::uniforms(seed, stream::GAUSSIAN, MODES * MODES);
    let (pairs, _) = draws.as_chunks::<2>();
    // Box-Muller: two normals from two uniforms, of which the first must not be zero.
    let normals = pairs.iter().flat_map(|[a, b]| {
        let (sin, cos) = (2.0 * PI * b).sin_cos();
        let radius = (-2.0 * (1.0 - a).ln()).sqrt();
        [radius * cos, radius * sin]
    });
    normals
        .enumerate()
        .map(|(mode, z)| z * deviation(mode / MODES, mode % MODES))
        .collect()
}

/// Standard deviation of a cosine's coefficient.
fn deviation(k: usize, l: usize) -> f64 {
    let scale = |k| if k == 0 { 1.0 } else { SQRT_2 };
    if k + l == 0 {
        return 0.0;
    }
    scale(k) * scale(l) / (PI * PI * (k * k + l * l) as f64 + INVERSE_LENGTH_SQUARED)
}

/// `cos(pi k x)` at the cell centres, `[k, x]`.
fn cosines(n: usize) -> Vec<f64> {
    (0..MODES * n)
        .map(|at| {
            let (k, i) = (at / n, at % n);
            // The angle in units of pi / 2n, without whole turns: exact however high the wave.
            let angle = k * (2 * i + 1) % (4 * n);
            (PI * angle as f64 / (2 * n) as f64).cos()
        })
        .collect()
}

/// `to += a b` for `a` of [`MODES`] columns and `b` of `n`.
fn multiply(a: &[f64], b: &[f64], n: usize, to: &mut [f64]) {
    for (a, to) in a.chunks_exact(MODES).zip(to.chunks_exact_mut(n)) {
        for (a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (to, b) in to.iter_mut().zip(b) {
                *to += a * b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_the_sum_that_it_is_meant_to_be() {
        let n = 5;
        let field = gaussian_field(1, 2, n);
        let coefficients = coefficients(1, 2);
        for i in 0..n {
            for j in 0..n {
                let [x, y] = [i, j].map(|i| PI * (i as f64 + 0.5) / n as f64);
                let mut wanted = 0.0;
                for (at, c) in coefficients.iter().enumerate() {
                    let (k, l) = (at / MODES, at % MODES);
                    wanted += c * (k as f64 * x).cos() * (l as f64 * y).cos();
                }
                assert!((field[i * n + j] - wanted).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_coefficients_have_the_spectrum_of_the_law() {
        let samples = 200;
        let mut squares = vec![0.0; MODES * MODES];
        for index in 0..samples {
            for (sum, c) in squares.iter_mut().zip(coefficients(4, index)) {
                *sum += c * c / samples as f64;
            }
        }
        assert_eq!(squares[0], 0.0);
        // Each square has a relative standard deviation of sqrt 2; means over rings of waves have less.
        for (least, most) in [
            (1, 2),
            (2, 4),
            (4, 8),
            (8, 16),
            (16, 32),
            (32, 64),
            (64, 128),
        ] {
            let ring: Vec<usize> = (0..MODES * MODES)
                .filter(|at| (least..most).contains(&(at / MODES).max(at % MODES)))
                .collect();
            let ratio = |at: &usize| squares[*at] / deviation(at / MODES, at % MODES).powi(2);
            let mean = ring.iter().map(ratio).sum::<f64>() / ring.len() as f64;
            let error = (2.0 / (samples as f64 * ring.len() as f64)).sqrt();
            assert!((mean - 1.0).abs() < 4.0 * error, "{mean} from {least}");
        }
    }
}
