//! Solving an equation live, without a network beside it.

use serde::{Deserialize, Serialize};

/// One problem to solve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solve {
    /// Number of the request, counted together with the runs: the answer carries it.
    pub id: u32,
    /// What to solve.
    pub problem: Problem,
}

/// What can be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    /// Darcy flow through the random field of a seed.
    RandomFlow {
        /// Which field.
        seed: u64,
        /// Cells along a side.
        cells: u32,
    },
    /// Darcy flow through a painted field. Fields: the permeability `[x, y]`.
    PaintedFlow {
        /// Cells along a side.
        cells: u32,
        /// Whether it is solved as exactly as a data set, or as exactly as a picture needs while the brush moves.
        exact: bool,
    },
    /// Shallow water on the sphere, from the random start of a seed.
    Weather {
        /// Which start.
        seed: u64,
        /// Circles of latitude.
        latitudes: u32,
        /// Points of a circle.
        longitudes: u32,
        /// Hours since the first frame, which is the one after the burn-in.
        hour: u32,
    },
}

/// How a pressure was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    /// Cells along a side.
    pub cells: u32,
    /// Iterations of conjugate gradients.
    pub iterations: u32,
    /// Norm of the residual, relative to that of the source.
    pub residual: f64,
    /// Time of the solver.
    pub milliseconds: f64,
}

/// The state of the shallow water at an hour.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Hour {
    /// Hours since the first frame.
    pub hour: u32,
    /// Circles of latitude.
    pub latitudes: u32,
    /// Points of a circle.
    pub longitudes: u32,
    /// Steps of an hour.
    pub steps: u32,
    /// Time of the solver for one hour, a mean over those of the last request.
    pub ms_per_hour: f64,
    /// Change of the mass since the first frame, relative to it.
    pub mass_drift: f64,
    /// Change of the kinetic and available energy since the first frame, relative to it.
    pub energy_drift: f64,
}
