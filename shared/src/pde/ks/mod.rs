//! Kuramoto-Sivashinsky: `u_t = -1/2 u u_x - u_xx - u_xxxx` on a periodic line.
//!
//! The long waves grow, the short ones are damped, and the advection term carries energy from one to the other: the
//! solution is chaotic, and two trajectories that start close together part by a factor of about three every ten
//! time units.
//!
//! The published data set integrates this equation (with the factor 1/2, which the paper's text leaves out) after a
//! *second-order finite-difference* discretisation in space, and its grid is coarse enough for that to matter.
//! So the object we solve is that system of ordinary differential equations, not the partial differential equation:
//!
//! - `u_x` is `(u[i+1] - u[i-1]) / 2dx`,
//! - `u_xx` is `(u[i+1] - 2 u[i] + u[i-1]) / dx²`,
//! - `u_xxxx` is `u_xx` applied twice.
//!
//! A case is `2 * WINDOW` frames, [`FRAME_STEP`] apart, from a start of white noise: the first [`WINDOW`] are the
//! input, the rest the truth.

mod etdrk4;
mod loops;
mod solver;
mod step;

pub use solver::{DEFAULT_DT, Solver, whole_frames};

use crate::noise;
use crate::task::Normalisation;

/// Cells of the published grid.
pub const CELLS: usize = 256;

/// Length of the periodic domain.
pub const LENGTH: f64 = 100.0;

/// Frames of the input window; the output window has as many.
pub const WINDOW: usize = 20;

/// Time between two frames.
pub const FRAME_STEP: f64 = 2.0;

/// Mean and standard deviation of the published data set, so that scores are in the paper's units.
pub const NORMALISATION: Normalisation = Normalisation {
    mean: 0.0,
    std: 2.6431,
};

/// Root mean square of the change over a [`FRAME_STEP`], as 1500 published trajectories have it from t = 0 to 78.
pub const STEP_CHANGE: f64 = 1.18;

/// Number of the trajectory that the page solves live: no data set reaches it, so no model has seen it.
pub const LIVE_TRAJECTORY: u64 = u64::MAX - 1;

/// White noise to start from: each cell uniform in [-1, 1), the same numbers on every platform.
pub fn initial_condition(seed: u64, trajectory: u64, cells: usize) -> Vec<f64> {
    noise::uniforms(seed, trajectory, cells)
        .into_iter()
        .map(|uniform| 2.0 * uniform - 1.0)
        .collect()
}
