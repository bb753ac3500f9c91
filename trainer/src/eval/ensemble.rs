//! Drawing members.

use anyhow::Result;
use pno::ensemble::forecast::Forecaster;

use crate::wait::block_on;

/// Members of a forecast in physical units, `[member, points]`.
pub fn draw(forecaster: &Forecaster, input: &[f32], seed: u64, members: u32) -> Result<Vec<f32>> {
    let forecast = forecaster.start(input, seed)?;
    Ok(block_on(forecast.members(0..members))?)
}
