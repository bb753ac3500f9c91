//! One call from a seed, or from a painted coefficient, to a pressure.

use super::coefficient::{Batch, Law, coefficient};
use super::initial::initial_field;
use super::transient::approach;
use super::{DarcyError, END_TIME, Report, Scheme, Steady};
use crate::spec::Profile;

/// A coefficient and its pressure, both `[x, y]` on `n x n` cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The coefficient `a`.
    pub coefficient: Vec<f32>,
    /// The pressure `u`.
    pub solution: Vec<f32>,
    /// How the steady state was found; for the `paper` profile it is a step on the way.
    pub report: Report,
}

/// A sample of the data set: see [`Solver::sample`].
///
/// ```
/// use pno::pde::darcy::{Law, sample};
/// use pno::spec::Profile;
///
/// let sample = sample(7, 0, Profile::Fixed, Law::Bumps, 32)?;
/// assert_eq!(sample.coefficient.len(), 32 * 32);
/// assert!(sample.solution.iter().all(|u| *u > 0.0));
/// # Ok::<(), pno::pde::darcy::DarcyError>(())
/// ```
pub fn sample(
    seed: u64,
    index: u64,
    profile: Profile,
    law: Law,
    n: usize,
) -> Result<Sample, DarcyError> {
    Solver::new(n).sample(seed, index, profile, law)
}

/// What can be kept from one solution to the next on a grid: the threshold of a batch, and the pressure while painting.
#[derive(Debug, Clone)]
pub struct Solver {
    n: usize,
    scheme: Scheme,
    batch: Option<Batch>,
    painted: Option<Steady>,
}

impl Solver {
    /// For a grid of `n x n` cells, with the published scheme.
    pub fn new(n: usize) -> Self {
        Self::with_scheme(n, Scheme::default())
    }

    /// With another discretisation.
    pub fn with_scheme(n: usize, scheme: Scheme) -> Self {
        Self {
            n,
            scheme,
            batch: None,
            painted: None,
        }
    }

    /// Cells along an axis.
    pub fn cells(&self) -> usize {
        self.n
    }

    /// Sample `index` of a seed: the same bits whatever was solved before.
    ///
    /// `fixed` gives the steady state, `paper` the state at [`END_TIME`] from the sample's random initial field.
    pub fn sample(
        &mut self,
        seed: u64,
        index: u64,
        profile: Profile,
        law: Law,
    ) -> Result<Sample, DarcyError> {
        let coefficient = self.coefficient(seed, index, law);
        let a: Vec<f64> = coefficient.iter().copied().map(f64::from).collect();
        let mut steady = Steady::new(self.n, &a, self.scheme)?;
        let report = steady.solve()?;
        let pressure = steady.pressure();
        let solution = match profile {
            Profile::Fixed => pressure,
            Profile::Paper => {
                let initial = initial_field(seed, index, self.n);
                approach(self.n, &a, &pressure, &initial, END_TIME, self.scheme)?.0
            }
        };
        Ok(Sample {
            coefficient,
            solution: narrow(&solution),
            report,
        })
    }

    fn coefficient(&mut self, seed: u64, index: u64, law: Law) -> Vec<f32> {
        if law != Law::Bumps {
            return coefficient(law, seed, index, self.n);
        }
        let batch = match self.batch {
            Some(batch) if batch.holds(seed, index) => batch,
            _ => *self.batch.insert(Batch::of(seed, index, self.n)),
        };
        batch.coefficient(index)
    }

    /// The steady state of a painted coefficient, starting from that of the one painted before.
    ///
    /// A coefficient that is refused leaves the previous one in place.
    pub fn paint(
        &mut self,
        coefficient: &[f32],
        tolerance: f64,
    ) -> Result<(Vec<f32>, Report), DarcyError> {
        let a: Vec<f64> = coefficient.iter().copied().map(f64::from).collect();
        let steady = match &mut self.painted {
            Some(steady) => {
                steady.set_coefficient(&a)?;
                steady
            }
            none => none.insert(Steady::new(self.n, &a, self.scheme)?),
        };
        steady.set_tolerance(tolerance);
        let report = steady.solve()?;
        Ok((narrow(&steady.pressure()), report))
    }
}

fn narrow(field: &[f64]) -> Vec<f32> {
    field.iter().map(|&u| u as f32).collect()
}
