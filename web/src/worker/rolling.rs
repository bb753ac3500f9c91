//! Forecasts that are stepped on: truth and members, hour by hour, every member its own trajectory.

use std::rc::Rc;

use pno::ensemble::forecast::Forecaster;
use pno::ensemble::rollout::{Stepped, Trajectories};
use pno::observation::Observation;
use pno::spec::Rollout;
use pno::task::Task;

use super::case::Opened;
use super::gathered::Gathered;
use super::job::Input;
use super::models::Loaded;
use super::post::reply;
use super::run::{Bench, End, allowed, tell};
use super::show::asked;
use super::time::now;
use super::warm_up::Limit;
use crate::chunks;
use crate::guard::memory::Size;
use crate::message::{Opening, Progress, Reply, Run, Stage};
use crate::truth::Trajectory;

/// After so long a solver lets messages in.
const BREATH_MS: f64 = 15.0;

/// A rollout that may go on.
pub struct Rolled {
    /// The run that began it.
    pub run: Run,
    task: Task,
    /// Members of a side: as many as were asked for, or as fit.
    members: u32,
    later: Option<Box<dyn Trajectory>>,
    truth: Vec<Vec<f32>>,
    sides: Vec<Side>,
    loaded: Vec<Rc<Loaded>>,
    input: Option<Vec<f32>>,
    observation: Observation,
}

/// The members of one side on their way.
struct Side {
    stepped: Stepped,
    forecaster: Forecaster,
    /// How many there are.
    members: u32,
    groups: Vec<Trajectories>,
    /// How long a pass may take.
    limit: Limit,
    /// Time of a member's step.
    pace: f64,
    /// What has come of the hour in progress.
    gathered: Option<(usize, Gathered)>,
}

/// Begins a rollout.
pub async fn begin(
    run: &Run,
    opened: Opened,
    loaded: Vec<Rc<Loaded>>,
    bench: &mut Bench,
) -> Result<(), End> {
    let sides = loaded.len();
    let size = size(&opened.task, &loaded, run.steps as usize);
    let members = match opened.input {
        // Where not even one goes all the way, one goes as far as it can.
        Some(_) if sides > 0 && size.most_members() == 0 => 1,
        Some(_) if sides > 0 => allowed(run.id, run.members, size)?,
        _ => run.members,
    };
    let rolled = Rolled {
        run: run.clone(),
        members,
        task: opened.task,
        later: opened.later,
        truth: opened.truth,
        sides: vec![],
        loaded,
        input: opened.input,
        observation: opened.scope.observation,
    };
    Box::pin(step_on(run, rolled, bench)).await
}

/// What a member takes after so many hours.
fn size(task: &Task, loaded: &[Rc<Loaded>], hours: usize) -> Size {
    let calibrated = loaded.iter().any(|loaded| loaded.is_calibrated());
    Size::rollout(task.output_values(), hours, loaded.len()).calibrated(calibrated)
}

/// Goes on with the last rollout.
pub async fn go_on(run: &Run, bench: &mut Bench) -> Result<(), End> {
    let Some(rolled) = bench.rolled.take() else {
        return Ok(());
    };
    let opening = Opening {
        experiment: run.experiment,
        task: rolled.task.clone(),
        steps: run.steps,
        continued: true,
        solver: None,
        observation: rolled.observation,
    };
    reply(&Reply::Truth(run.id, Box::new(opening)), &[]);
    Box::pin(step_on(run, rolled, bench)).await
}

/// Steps to the run's last hour. What was reached is kept, also where something newer comes in between.
async fn step_on(run: &Run, mut rolled: Rolled, bench: &mut Bench) -> Result<(), End> {
    let outcome = hours(run, &mut rolled, bench).await;
    bench.rolled = Some(rolled);
    outcome
}

