//! The first member, which also builds what the device needs.

use pno::ensemble::forecast::{Forecast, Forecaster};

use super::device::{Chosen, Gpu};
use super::job::Input;
use super::models::Loaded;
use super::post::reply;
use super::run::tell;
use super::time::{now, sleep, within};
use crate::message::{DeviceKind, Reply, Run, Stage};
use crate::settings::DeviceChoice;

/// A GPU that has not finished one member by then is given up, unless it was asked for by name.
const PATIENCE_MS: i32 = 30_000;

/// A forecast that works on its device.
pub struct Warm {
    /// Where further members come from.
    pub forecast: Forecast,
    /// Member 0.
    pub first: Vec<f32>,
    /// How long it took, preparation included.
    pub milliseconds: f64,
}

/// Draws the first member. A GPU that does not manage it is replaced by the CPU, with a note.
pub async fn warm_up(
    run: &Run,
    loaded: &Loaded,
    input: &Input,
    gpu: &mut Gpu,
) -> Result<Warm, String> {
    let chosen = gpu.choose(run.device).await?;
    let replaceable = chosen.told.kind == DeviceKind::WebGpu && run.device == DeviceChoice::Auto;
    let failed = |error: String| format!("The forecast failed: {error}.");
    match first_member(run, loaded, input, chosen).await {
        Err(error) if replaceable => {
            let reason = format!("The GPU did not manage the first forecast ({error})");
            let cpu = Chosen::cpu(Some(format!("{reason}, so the CPU is used.")));
            gpu.fails(reason);
            first_member(run, loaded, input, cpu).await.map_err(failed)
        }
        other => other.map_err(failed),
    }
}

async fn first_member(
    run: &Run,
    loaded: &Loaded,
    input: &Input,
    chosen: Chosen,
) -> Result<Warm, String> {
    let limited = chosen.told.kind == DeviceKind::WebGpu && run.device == DeviceChoice::Auto;
    reply(&Reply::Device(run.id, chosen.told), &[]);
    tell(run.id, Stage::Compile);
    sleep(0).await;
    let begun = now();
    let forecaster = Forecaster::on_grid(&loaded.checkpoint, &input.grid, &chosen.device);
    let forecast = forecaster
        .and_then(|forecaster| forecaster.start(&input.values, run.seed))
        .map_err(|error| error.to_string())?;
    tell(run.id, Stage::WarmUp);
    sleep(0).await;
    let work = forecast.members(0..1);
    let first = if limited {
        let late = || format!("no answer in {} s", PATIENCE_MS / 1000);
        within(PATIENCE_MS, work).await.ok_or_else(late)?
    } else {
        work.await
    };
    let first = first.map_err(|error| error.to_string())?;
    Ok(Warm {
        forecast,
        first,
        milliseconds: now() - begun,
    })
}
