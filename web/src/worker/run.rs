//! Requests one after the other, and what a run of a model takes: input, checkpoint, device, warm-up, members.

use std::rc::Rc;

use pno::checkpoint::Header;

use super::device::Gpu;
use super::inbox::Inbox;
use super::job::{Input, Job};
use super::models::{Loaded, Models};
use super::post::reply;
use super::show::show;
use super::solve::{Solvers, solve};
use super::time::{now, sleep};
use super::warm_up::{Warm, warm_up};
use crate::chunks;
use crate::message::{Progress, Reply, Run, Stage};

/// Why a run ended before its last member.
pub enum End {
    /// A newer request is there.
    Replaced,
    /// A sentence for the visitor.
    Failed(String),
}

impl From<String> for End {
    fn from(sentence: String) -> Self {
        Self::Failed(sentence)
    }
}

/// What outlives a run.
pub struct Bench {
    inbox: Rc<Inbox>,
    models: Models,
    gpu: Gpu,
    /// Solvers of the live experiments.
    pub solvers: Solvers,
}

/// Serves requests, the newest always, for as long as the worker lives.
pub async fn serve(inbox: Rc<Inbox>) {
    let mut bench = Bench {
        inbox: Rc::clone(&inbox),
        models: Models::default(),
        gpu: Gpu::default(),
        solvers: Solvers::default(),
    };
    loop {
        let job = inbox.take().await;
        let id = job.id();
        let outcome = match job {
            Job::Show(run) => show(&run, &mut bench).await,
            Job::Draw(run, input) => draw(&run, &input, &mut bench).await,
            Job::Solve(wanted, fields) => solve(&wanted, fields, &mut bench).await,
        };
        match outcome {
            Ok(()) => tell(id, Stage::Done),
            Err(End::Failed(sentence)) => reply(&Reply::Failed(id, sentence), &[]),
            Err(End::Replaced) => {}
        }
    }
}

/// Tells what a request has come to.
pub fn tell(id: u32, stage: Stage) {
    reply(&Reply::Stage(id, stage), &[]);
}

/// Draws members of any model from a given input.
async fn draw(run: &Run, input: &Input, bench: &mut Bench) -> Result<(), End> {
    let loaded = bench.load(run, |_| Ok(())).await?;
    let warm = bench.warm(run, &loaded, input).await?;
    let post = |members: &[f32], progress| reply(&Reply::Drawn(run.id, progress), &[members]);
    bench.members(run, &warm, post).await
}

impl Bench {
    /// The checkpoint of a run, told to the page unless `check` refuses it.
    pub async fn load(
        &mut self,
        run: &Run,
        check: impl Fn(&Header) -> Result<(), String>,
    ) -> Result<Rc<Loaded>, End> {
        let progress = |bytes, total| tell(run.id, Stage::Download { bytes, total });
        progress(0, None);
        let loaded = self.models.get(&run.model, progress).await?;
        check(&loaded.told.header)
            .map_err(|why| format!("The model at {} cannot be shown: {why}.", run.model))?;
        reply(&Reply::Model(run.id, Box::new(loaded.told.clone())), &[]);
        self.give_way().await?;
        Ok(loaded)
    }

    /// A forecast on its device, with its first member.
    pub async fn warm(&mut self, run: &Run, loaded: &Loaded, input: &Input) -> Result<Warm, End> {
        tell(run.id, Stage::Device);
        let warm = warm_up(run, loaded, input, &mut self.gpu).await?;
        tell(run.id, Stage::Running);
        Ok(warm)
    }

    /// Draws the members in growing passes and hands on each pass, the first member first.
    pub async fn members(
        &self,
        run: &Run,
        warm: &Warm,
        mut hand_on: impl FnMut(&[f32], Progress),
    ) -> Result<(), End> {
        let mut progress = Progress {
            drawn: 1,
            wanted: run.members,
            ms_per_member: warm.milliseconds,
        };
        hand_on(&warm.first, progress);
        let mut spent = 0.0;
        while progress.drawn < run.members {
            self.in_sight(run.id).await;
            self.give_way().await?;
            let (drawn, pace) = (progress.drawn, progress.ms_per_member);
            let size = chunks::next(drawn, run.members, warm.forecast.chunk(), pace);
            let begun = now();
            let members = warm.forecast.members(drawn..drawn + size).await;
            let members = members.map_err(|error| format!("The forecast failed: {error}."))?;
            spent += now() - begun;
            progress.drawn += size;
            // The first member is left out: its time is that of the preparation.
            progress.ms_per_member = spent / f64::from(progress.drawn - 1);
            hand_on(&members, progress);
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
