//! The shallow water equations on the rotating sphere, in vorticity and divergence.
//!
//! With the geopotential `phi = g h`, the relative vorticity `zeta`, the divergence `delta`, the wind `(u, v)` that
//! the two imply, and `A = (u, v) (zeta + f)`:
//!
//! ```text
//! zeta_t  = -div A
//! delta_t = curl A - lap(phi + (u² + v²) / 2)
//! phi_t   = -div((u, v) phi)
//! ```
//!
//! The state is a triangle of spherical harmonic coefficients `l, m < ceil(n_lat / 3)`, so that the products above are
//! integrated without aliasing on the grid of `n_lat` circles with poles that the paper works on.
//!
//! # Why the solver has a grid of its own
//!
//! Every term is a product of two band-limited fields, tested against a third: a polynomial of degree `3 (L - 1)`. On
//! the paper's 128 x 256 grid that is integrated exactly, and so it is by *any* rule that reaches the degree. The
//! solver takes the smallest: Gauss latitudes and just enough longitudes, 64 x 128 for the paper's truncation. The
//! tendencies are the same numbers to rounding (a test holds them against the paper's grid) on a quarter of the
//! points, and without the poles, where a wind has no components. Only frames that are shown go to the caller's grid.
//!
//! # Rooms
//!
//! | file | what is there |
//! |---|---|
//! | `transform` | spherical harmonics on any grid, poles included: scalars, and winds from vorticity and divergence |
//! | `legendre`, `fourier` | its two halves, each on both hemispheres at once |
//! | `state` | the triangle of coefficients |
//! | `wind`, `poles` | gradients on the sphere as three-term relations between degrees, and where those fail |
//! | `tendency` | the right-hand side |
//! | `stepping` | Adams-Bashforth with the published start and damping, and with better ones |
//! | `initial`, `williamson` | the random start of the data set, and states whose future is known |
//! | `diagnostics` | what the equations conserve |
//! | `solver` | all of it in one: trajectories, frames |
//!
//! ```
//! use pno::pde::sswe::Solver;
//! use pno::spec::Profile;
//! use pno::sphere::Latitudes;
//!
//! let mut solver = Solver::new(32, 64, Latitudes::Equiangular, Profile::Fixed);
//! let frames = solver.trajectory(7, 0, 2);
//! assert_eq!(frames.len(), 2 * 32 * 64 * 3);
//! ```

mod diagnostics;
mod fourier;
mod initial;
mod legendre;
mod poles;
mod solver;
mod state;
mod stepping;
mod tendency;
mod transform;
mod williamson;
mod wind;

pub use diagnostics::Diagnostics;
pub use initial::random_initial_condition;
pub use solver::{Solver, steps_per_hour};
pub use state::{CHANNELS, State, coefficients, degrees, index};
pub use stepping::Stepper;
pub use tendency::Tendency;
pub use transform::Transform;
pub use williamson::{RossbyHaurwitz, zonal_flow};

/// Radius of the Earth in metres.
pub const RADIUS: f64 = 6.37122e6;

/// Angular velocity of the Earth in radians per second.
pub const OMEGA: f64 = 7.292e-5;

/// Acceleration of gravity in metres per second squared.
pub const GRAVITY: f64 = 9.80616;

/// Mean depth of the fluid in metres.
pub const MEAN_DEPTH: f64 = 1e4;

/// Amplitude of the random depth in metres.
pub const DEPTH_AMPLITUDE: f64 = 120.0;

/// Wind of the random start, as a part of the speed of gravity waves.
pub const MACH: f64 = 0.2;

/// Circles of latitude of the published grid.
pub const LATITUDES: usize = 128;

/// Longitudes of the published grid.
pub const LONGITUDES: usize = 256;

/// Hours from the random start to the first frame.
pub const BURN_IN_HOURS: usize = 3;

/// Time in which the damping takes the last degree to `1/e`, in seconds.
pub const DAMPING_TIME_SECS: f64 = 7200.0;

/// Number of the trajectory that the page solves live: no data set reaches it, so no model has seen it.
pub const LIVE_TRAJECTORY: u64 = u64::MAX - 1;

/// Seconds of an hour.
const HOUR_SECS: f64 = 3600.0;
