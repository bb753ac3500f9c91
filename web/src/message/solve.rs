//! How a truth was found.

use serde::{Deserialize, Serialize};

/// What the solver tells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Solver {
    /// A trajectory, in so many milliseconds.
    Waves(f64),
    /// A pressure.
    Flow(Solved),
    /// An hour of shallow water.
    Water(Hour),
}

impl Solver {
    /// Time of the solver.
    pub fn milliseconds(&self) -> f64 {
        match self {
            Self::Waves(milliseconds) => *milliseconds,
            Self::Flow(solved) => solved.milliseconds,
            Self::Water(hour) => hour.milliseconds,
        }
    }
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
    /// Time of the solver for this hour.
    pub milliseconds: f64,
    /// Change of the mass since the first frame, relative to it.
    pub mass_drift: f64,
    /// Change of the kinetic and available energy since the first frame, relative to it.
    pub energy_drift: f64,
}
