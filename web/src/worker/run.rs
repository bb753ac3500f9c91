//! Requests one after the other, and what a run of a model takes: input, checkpoint, device, warm-up, members.

use std::cell::RefCell;
use std::rc::Rc;

use pno::ensemble::forecast::ForecastError;
use pno::observation::Observation;

use super::checks::Checks;
use super::device::Gpu;
use super::inbox::{Inbox, Work};
use super::job::{Input, Job};
use super::models::{Loaded, Models};
use super::post::reply;
use super::rolling::Rolled;
use super::show::show;
use super::time::{now, sleep};
use super::warm_up::{Asked, Ready, Warm, warm_up};
use crate::chunks;
use crate::guard::memory::{Size, within_budget};
use crate::message::{Checkpoint, Draw, Progress, Reply, Stage};
use crate::settings::DeviceChoice;
use crate::truth::{Climatology, Solvers};

/// Why a run ended before its last member.
pub enum End {
    /// A newer request is there.
    Replaced,
    /// A sentence for the visitor.
    Failed(String),
    /// The server does not have a model of the page's list: a sentence, unless the page knows why.
    Missing(String),
    /// The GPU does not do what it should: the beginning of a sentence that says why.
    Gpu(String),
}

impl From<String> for End {
    fn from(sentence: String) -> Self {
        Self::Failed(sentence)
    }
}

impl From<ForecastError> for End {
    fn from(error: ForecastError) -> Self {
        Self::Failed(format!("The forecast failed: {error}."))
    }
}

/// What outlives a run.
pub struct Bench {
    /// Where requests come from.
    pub inbox: Rc<Inbox>,
    /// Checkpoints.
    pub models: Models,
    gpu: Gpu,
    ready: Ready,
    /// Solvers of the live experiments.
    pub solvers: Solvers,
    /// The last rollout, which may go on.
    pub rolled: Option<Rolled>,
    /// The members of the last run, to be verified.
    pub checks: RefCell<Checks>,
    /// Random states of the last problem, to compare with.
    pub climatology: RefCell<Climatology>,
}

/// Serves requests, the newest always, for as long as the worker lives.
pub async fn serve(inbox: Rc<Inbox>) {
    let mut bench = Bench {
        inbox: Rc::clone(&inbox),
        models: Models::default(),
        gpu: Gpu::default(),
        ready: Ready::default(),
        solvers: Solvers::default(),
        rolled: None,
        checks: RefCell::default(),
        climatology: RefCell::default(),
    };
    loop {
        let job = match inbox.take().await {
            Work::Job(job) => job,
            Work::Look => {
                // A newer request that ends it is next.
                let _ = bench.check(true).await;
                continue;
            }
        };
        let id = job.id();
        let mut outcome = bench.work(&job).await;
        if let Err(End::Gpu(reason)) = &outcome {
            bench.give_up_gpu(reason.clone());
            if job.device() == DeviceChoice::Auto {
                // The same members anew: two devices in one ensemble could not be told apart.
                outcome = bench.work(&job).await;
            }
        }
        match outcome {
            Ok(()) => {
                tell(id, Stage::Done);
                // A newer request that ends it is next.
                let _ = bench.check(true).await;
            }
            Err(End::Failed(sentence)) => reply(&Reply::Failed(id, sentence), &[]),
            Err(End::Missing(sentence)) => reply(&Reply::Missing(id, sentence), &[]),
            Err(End::Gpu(reason)) => {
                let sentence = format!(
                    "{reason}, but the address or the menu asks for WebGPU. Choose CPU to go on."
                );
                reply(&Reply::NoGpu(id, sentence), &[]);
            }
            Err(End::Replaced) => {}
        }
    }
}

/// Tells what a request has come to.
pub fn tell(id: u32, stage: Stage) {
    reply(&Reply::Stage(id, stage), &[]);
}

/// Draws members of any model from a given input.
async fn draw(draw: &Draw, values: &[f32], bench: &mut Bench) -> Result<(), End> {
    let wanted = Checkpoint {
        address: draw.model.clone(),
        name: draw.model.clone(),
        ..Checkpoint::default()
    };
    let loaded = bench.load(draw.id, 0, &wanted).await?;
    let asked = Asked {
        id: draw.id,
        device: draw.device,
        seed: draw.seed,
    };
    let input = Input {
        grid: draw.grid.clone(),
        values: values.to_vec(),
        observation: Observation::EXACT,
    };
    let warm = bench.warm(&asked, &loaded, &input).await?;
    let values = warm.forecaster.task().output_values();
    let members = warm.members(allowed(draw.id, draw.members, Size::at_once(values, 1))?);
    let Some(factors) = warm.forecaster.factors(1) else {
        let post = |members: &[f32], progress| reply(&Reply::Drawn(draw.id, progress), &[members]);
        return bench.members(draw.id, members, false, &warm, post).await;
    };
    // Calibrated members are spread around the mean of all: they can only come together.
    let mut all = Vec::new();
    let gather = |members: &[f32], progress: Progress| {
        all.extend_from_slice(members);
        if progress.drawn == progress.wanted {
            factors.spread(&mut all);
            reply(&Reply::Drawn(draw.id, progress), &[&all]);
        }
    };
    bench.members(draw.id, members, false, &warm, gather).await
}

