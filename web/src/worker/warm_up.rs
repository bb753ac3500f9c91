//! A model on its device, with its first members, which also build what the device needs.

use pno::ensemble::forecast::{Forecast, Forecaster};

use super::device::{Chosen, Gpu};
use super::job::Input;
use super::models::Loaded;
use super::post::reply;
use super::run::tell;
use super::time::{now, sleep, within};
use crate::message::{DeviceKind, Reply, Stage};
use crate::settings::DeviceChoice;

/// A GPU that has not finished one member by then is given up, unless it was asked for by name.
const PATIENCE_MS: i32 = 30_000;
/// Two sides, and the ones before.
const KEPT: usize = 3;

/// What a forecast is made for.
pub struct Asked {
    /// Number of the run.
    pub id: u32,
    /// Where to compute.
    pub device: DeviceChoice,
    /// Seed of the members' noise.
    pub seed: u64,
}

/// A forecast that works on its device.
pub struct Warm {
    /// Where further members come from.
    pub forecast: Forecast,
    /// The model it comes from.
    pub forecaster: Forecaster,
    /// Member 0.
    pub first: Vec<f32>,
    /// How long it took, preparation included.
    pub milliseconds: f64,
}

impl Warm {
    /// How many members there are of those that were asked for: an ensemble of networks has no more than networks.
    pub fn members(&self, asked: u32) -> u32 {
        let most = self.forecaster.most_members();
        most.map_or(asked, |most| most.min(asked))
    }
}

/// Models on their devices, the newest last, so that the next case begins at once.
#[derive(Default)]
pub struct Ready {
    kept: Vec<(Key, Forecaster)>,
}

type Key = (String, Vec<usize>, DeviceKind);

impl Ready {
    fn get(
        &mut self,
        loaded: &Loaded,
        grid: &[usize],
        chosen: &Chosen,
    ) -> Result<Forecaster, String> {
        let key = (
            loaded.told.fingerprint.clone(),
            grid.to_vec(),
            chosen.told.kind,
        );
        if let Some((_, known)) = self.kept.iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        let made = Forecaster::on_grid(&loaded.checkpoint, grid, &chosen.device);
        let made = made.map_err(|error| error.to_string())?;
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push((key, made.clone()));
        Ok(made)
    }

    /// Whether a model is on some device already.
    pub fn has(&self, loaded: &Loaded) -> bool {
        self.kept
            .iter()
            .any(|(key, _)| key.0 == loaded.told.fingerprint)
    }
}

/// Draws the first member. A GPU that does not manage it is replaced by the CPU, with a note.
pub async fn warm_up(
    asked: &Asked,
    loaded: &Loaded,
    input: &Input,
    gpu: &mut Gpu,
    ready: &mut Ready,
) -> Result<Warm, String> {
    let chosen = gpu.choose(asked.device).await?;
    let replaceable = chosen.told.kind == DeviceKind::WebGpu && asked.device == DeviceChoice::Auto;
    let failed = |error: String| format!("The forecast failed: {error}.");
    match first_member(asked, loaded, input, chosen, ready).await {
        Err(error) if replaceable => {
            let reason = format!("The GPU did not manage the first forecast ({error})");
            let cpu = Chosen::cpu(Some(format!("{reason}, so the CPU is used.")));
            gpu.fails(reason);
            first_member(asked, loaded, input, cpu, ready)
                .await
                .map_err(failed)
        }
        other => other.map_err(failed),
    }
}

async fn first_member(
    asked: &Asked,
    loaded: &Loaded,
    input: &Input,
    chosen: Chosen,
    ready: &mut Ready,
) -> Result<Warm, String> {
    let limited = chosen.told.kind == DeviceKind::WebGpu && asked.device == DeviceChoice::Auto;
    reply(&Reply::Device(asked.id, chosen.told.clone()), &[]);
    if !ready.has(loaded) {
        tell(asked.id, Stage::Compile);
        sleep(0).await;
    }
    let begun = now();
    let forecaster = ready.get(loaded, &input.grid, &chosen)?;
    let forecast = forecaster
        .start(&input.values, asked.seed)
        .map_err(|error| error.to_string())?;
    tell(asked.id, Stage::WarmUp);
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
        forecaster,
        first,
        milliseconds: now() - begun,
    })
}
