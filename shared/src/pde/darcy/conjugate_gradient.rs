//! Conjugate gradients, preconditioned with one cycle of multigrid.

use super::multigrid::Multigrid;
use super::stencil::Points;
use super::{DarcyError, Report};

/// More iterations than any coefficient needs: the published laws take about ten.
const MOST: usize = 500;

/// Work space for one grid.
#[derive(Debug, Clone)]
pub(super) struct ConjugateGradient {
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// The operator applied to the direction, and the preconditioned residual: never needed at once.
    image: Vec<f64>,
}

impl ConjugateGradient {
    pub(super) fn new(n: usize) -> Self {
        let zeros = vec![0.0; (n + 2).pow(2)];
        Self {
            residual: zeros.clone(),
            direction: zeros.clone(),
            image: zeros,
        }
    }

    /// Solves `A u = b` from the given `u`, until `|b - A u| <= tolerance |b|` in the Euclidean norm.
    pub(super) fn solve(
        &mut self,
        grid: &mut Multigrid,
        b: &[f64],
        u: &mut [f64],
        tolerance: f64,
    ) -> Result<Report, DarcyError> {
        let (residual, direction, image) =
            (&mut self.residual, &mut self.direction, &mut self.image);
        grid.operator().residual(u, b, residual);
        let scale = dot(b, b).sqrt();
        let relative = |residual: &[f64]| match scale {
            0.0 => dot(residual, residual).sqrt(),
            _ => dot(residual, residual).sqrt() / scale,
        };
        let mut left = relative(residual);
        let mut product = 1.0;
        direction.fill(0.0);
        for iterations in 0..MOST {
            if left <= tolerance {
                return Ok(Report {
                    iterations,
                    residual: left,
                });
            }
            grid.cycle(residual, image);
            let previous = std::mem::replace(&mut product, dot(residual, image));
            let ratio = if iterations == 0 {
                0.0
            } else {
                product / previous
            };
            for (direction, image) in direction.iter_mut().zip(image.iter()) {
                *direction = image + ratio * *direction;
            }
            grid.operator().apply(direction, image);
            let step = product / dot(direction, image);
            for (u, direction) in u.iter_mut().zip(direction.iter()) {
                *u += step * direction;
            }
            for (residual, image) in residual.iter_mut().zip(image.iter()) {
                *residual -= step * image;
            }
            left = relative(residual);
        }
        Err(DarcyError::Stalled {
            iterations: MOST,
            residual: left,
            tolerance,
        })
    }
}

/// Sum of products, in eight lanes: quick, and more accurate than one long sum.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
