//! One V-cycle of multigrid: an approximate inverse that costs a few applications of the operator.

use super::operator::Operator;
use super::stencil::{Order, Points, Stencil};
use super::transfer::Transfer;

/// A grid, all the coarser ones down to a single cell, and work space.
#[derive(Debug, Clone)]
pub(super) struct Multigrid {
    fine: Operator,
    residual: Vec<f64>,
    /// From each grid to the next coarser one; the first from the fine grid.
    transfers: Vec<Transfer>,
    coarse: Vec<Level>,
}

#[derive(Debug, Clone)]
struct Level {
    stencil: Stencil,
    solution: Vec<f64>,
    source: Vec<f64>,
    residual: Vec<f64>,
}

impl Level {
    fn new(stencil: Stencil) -> Self {
        let zeros = vec![0.0; (stencil.n() + 2).pow(2)];
        Self {
            stencil,
            solution: zeros.clone(),
            source: zeros.clone(),
            residual: zeros,
        }
    }
}

impl Multigrid {
    /// The coarser grids of an operator.
    pub(super) fn new(fine: Operator) -> Self {
        let mut transfers = Vec::new();
        let mut coarse: Vec<Level> = Vec::new();
        if fine.n() > 1 {
            coarse.push(coarser(&fine, &mut transfers));
        }
        while let Some(last) = coarse.last()
            && last.stencil.n() > 1
        {
            let level = coarser(&last.stencil, &mut transfers);
            coarse.push(level);
        }
        let residual = vec![0.0; (fine.n() + 2).pow(2)];
        Self {
            fine,
            residual,
            transfers,
            coarse,
        }
    }

    /// The equations on the fine grid.
    pub(super) fn operator(&self) -> &Operator {
        &self.fine
    }

    /// `to` becomes nearly `A^-1 source`: symmetric and positive, so that conjugate gradients can build on it.
    pub(super) fn cycle(&mut self, source: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        descend(
            &self.fine,
            to,
            source,
            &mut self.residual,
            self.transfers.first().zip(self.coarse.first_mut()),
        );
        for k in 0..self.coarse.len() {
            let (finer, coarser) = self.coarse.split_at_mut(k + 1);
            let level = &mut finer[k];
            level.solution.fill(0.0);
            descend(
                &level.stencil,
                &mut level.solution,
                &level.source,
                &mut level.residual,
                self.transfers.get(k + 1).zip(coarser.first_mut()),
            );
        }
        for k in (1..self.coarse.len()).rev() {
            let (finer, coarser) = self.coarse.split_at_mut(k);
            let level = &mut finer[k - 1];
            self.transfers[k].prolong(&coarser[0].solution, &mut level.solution);
            level
                .stencil
                .smooth(&mut level.solution, &level.source, Order::Backward);
        }
        if let Some(level) = self.coarse.first() {
            self.transfers[0].prolong(&level.solution, to);
            self.fine.smooth(to, source, Order::Backward);
        }
    }
}

/// The next coarser grid, and the way there.
fn coarser(points: &impl Points, transfers: &mut Vec<Transfer>) -> Level {
    let transfer = Transfer::new(points);
    let stencil = transfer.galerkin(points);
    transfers.push(transfer);
    Level::new(stencil)
}

/// Smooths once, and hands what is left to the coarser grid. A single cell is solved by its smoother.
fn descend(
    points: &impl Points,
    solution: &mut [f64],
    source: &[f64],
    residual: &mut [f64],
    coarser: Option<(&Transfer, &mut Level)>,
) {
    points.smooth(solution, source, Order::Forward);
    if let Some((transfer, coarser)) = coarser {
        points.residual(solution, source, residual);
        transfer.restrict(residual, &mut coarser.source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::uniforms;
    use crate::pde::darcy::Scheme;

    fn rough(n: usize) -> Operator {
        let a: Vec<f64> = uniforms(3, n as u64, n * n)
            .iter()
            .map(|u| 100.0_f64.powf(*u))
            .collect();
        Operator::new(n, &a, 0.3, Scheme::default()).expect("a coefficient")
    }

    /// The unit fields of a padded grid, inside the ring.
    fn units(n: usize) -> impl Iterator<Item = Vec<f64>> {
        let pitch = n + 2;
        (0..n * n).map(move |k| {
            let mut unit = vec![0.0; pitch * pitch];
            unit[(k / n + 1) * pitch + k % n + 1] = 1.0;
            unit
        })
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn coarse_equations_are_the_galerkin_product() {
        for n in [4, 5, 8, 11] {
            let fine = rough(n);
            let transfer = Transfer::new(&fine);
            let coarse = transfer.galerkin(&fine);
            let prolonged: Vec<Vec<f64>> = units(n / 2)
                .map(|unit| {
                    let mut to = vec![0.0; (n + 2).pow(2)];
                    transfer.prolong(&unit, &mut to);
                    to
                })
                .collect();
            let zeros = vec![0.0; (n / 2 + 2).pow(2)];
            for (k, unit) in units(n / 2).enumerate() {
                let mut image = vec![0.0; (n + 2).pow(2)];
                fine.apply(&prolonged[k], &mut image);
                let mut found = zeros.clone();
                coarse.residual(&unit, &zeros, &mut found);
                let mut restricted = zeros.clone();
                transfer.restrict(&image, &mut restricted);
                for (m, other) in units(n / 2).enumerate() {
                    let wanted = dot(&prolonged[m], &image);
                    let scale = 1e-12 * wanted.abs().max(1.0);
                    assert!((dot(&other, &found) + wanted).abs() < scale, "{n} cells");
                    assert!((dot(&other, &restricted) - wanted).abs() < scale);
                }
            }
        }
    }

    #[test]
    fn interpolation_of_a_constant_is_constant_away_from_the_border() {
        let n = 16;
        let a: Vec<f64> = uniforms(3, 0, n * n).iter().map(|u| 0.1 + u).collect();
        let fine = Operator::new(n, &a, 0.0, Scheme::default()).expect("a coefficient");
        let transfer = Transfer::new(&fine);
        let mut to = vec![0.0; (n + 2).pow(2)];
        transfer.prolong(&[1.0; 100], &mut to);
        for i in 2..=n {
            for j in 2..=n {
                assert!((to[i * (n + 2) + j] - 1.0).abs() < 1e-14, "at {i}, {j}");
            }
        }
    }

    #[test]
    fn a_cycle_is_symmetric_positive_and_leaves_the_ring_alone() {
        for n in [1, 2, 3, 6, 9] {
            let mut grid = Multigrid::new(rough(n));
            let images: Vec<Vec<f64>> = units(n)
                .map(|unit| {
                    let mut to = vec![0.0; unit.len()];
                    grid.cycle(&unit, &mut to);
                    to
                })
                .collect();
            let inside: Vec<f64> = units(n).fold(vec![0.0; (n + 2).pow(2)], |sum, unit| {
                sum.iter().zip(unit).map(|(a, b)| a + b).collect()
            });
            for (k, unit) in units(n).enumerate() {
                assert!(dot(&unit, &images[k]) > 0.0);
                for (m, other) in units(n).enumerate() {
                    let (a, b) = (dot(&unit, &images[m]), dot(&other, &images[k]));
                    assert!((a - b).abs() < 1e-13, "{a} and {b} on {n} cells");
                }
                let ring = images[k].iter().zip(&inside).filter(|(_, i)| **i == 0.0);
                assert!(ring.into_iter().all(|(value, _)| *value == 0.0));
            }
        }
    }
}
