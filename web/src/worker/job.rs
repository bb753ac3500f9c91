//! What the worker is asked for.

use pno::observation::Observation;

use crate::message::{Draw, Run};
use crate::settings::DeviceChoice;

/// One request.
pub enum Job {
    /// A case with ensembles beside it, and the fields of its problem.
    Show(Run, Vec<Vec<f32>>),
    /// An ensemble of a given input.
    Draw(Draw, Vec<f32>),
}

/// Fields `[points, channel]` in physical units.
pub struct Input {
    /// Points along each axis, outermost first.
    pub grid: Vec<usize>,
    /// The values.
    pub values: Vec<f32>,
    /// How well they are known.
    pub observation: Observation,
}

impl Job {
    /// A run on a given input, which must be the only field beside its message.
    pub fn given(draw: Draw, fields: Vec<Vec<f32>>) -> Result<Self, String> {
        let [values] = <[_; 1]>::try_from(fields).map_err(|fields| {
            let count = fields.len();
            format!("A forecast needs one input beside its request, but {count} came.")
        })?;
        Ok(Self::Draw(draw, values))
    }

    /// Number of the request.
    pub fn id(&self) -> u32 {
        match self {
            Self::Show(run, _) => run.id,
            Self::Draw(draw, _) => draw.id,
        }
    }

    /// Where it is to be computed.
    pub fn device(&self) -> DeviceChoice {
        match self {
            Self::Show(run, _) => run.device,
            Self::Draw(draw, _) => draw.device,
        }
    }
}
