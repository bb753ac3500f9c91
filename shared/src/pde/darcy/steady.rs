//! The steady state: `-div(a grad u) = f`.

use super::conjugate_gradient::ConjugateGradient;
use super::multigrid::Multigrid;
use super::operator::Operator;
use super::{DarcyError, Scheme};

/// Norm of the residual, relative to that of the source, at which a solution is taken for solved.
///
/// The error of the pressure is then at most about 1e-9 of it, well below the resolution of the f32 it is kept in.
pub const TOLERANCE: f64 = 1e-10;

/// A tolerance for pictures: the error is below a hundredth of a colour step, for half of the iterations.
pub const PICTURE_TOLERANCE: f64 = 1e-5;

/// How a solution came about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Iterations of conjugate gradients, each with one multigrid cycle.
    pub iterations: usize,
    /// Euclidean norm of the residual, relative to that of the source.
    pub residual: f64,
}

/// One coefficient, its grids, and the pressure found last.
///
/// ```
/// use pno::pde::darcy::{Scheme, Steady};
///
/// let mut steady = Steady::new(64, &[1.0; 64 * 64], Scheme::default())?;
/// let report = steady.solve()?;
/// assert!(report.iterations < 15);
/// let most = steady.pressure().into_iter().fold(0.0, f64::max);
/// assert!((most - 0.0737).abs() < 0.003);
/// # Ok::<(), pno::pde::darcy::DarcyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Steady {
    n: usize,
    scheme: Scheme,
    tolerance: f64,
    grid: Multigrid,
    solver: ConjugateGradient,
    pressure: Vec<f64>,
    source: Vec<f64>,
}

impl Steady {
    /// The problem for an `n x n` coefficient.
    pub fn new(n: usize, coefficient: &[f64], scheme: Scheme) -> Result<Self, DarcyError> {
        let grid = Multigrid::new(Operator::new(n, coefficient, 0.0, scheme)?);
        Ok(Self {
            n,
            scheme,
            tolerance: TOLERANCE,
            grid,
            solver: ConjugateGradient::new(n),
            pressure: vec![0.0; (n + 2).pow(2)],
            source: vec![0.0; (n + 2).pow(2)],
        })
    }

    /// Sets the tolerance of the next solutions: [`TOLERANCE`] is for data, [`PICTURE_TOLERANCE`] for pictures.
    pub fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    /// Changes the coefficient and keeps the pressure, from which the next solution starts.
    ///
    /// A coefficient that is refused changes nothing.
    pub fn set_coefficient(&mut self, coefficient: &[f64]) -> Result<(), DarcyError> {
        self.grid = Multigrid::new(Operator::new(self.n, coefficient, 0.0, self.scheme)?);
        Ok(())
    }

    /// Forgets the pressure, so that the next solution does not depend on what was solved before.
    pub fn forget(&mut self) {
        self.pressure.fill(0.0);
    }

    /// Solves for the published source, one everywhere, from the present pressure.
    pub fn solve(&mut self) -> Result<Report, DarcyError> {
        self.solve_source(|_| 1.0)
    }

    /// Solves for a source by cell, row-major, from the present pressure.
    pub fn solve_source(&mut self, source: impl Fn(usize) -> f64) -> Result<Report, DarcyError> {
        let (n, area) = (self.n, (self.n as f64).powi(-2));
        pad(n, |cell| source(cell) * area, &mut self.source);
        let report = self.solver.solve(
            &mut self.grid,
            &self.source,
            &mut self.pressure,
            self.tolerance,
        );
        if report.is_err() {
            self.forget();
        }
        report
    }

    /// The pressure found last, `[n, n]`.
    pub fn pressure(&self) -> Vec<f64> {
        unpad(self.n, &self.pressure)
    }
}

/// Puts a field by cell into its ring of zeros.
pub(super) fn pad(n: usize, field: impl Fn(usize) -> f64, to: &mut [f64]) {
    for i in 0..n {
        let row = &mut to[(i + 1) * (n + 2) + 1..][..n];
        for (j, value) in row.iter_mut().enumerate() {
            *value = field(i * n + j);
        }
    }
}

/// Takes a field out of its ring of zeros.
pub(super) fn unpad(n: usize, padded: &[f64]) -> Vec<f64> {
    padded
        .chunks_exact(n + 2)
        .skip(1)
        .take(n)
        .flat_map(|row| &row[1..=n])
        .copied()
        .collect()
}
