//! Darcy flow: `-div(a grad u) = 1` on the unit square, with pressure `u` zero around it.
//!
//! The coefficient `a` (a permeability) has two values with a jump between them, the pressure is smooth but for kinks
//! along the jumps. Two laws draw coefficients ([`Law`]), and two procedures solve for the pressure
//! ([`Profile`](crate::spec::Profile)):
//!
//! - `fixed`: the steady state itself ([`Steady`], conjugate gradients with multigrid);
//! - `paper`: what the published data set holds, `du/dt = div(a grad u) + 1` from a random field until [`END_TIME`].
//!   Where `a = 0.1` fills the square, its slowest wave has decayed by `exp(-2 * 0.1 * 2 pi²) = 0.02` only, and the
//!   random field is still there: a little of the published map `a -> u` cannot be learnt.
//!
//! Both have the published discretisation: finite volumes on `n x n` cells of width `h = 1/n`. The flux through a face is
//! the arithmetic mean of the two coefficients times the difference of the two pressures over `h`. A ghost cell around
//! the square has the coefficient of its neighbour and *pressure zero at its centre*. So the pressure vanishes half a
//! cell outside the square, and the discrete problem is one on a square of side `1 + h`: it converges to the unit
//! square's with first order only. Pressures computed on 64 cells are 1.6 % larger than those on 128 for a constant
//! coefficient, and 3 % in the mean over the published law, whose low coefficients lie along the border.
//! [`Border::Wall`] and [`Face::Harmonic`] put the zero where it belongs and get the flux across a jump right: with them
//! the two grids agree to 0.2 %, and pressures are 3 % below the published ones on 128.
//!
//! Fields are row-major `[x, y]`, the published order: the last axis is `y`. The problem is symmetric in the two.

mod coefficient;
mod conjugate_gradient;
mod eigen;
mod error;
mod explicit;
mod gaussian;
mod initial;
mod lanczos;
mod multigrid;
mod operator;
mod solver;
mod steady;
mod stencil;
mod transfer;
mod transient;

pub use coefficient::{Batch, Law, coefficient};
pub use error::DarcyError;
pub use explicit::{explicit_f32, explicit_f64};
pub use gaussian::gaussian_field;
pub use initial::initial_field;
pub use operator::{Border, Face, Scheme};
pub use solver::{Sample, Solver, sample};
pub use steady::{PICTURE_TOLERANCE, Report, Steady, TOLERANCE};
pub use transient::{EvolutionReport, evolve};

/// Cells of the published grid along each axis.
pub const CELLS: usize = 128;

/// Samples that the published generator draws at once, and thresholds at their common mean.
pub const BATCH: u64 = 200;

/// End of the published integration in time.
pub const END_TIME: f64 = 2.0;

/// Number of the sample that the page solves live: no data set reaches it, so no model has seen it.
pub const LIVE_SAMPLE: u64 = u64::MAX - 1;

/// Centres of `n` cells of the unit interval.
fn centres(n: usize) -> impl Iterator<Item = f64> + Clone {
    (0..n).map(move |i| (i as f64 + 0.5) / n as f64)
}
