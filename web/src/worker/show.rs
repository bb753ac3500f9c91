//! A run that the page shows: a solved trajectory, an ensemble beside it, and how well it does.

use pno::pde::ks;

use super::gathered::Gathered;
use super::job::Input;
use super::post::reply;
use super::run::{Bench, End, tell};
use crate::describe;
use crate::message::{Progress, Reply, Run, Stage};

/// Solves the truth of the run's seed and draws its ensemble.
pub async fn show(run: &Run, bench: &mut Bench) -> Result<(), End> {
    tell(run, Stage::Solving);
    let (input, truth) = solve(run.seed);
    reply(&Reply::Truth(run.id), &[&input, &truth]);
    let loaded = bench.load(run, describe::shown).await?;
    let task = &loaded.checkpoint.header.task;
    let input = Input::of_task(task, input);
    let warm = bench.warm(run, &loaded, &input).await?;
    let mut gathered = Gathered::new(truth, task.quantity().normalisation);
    let post = |members: &[f32], progress| post(run, &mut gathered, members, progress);
    bench.members(run, &warm, post).await
}

/// The truth of a seed: what the network sees, and what happens next.
fn solve(seed: u64) -> (Vec<f32>, Vec<f32>) {
    let start = ks::initial_condition(seed, ks::LIVE_TRAJECTORY, ks::CELLS);
    let mut frames = ks::Solver::default_plan().trajectory(&start, 2 * ks::WINDOW, ks::FRAME_STEP);
    let truth = frames.split_off(ks::WINDOW * ks::CELLS);
    (frames, truth)
}

fn post(run: &Run, gathered: &mut Gathered, members: &[f32], progress: Progress) {
    gathered.push(members);
    let maps = gathered.maps();
    let fields = [members, &maps.mean, &maps.std, &maps.lower, &maps.upper];
    let told = Reply::Members(run.id, progress, gathered.scores());
    reply(&told, &fields);
}
