//! One run: truth, checkpoint, device, warm-up, members.

use std::rc::Rc;

use pno::pde::ks;

use super::device::Gpu;
use super::gathered::Gathered;
use super::inbox::Inbox;
use super::models::Models;
use super::post::reply;
use super::time::{now, sleep};
use super::warm_up::{Warm, warm_up};
use crate::chunks;
use crate::message::{Progress, Reply, Run, Stage};

/// Why a run ended before its last member.
enum End {
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

/// Serves requests, the newest always, for as long as the worker lives.
pub async fn serve(inbox: Rc<Inbox>) {
    let (mut models, mut gpu) = (Models::default(), Gpu::default());
    loop {
        let run = inbox.take().await;
        if let Err(End::Failed(sentence)) = serve_one(&run, &inbox, &mut models, &mut gpu).await {
            reply(&Reply::Failed(run.id, sentence), &[]);
        }
    }
}

async fn serve_one(
    run: &Run,
    inbox: &Inbox,
    models: &mut Models,
    gpu: &mut Gpu,
) -> Result<(), End> {
    let stage = |stage| reply(&Reply::Stage(run.id, stage), &[]);
    stage(Stage::Solving);
    let (input, truth) = solve(run.seed);
    reply(&Reply::Truth(run.id), &[&input, &truth]);

    let progress = |bytes, total| stage(Stage::Download { bytes, total });
    progress(0, None);
    let loaded = models.get(&run.model, progress).await?;
    reply(&Reply::Model(run.id, Box::new(loaded.told.clone())), &[]);
    give_way(inbox).await?;

    stage(Stage::Device);
    let warm = warm_up(run, &loaded, &input, gpu).await?;
    stage(Stage::Running);
    let scale = loaded.checkpoint.header.task.normalisation;
    draw(run, inbox, &warm, Gathered::new(truth, scale)).await?;
    stage(Stage::Done);
    Ok(())
}

/// The truth of a seed: what the network sees, and what happens next.
fn solve(seed: u64) -> (Vec<f32>, Vec<f32>) {
    let start = ks::initial_condition(seed, ks::LIVE_TRAJECTORY, ks::CELLS);
    let mut frames = ks::Solver::default_plan().trajectory(&start, 2 * ks::WINDOW, ks::FRAME_STEP);
    let truth = frames.split_off(ks::WINDOW * ks::CELLS);
    (frames, truth)
}

/// Draws the members in growing passes and tells the page after each.
async fn draw(run: &Run, inbox: &Inbox, warm: &Warm, mut gathered: Gathered) -> Result<(), End> {
    let mut ms_per_member = warm.milliseconds;
    tell(run, &mut gathered, &warm.first, ms_per_member);
    let mut spent = 0.0;
    while gathered.count() < run.members {
        in_sight(inbox, run.id).await;
        give_way(inbox).await?;
        let drawn = gathered.count();
        let size = chunks::next(drawn, run.members, warm.forecast.chunk(), ms_per_member);
        let begun = now();
        let members = warm.forecast.members(drawn..drawn + size).await;
        let members = members.map_err(|error| format!("The forecast failed: {error}."))?;
        spent += now() - begun;
        // The first member is left out: its time is that of the preparation.
        ms_per_member = spent / f64::from(drawn + size - 1);
        tell(run, &mut gathered, &members, ms_per_member);
    }
    Ok(())
}

fn tell(run: &Run, gathered: &mut Gathered, members: &[f32], ms_per_member: f64) {
    gathered.push(members);
    let maps = gathered.maps();
    let progress = Progress {
        drawn: gathered.count(),
        wanted: run.members,
        ms_per_member,
        scores: gathered.scores(),
    };
    let fields = [members, &maps.mean, &maps.std, &maps.lower, &maps.upper];
    reply(&Reply::Members(run.id, progress), &fields);
}

/// Lets messages in, and ends the run if there is a newer one.
async fn give_way(inbox: &Inbox) -> Result<(), End> {
    sleep(0).await;
    if inbox.has_next() {
        Err(End::Replaced)
    } else {
        Ok(())
    }
}

/// Waits while the page is out of sight.
async fn in_sight(inbox: &Inbox, id: u32) {
    if inbox.is_paused() {
        reply(&Reply::Stage(id, Stage::Paused), &[]);
        inbox.resumed().await;
        reply(&Reply::Stage(id, Stage::Running), &[]);
    }
}
