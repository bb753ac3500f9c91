//! Drawing members.

use anyhow::Result;
use pno::ensemble::forecast::Forecaster;
use pno::spec::Rollout;

use crate::wait::block_on;

/// How far a forecast goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Horizon {
    /// Steps of the model.
    pub steps: usize,
    /// What every step but the first begins with.
    pub rollout: Rollout,
}

impl Horizon {
    /// What the model was trained for.
    pub const ONE_STEP: Self = Self {
        steps: 1,
        rollout: Rollout::Member,
    };
}

/// Members of a forecast in physical units, `[member, points]`.
pub fn draw(
    forecaster: &Forecaster,
    input: &[f32],
    seed: u64,
    members: u32,
    horizon: Horizon,
) -> Result<Vec<f32>> {
    let Horizon { steps, rollout } = horizon;
    if steps == 1 {
        let forecast = forecaster.start(input, seed)?;
        return Ok(block_on(forecast.members(0..members))?);
    }
    let forecast = forecaster.start_steps(input, seed, steps, rollout)?;
    Ok(block_on(forecast.members(0..members))?)
}