/// How many members may be drawn of those that were asked for; tells the page where they are fewer.
pub fn allowed(id: u32, asked: u32, size: Size) -> Result<u32, End> {
    let (members, reduced) = within_budget(asked, size);
    if members == 0 {
        return Err(End::Failed(format!(
            "A single member has {} values, which is more than this page holds.",
            size.values
        )));
    }
    if let Some(reduced) = reduced {
        reply(&Reply::Reduced(id, reduced), &[]);
    }
    Ok(members)
}

impl Bench {
    /// Does what a request asks for.
    async fn work(&mut self, job: &Job) -> Result<(), End> {
        match job {
            Job::Show(run, fields) => Box::pin(show(run, fields, self)).await,
            Job::Draw(run, input) => draw(run, input, self).await,
        }
    }

    /// Uses the GPU no more. Nothing waits for it from now on, not even what it has begun.
    fn give_up_gpu(&mut self, reason: String) {
        self.gpu.fails(reason);
        self.ready.forget_gpu();
        self.rolled = None;
    }

    /// The checkpoint of a side, told to the page.
    pub async fn load(
        &mut self,
        id: u32,
        side: usize,
        wanted: &Checkpoint,
    ) -> Result<Rc<Loaded>, End> {
        let progress = |bytes, total| tell(id, Stage::Download { bytes, total });
        let loaded = self.models.get(wanted, progress).await?;
        let told = Box::new(loaded.told.clone());
        reply(&Reply::Model(id, side as u8, told), &[]);
        Ok(loaded)
    }

    /// A forecast on its device, with its first member.
    pub async fn warm(
        &mut self,
        asked: &Asked,
        loaded: &Loaded,
        input: &Input,
    ) -> Result<Warm, End> {
        if !self.ready.has(loaded) {
            tell(asked.id, Stage::Device);
        }
        let warm = warm_up(asked, loaded, input, &mut self.gpu, &mut self.ready).await?;
        tell(asked.id, Stage::Running);
        Ok(warm)
    }

    /// Draws the members in growing passes and hands on each pass, the first member first. In a hurry it is one pass.
    pub async fn members(
        &self,
        id: u32,
        wanted: u32,
        hurry: bool,
        warm: &Warm,
        mut hand_on: impl FnMut(&[f32], Progress),
    ) -> Result<(), End> {
        let mut progress = Progress {
            drawn: 1,
            wanted,
            ms_per_member: warm.milliseconds,
        };
        let mut first = Some(&warm.first);
        if !hurry || wanted <= 1 {
            hand_on(&warm.first, progress);
            first = None;
        }
        let mut spent = 0.0;
        while progress.drawn < wanted {
            if !hurry {
                self.in_sight(id).await;
                self.give_way().await?;
            }
            let (drawn, pace) = (progress.drawn, progress.ms_per_member);
            let size = if hurry {
                wanted - drawn
            } else {
                chunks::next(drawn, wanted, warm.forecast.chunk(), pace)
            };
            let begun = now();
            let pass = warm.forecast.members(drawn..drawn + size);
            let mut members = warm.limit.pass(Box::pin(pass)).await?;
            spent += now() - begun;
            progress.drawn += size;
            // The first member is left out: its time is that of the preparation.
            progress.ms_per_member = spent / f64::from(progress.drawn - 1);
            if let Some(first) = first.take() {
                members.splice(0..0, first.iter().copied());
            }
            hand_on(&members, progress);
            self.check(false).await?;
        }
        Ok(())
    }

    /// Lets messages in, and ends the run if there is a newer one.
    pub async fn give_way(&self) -> Result<(), End> {
        sleep(0).await;
        if self.inbox.has_next() {
            Err(End::Replaced)
        } else {
            Ok(())
        }
    }

    /// Waits while the page is out of sight.
    pub async fn in_sight(&self, id: u32) {
        if self.inbox.is_paused() {
            tell(id, Stage::Paused);
            self.inbox.resumed().await;
            tell(id, Stage::Running);
        }
    }
}