async fn hours(run: &Run, rolled: &mut Rolled, bench: &mut Bench) -> Result<(), End> {
    tell(run.id, Stage::Running);
    let mut rested = now();
    for hour in 0..run.steps as usize {
        truth_at(run, rolled, hour);
        if rolled.loaded.is_empty() || rolled.input.is_none() {
            if now() - rested > BREATH_MS {
                bench.in_sight(run.id).await;
                bench.give_way().await?;
                rested = now();
            }
            continue;
        }
        if rolled.members > size(&rolled.task, &rolled.loaded, hour + 1).most_members() {
            return Err(End::Failed(format!(
                "{} members after {} steps are more than this page holds; with fewer members it goes further.",
                rolled.members,
                hour + 1
            )));
        }
        for side in 0..rolled.loaded.len() {
            if rolled.sides.len() == side {
                let made = prepare(run, rolled, side, bench).await?;
                rolled.sides.push(made);
            }
            members_at(run, rolled, side, hour, bench).await?;
        }
    }
    Ok(())
}

/// Integrates the truth to an hour, from 0 for the first one after the start.
fn truth_at(run: &Run, rolled: &mut Rolled, hour: usize) {
    let Some(later) = &mut rolled.later else {
        return;
    };
    while rolled.truth.len() <= hour {
        let begun = now();
        later.advance();
        let told = later.told(now() - begun);
        let frame = later.frame();
        let index = rolled.truth.len() as u32;
        reply(&Reply::Later(run.id, index, told), &[&frame]);
        rolled.truth.push(frame);
    }
}

async fn prepare(run: &Run, rolled: &Rolled, side: usize, bench: &mut Bench) -> Result<Side, End> {
    let loaded = &rolled.loaded[side];
    let input = Input {
        grid: rolled.task.input_shape(),
        values: rolled.input.clone().unwrap_or_default(),
        observation: rolled.observation,
    };
    let warm = bench.warm(&asked(run), loaded, &input).await?;
    let stepped = warm
        .forecaster
        .start_steps(&input.values, run.seed, 1, Rollout::Member)?;
    Ok(Side {
        stepped,
        members: warm.members(rolled.members),
        limit: warm.limit,
        forecaster: warm.forecaster,
        groups: vec![],
        pace: warm.milliseconds,
        gathered: None,
    })
}

/// Brings all members of a side to an hour and shows them, in passes.
async fn members_at(
    run: &Run,
    rolled: &mut Rolled,
    side: usize,
    hour: usize,
    bench: &Bench,
) -> Result<(), End> {
    let id = run.id;
    let Rolled {
        sides, truth, task, ..
    } = rolled;
    let this = &mut sides[side];
    loop {
        let drawn: u32 = this
            .groups
            .iter()
            .map(|group| group.range().len() as u32)
            .sum();
        let behind = this.groups.iter().position(|group| group.step() <= hour);
        let index = match behind {
            Some(index) => index,
            None if drawn < this.members => {
                let size = chunks::next(drawn, this.members, this.stepped.chunk(), this.pace);
                this.groups.push(this.stepped.begin(drawn..drawn + size));
                this.groups.len() - 1
            }
            None => return Ok(()),
        };
        bench.in_sight(id).await;
        bench.give_way().await?;
        let group = &mut this.groups[index];
        let begun = now();
        let members = this
            .limit
            .pass(Box::pin(this.stepped.advance(group)))
            .await?;
        this.pace = (now() - begun) / f64::from(group.range().len() as u32);
        let at = this.gathered.take().filter(|(at, _)| *at == hour);
        let known = truth
            .get(hour)
            .map(std::slice::from_ref)
            .unwrap_or_default();
        let factors = || this.forecaster.factors(hour + 1);
        let (_, mut gathered) = at.unwrap_or_else(|| {
            let empty = Gathered::new(task, hour, 1, known);
            (hour, empty.spread_by(factors()))
        });
        let progress = Progress {
            drawn: group.range().end,
            wanted: this.members,
            ms_per_member: this.pace,
        };
        let moved = gathered.push(id, side, &members, progress);
        this.gathered = Some((hour, gathered));
        let known = truth.get(hour).map(Vec::as_slice).unwrap_or_default();
        (bench.checks.borrow_mut()).push(side, hour, known, &members, moved);
        bench.check(false).await?;
    }
}
