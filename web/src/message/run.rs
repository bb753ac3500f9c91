//! What the page asks for.

use pno::observation::Observation;
use pno::spec::Experiment;
use pno::task::Task;
use serde::{Deserialize, Serialize};

use crate::nudge::Nudge;
use crate::settings::DeviceChoice;

/// One case to solve, and ensembles to draw beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Number of the run: every answer carries it, so that late ones can be dropped.
    pub id: u32,
    /// Which equation.
    pub experiment: Experiment,
    /// The models, one per side; none where only the truth is shown.
    pub sides: Vec<Checkpoint>,
    /// How the case comes about.
    pub problem: Problem,
    /// The grid that is solved where there is no model; empty for the published one.
    pub grid: Vec<usize>,
    /// Seed of the members' noise, and of the truth's start.
    pub seed: u64,
    /// How many members to draw.
    pub members: u32,
    /// How far a forecast is stepped on.
    pub steps: u32,
    /// Where to compute.
    pub device: DeviceChoice,
    /// Whether it follows a moving brush: as exact as a picture needs, and not to be given up half-way.
    pub quick: bool,
    /// How well the input is known, where a model can be told.
    pub observation: Observation,
    /// Whether members that are the same functions on every grid are drawn on a finer one.
    pub finer: bool,
    /// Whether the page still has the frames of the run before, which was the same but shorter.
    pub resume: bool,
}

impl Run {
    /// Whether another run is the same but for its length.
    pub fn continues(&self, before: &Self) -> bool {
        let plain = |run: &Self| Self {
            id: 0,
            steps: 0,
            resume: false,
            ..run.clone()
        };
        plain(self) == plain(before)
    }
}

/// Where a model is and what to call it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Absolute address.
    pub address: String,
    /// What sentences call it.
    pub name: String,
    /// Which file it is, where the list of models tells: the browser may keep it under this name.
    pub version: Option<String>,
    /// Its size, where the list of models tells.
    pub bytes: Option<u64>,
    /// Whether the visitor agreed to fetch it from a server that is not the page's own.
    pub agreed: bool,
}

/// How a case comes about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Problem {
    /// From the seed, with bumps on its start.
    Seed(Vec<Nudge>),
    /// Through a painted ground. Fields: the permeability `[x, y]`.
    Painted,
    /// From a given input. Fields: its values.
    Given {
        /// Sizes of the array, outermost first.
        shape: Vec<usize>,
        /// What sentences call it.
        name: String,
        /// Its grid, quantities and units, where they are known before a model says its own.
        task: Option<Box<Task>>,
    },
}

/// An ensemble of a given input, whatever the model was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Number of the run.
    pub id: u32,
    /// Absolute address of the checkpoint.
    pub model: String,
    /// Seed of the members' noise.
    pub seed: u64,
    /// How many members to draw.
    pub members: u32,
    /// Where to compute.
    pub device: DeviceChoice,
    /// Points along each axis of the input, outermost first: the model's own grid, or another over the same extent.
    pub grid: Vec<usize>,
}

/// What the verification of a run looks at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Number of the run.
    pub id: u32,
    /// Which quantity.
    pub channel: u32,
    /// What is to be exceeded, in physical units.
    pub threshold: f32,
}
