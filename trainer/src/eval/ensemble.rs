//! Drawing members, spread as the model's calibration says.

use anyhow::Result;
use pno::ensemble::forecast::Forecaster;
use pno::spec::Rollout;

use crate::cli::print;
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

/// How many members a forecast has of those that were asked for. An ensemble of networks has no more than networks, which
/// is told in one line.
pub fn members_of(forecaster: &Forecaster, asked: u32) -> Result<u32> {
    match forecaster.most_members() {
        Some(most) if most < asked => {
            print(&format!(
                "{most} members: the model is an ensemble of {most} networks ({asked} members were asked for)"
            ))?;
            Ok(most)
        }
        _ => Ok(asked),
    }
}

/// Members of a forecast after its last step in physical units, `[member, points]`.
pub fn draw(
    forecaster: &Forecaster,
    input: &[f32],
    seed: u64,
    members: u32,
    horizon: Horizon,
) -> Result<Vec<f32>> {
    let Horizon { steps, rollout } = horizon;
    let mut fields = if steps == 1 {
        let forecast = forecaster.start(input, seed)?;
        block_on(forecast.members(0..members))?
    } else {
        let forecast = forecaster.start_steps(input, seed, steps, rollout)?;
        block_on(forecast.members(0..members))?
    };
    if let Some(factors) = forecaster.factors(steps) {
        factors.spread(&mut fields);
    }
    Ok(fields)
}

/// Members of a forecast after each of its steps in physical units, `[member, points]` each.
pub fn draw_steps(
    forecaster: &Forecaster,
    input: &[f32],
    seed: u64,
    members: u32,
    horizon: Horizon,
) -> Result<Vec<Vec<f32>>> {
    let Horizon { steps, rollout } = horizon;
    if steps == 1 {
        return Ok(vec![draw(forecaster, input, seed, members, horizon)?]);
    }
    let forecast = forecaster.start_steps(input, seed, steps, rollout)?;
    let fields = block_on(forecast.trajectories(0..members))?;
    let values = forecaster.task().output_values();
    let of_step = |step: usize| {
        let members = fields.chunks_exact(steps * values);
        let mut members: Vec<f32> = members
            .flat_map(|member| &member[step * values..(step + 1) * values])
            .copied()
            .collect();
        if let Some(factors) = forecaster.factors(step + 1) {
            factors.spread(&mut members);
        }
        members
    };
    Ok((0..steps).map(of_step).collect())
}
