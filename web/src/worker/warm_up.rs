//! A model on its device, with its first member, which also builds what the device needs and shows whether it works.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use burn::tensor::Device;
use pno::ensemble::forecast::{Forecast, ForecastError, Forecaster};

use super::device::{Chosen, Gpu};
use super::job::Input;
use super::models::Loaded;
use super::post::reply;
use super::run::{End, tell};
use super::time::{now, sleep, within};
use crate::guard::agreement::agree;
use crate::guard::patience::late;
use crate::message::{DeviceKind, Reply, Stage};
use crate::settings::DeviceChoice;

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
    /// How long a pass may take.
    pub limit: Limit,
}

impl Warm {
    /// How many members there are of those that were asked for: an ensemble of networks has no more than networks.
    pub fn members(&self, asked: u32) -> u32 {
        let most = self.forecaster.most_members();
        most.map_or(asked, |most| most.min(asked))
    }
}

/// How long a device may take for a pass; the CPU has no limit, since a program on it ends by itself.
#[derive(Debug, Clone, Copy)]
pub struct Limit(Option<i32>);

impl Limit {
    /// What a pass gives.
    pub async fn pass<T>(
        self,
        work: impl Future<Output = Result<T, ForecastError>>,
    ) -> Result<T, End> {
        let done = self.in_time(work).await?;
        done.map_err(|error| self.blamed(error))
    }

    /// The same with the pass's own error.
    async fn in_time<T>(self, work: impl Future<Output = T>) -> Result<T, End> {
        let Some(milliseconds) = self.0 else {
            return Ok(work.await);
        };
        let done = within(milliseconds, work).await;
        done.ok_or_else(|| End::Gpu(late(milliseconds)))
    }

    /// What a GPU gives may be the fault of its driver, until the CPU gives the same; anything else is the model's.
    fn blamed(self, error: ForecastError) -> End {
        match error {
            ForecastError::Device { reason, .. } if self.0.is_some() => {
                End::Gpu(format!("The GPU gave no result ({reason})"))
            }
            ForecastError::MemberNotFinite { member } if self.0.is_some() => {
                let number = member + 1;
                End::Gpu(format!("The GPU gave member {number}, which is not finite"))
            }
            error => error.into(),
        }
    }
}

struct Kept {
    fingerprint: String,
    grid: Vec<usize>,
    kind: DeviceKind,
    forecaster: Forecaster,
    /// Whether its first member was compared with the CPU's, where it runs on something else.
    compared: bool,
}

/// Models on their devices, the newest last, so that the next case begins at once.
#[derive(Default)]
pub struct Ready {
    kept: Vec<Kept>,
}

impl Ready {
    fn position(&self, loaded: &Loaded, grid: &[usize], kind: DeviceKind) -> Option<usize> {
        self.kept.iter().position(|known| {
            known.kind == kind && known.grid == grid && known.fingerprint == loaded.told.fingerprint
        })
    }

    /// The model on its device, and where it is kept.
    fn get(
        &mut self,
        loaded: &Loaded,
        grid: &[usize],
        chosen: &Chosen,
    ) -> Result<(usize, Forecaster), ForecastError> {
        let kind = chosen.told.kind;
        if let Some(at) = self.position(loaded, grid, kind) {
            return Ok((at, self.kept[at].forecaster.clone()));
        }
        let forecaster = Forecaster::on_grid(&loaded.checkpoint, grid, &chosen.device)?;
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push(Kept {
            fingerprint: loaded.told.fingerprint.clone(),
            grid: grid.to_vec(),
            kind,
            forecaster: forecaster.clone(),
            compared: kind == DeviceKind::Cpu,
        });
        Ok((self.kept.len() - 1, forecaster))
    }

    /// Whether a model is on some device already.
    pub fn has(&self, loaded: &Loaded) -> bool {
        self.kept
            .iter()
            .any(|known| known.fingerprint == loaded.told.fingerprint)
    }

    /// Forgets what is on the GPU.
    pub fn forget_gpu(&mut self) {
        self.kept.retain(|known| known.kind == DeviceKind::Cpu);
    }

    /// The first member as the CPU draws it.
    async fn reference(
        &self,
        loaded: &Loaded,
        input: &Input,
        seed: u64,
    ) -> Result<Vec<f32>, ForecastError> {
        let known = self.position(loaded, &input.grid, DeviceKind::Cpu);
        let forecaster = match known {
            Some(at) => self.kept[at].forecaster.clone(),
            None => Forecaster::on_grid(&loaded.checkpoint, &input.grid, &Device::flex())?,
        };
        let forecaster = forecaster.observing(input.observation);
        forecaster.start(&input.values, seed)?.members(0..1).await
    }
}

/// Draws the first member. The first time that a model is on a GPU, its first member must be the one of the CPU.
pub async fn warm_up(
    asked: &Asked,
    loaded: &Loaded,
    input: &Input,
    gpu: &mut Gpu,
    ready: &mut Ready,
) -> Result<Warm, End> {
    let chosen = gpu.choose(asked.device).await.map_err(End::Gpu)?;
    reply(&Reply::Device(asked.id, chosen.told.clone()), &[]);
    if !ready.has(loaded) {
        tell(asked.id, Stage::Compile);
        sleep(0).await;
    }
    let begun = now();
    let limit = Limit(chosen.pass_ms);
    let (at, forecaster) = ready.get(loaded, &input.grid, &chosen)?;
    let forecaster = forecaster.observing(input.observation);
    let forecast = forecaster.start(&input.values, asked.seed)?;
    tell(asked.id, Stage::WarmUp);
    sleep(0).await;
    let first = if ready.kept[at].compared {
        limit.pass(Box::pin(forecast.members(0..1))).await?
    } else {
        let channels = loaded.checkpoint.header.task.outputs.len();
        let wanted = Box::pin(ready.reference(loaded, input, asked.seed));
        let member = Box::pin(forecast.members(0..1));
        let first = compared(limit, member, wanted, channels).await?;
        ready.kept[at].compared = true;
        first
    };
    Ok(Warm {
        forecast,
        forecaster,
        first,
        milliseconds: now() - begun,
        limit,
    })
}

/// A member of the GPU that is the one of the CPU, which computes while the GPU does.
async fn compared(
    limit: Limit,
    member: impl Future<Output = Result<Vec<f32>, ForecastError>>,
    wanted: impl Future<Output = Result<Vec<f32>, ForecastError>>,
    channels: usize,
) -> Result<Vec<f32>, End> {
    let mut member = pin!(member);
    // Hands the pass to the GPU.
    let at_once = poll_fn(|context| Poll::Ready(member.as_mut().poll(context))).await;
    let wanted = wanted.await?;
    let found = match at_once {
        Poll::Ready(found) => found,
        Poll::Pending => limit.in_time(member).await?,
    };
    let found = found.map_err(|error| match error {
        // The CPU found a number, so it is not the model.
        ForecastError::MemberNotFinite { .. } => End::Gpu(
            "The GPU computes something else than the CPU (its first member is not finite)"
                .to_owned(),
        ),
        error => limit.blamed(error),
    })?;
    match agree(&found, &wanted, channels) {
        Ok(()) => Ok(found),
        Err(difference) => Err(End::Gpu(format!(
            "The GPU computes something else than the CPU ({difference})"
        ))),
    }
}
