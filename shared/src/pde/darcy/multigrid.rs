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
        let mut next = |points: &dyn Points| {
            let transfer = Transfer::new(points);
            let stencil = transfer.galerkin(points);
            transfers.push(transfer);
            Level::new(stencil)
        };
        if fine.n() > 1 {
            coarse.push(next(&fine));
        }
        while let Some(last) = coarse.last()
            && last.stencil.n() > 1
        {
            let level = next(&last.stencil);
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
