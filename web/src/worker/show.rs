//! A run that the page shows: a solved trajectory, an ensemble beside it, and how well it does.

use pno::pde::ks;

use super::gathered::Gathered;
use super::job::Input;
use super::post::reply;
use super::run::{Bench, End, tell};
use crate::describe;
use crate::message::{Progress, Reply, Run, Stage};

/// Solves the truth of the run's seed and draws its ensemble.
///
/// Where the truth begins is the model's choice. Without a model it is shown all the same, from the start.
pub async fn show(run: &Run, bench: &mut Bench) -> Result<(), End> {
    let loaded = match bench.load(run, describe::shown).await {
        Err(End::Failed(sentence)) => {
            truth(run, 0.0);
            return Err(End::Failed(sentence));
        }
        loaded => loaded?,
    };
    let task = &loaded.checkpoint.header.task;
    let (input, truth) = truth(run, task.input[0].start);
    let input = Input::of_task(task, input);
    let warm = bench.warm(run, &loaded, &input).await?;
    let mut gathered = Gathered::new(truth, task.quantity().normalisation);
    let post = |members: &[f32], progress| post(run, &mut gathered, members, progress);
    bench.members(run, &warm, post).await
}

/// The truth of a seed from a time on, told to the page: what the network sees, and what happens next.
fn truth(run: &Run, start: f64) -> (Vec<f32>, Vec<f32>) {
    tell(run.id, Stage::Solving);
    let noise = ks::initial_condition(run.seed, ks::LIVE_TRAJECTORY, ks::CELLS);
    let mut solver = ks::Solver::default_plan();
    let mut input = solver.trajectory_from(&noise, start, 2 * ks::WINDOW, ks::FRAME_STEP);
    let truth = input.split_off(ks::WINDOW * ks::CELLS);
    reply(&Reply::Truth(run.id, start), &[&input, &truth]);
    (input, truth)
}

fn post(run: &Run, gathered: &mut Gathered, members: &[f32], progress: Progress) {
    gathered.push(members);
    let maps = gathered.maps();
    let fields = [members, &maps.mean, &maps.std, &maps.lower, &maps.upper];
    let told = Reply::Members(run.id, progress, gathered.scores());
    reply(&told, &fields);
}
