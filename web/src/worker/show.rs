//! A run that the page shows: a case, ensembles beside it, and how well they do.

use std::rc::Rc;

use pno::task::Task;

use super::case::{Opened, open};
use super::checks::Checks;
use super::gathered::Gathered;
use super::job::Input;
use super::models::Loaded;
use super::rolling;
use super::run::{Bench, End, allowed, tell};
use super::scope::Scope;
use super::warm_up::Asked;
use crate::field::Scene;
use crate::guard::memory::Size;
use crate::message::{Run, Stage};

/// Shows the case at once, then loads the models and draws their ensembles, one side after the other.
pub async fn show(run: &Run, fields: &[Vec<f32>], bench: &mut Bench) -> Result<(), End> {
    // A moving brush sends faster than one may solve: let all that is on its way arrive, and take the last.
    bench.give_way().await?;
    let first = run.sides.first();
    let known = first.and_then(|side| bench.models.known(&side.address));
    let known = known.and_then(|loaded| Scope::of(run, &[loaded]));
    // A rollout that goes on has its case already.
    let goes_on = run.resume
        && bench
            .rolled
            .as_ref()
            .is_some_and(|rolled| run.continues(&rolled.run));
    let mut opened = None;
    if goes_on {
        bench.checks.borrow_mut().go_on(run.id);
    } else {
        bench.rolled = None;
        bench.checks.take();
        if let Some(scope) = known.or_else(|| Scope::guessed(run)) {
            tell(run.id, Stage::Solving);
            opened = Some(open(run, scope, fields, &mut bench.solvers));
        }
    }
    let mut sides = Vec::new();
    for (side, wanted) in run.sides.iter().enumerate() {
        let loaded = bench.load(run.id, side, wanted).await?;
        let header = &loaded.checkpoint.header;
        if side == 0 && header.spec.experiment != run.experiment {
            // The page goes over to the model's own experiment and asks again.
            return Ok(());
        }
        if side > 0 {
            same_grid(run, &sides, &header.task)?;
        }
        sides.push(loaded);
    }
    if !run.quick {
        bench.give_way().await?;
    }
    if goes_on {
        return Box::pin(rolling::go_on(run, bench)).await;
    }
    let opened = match (opened, Scope::of(run, &sides)) {
        // The model has another grid or begins at another time than was guessed.
        (Some(opened), Some(scope)) if opened.scope != scope => {
            open(run, scope, fields, &mut bench.solvers)
        }
        (None, Some(scope)) => open(run, scope, fields, &mut bench.solvers),
        (Some(opened), _) => opened,
        (None, None) => return Ok(()),
    };
    let scene = Scene::new(run.experiment, &opened.task, run.steps as usize);
    bench.checks = Checks::new(run.id, &scene, &opened).into();
    if scene.rollout {
        return Box::pin(rolling::begin(run, opened, sides, bench)).await;
    }
    Box::pin(ensembles(run, &opened, &sides, bench)).await
}

async fn ensembles(
    run: &Run,
    opened: &Opened,
    sides: &[Rc<Loaded>],
    bench: &mut Bench,
) -> Result<(), End> {
    let Some(input) = &opened.input else {
        return Ok(());
    };
    if sides.is_empty() {
        return Ok(());
    }
    let calibrated = sides.iter().any(|loaded| loaded.is_calibrated());
    let size = Size::at_once(opened.task.output_values(), sides.len()).calibrated(calibrated);
    let members = allowed(run.id, run.members, size)?;
    let scene = Scene::new(run.experiment, &opened.task, 1);
    for (side, loaded) in sides.iter().enumerate() {
        let input = Input {
            grid: opened.task.input_shape(),
            values: input.clone(),
            observation: opened.scope.observation,
        };
        let warm = bench.warm(&asked(run), loaded, &input).await?;
        let task = &loaded.checkpoint.header.task;
        let mut gathered = Gathered::new(task, 0, scene.shape.frames, &opened.truth)
            .spread_by(warm.forecaster.factors(1));
        let truth = if opened.truth.len() == scene.shape.frames {
            opened.truth.concat()
        } else {
            vec![]
        };
        let post = |members: &[f32], progress| {
            let moved = gathered.push(run.id, side, members, progress);
            let mut checks = bench.checks.borrow_mut();
            checks.push(side, 0, &truth, members, moved);
        };
        let drawn = warm.members(members);
        bench.members(run.id, drawn, run.quick, &warm, post).await?;
    }
    Ok(())
}

/// What a forecast of a run is made for.
pub fn asked(run: &Run) -> Asked {
    Asked {
        id: run.id,
        device: run.device,
        seed: run.seed,
    }
}

fn same_grid(run: &Run, sides: &[Rc<Loaded>], task: &Task) -> Result<(), End> {
    let first = sides.first().map(|loaded| &loaded.checkpoint.header.task);
    let same = first.is_none_or(|first| {
        let names = |task: &Task| {
            task.outputs
                .iter()
                .map(|q| q.name.clone())
                .collect::<Vec<_>>()
        };
        first.input == task.input && first.output == task.output && names(first) == names(task)
    });
    if same {
        return Ok(());
    }
    let name = |side: usize| run.sides.get(side).map_or("", |side| side.name.as_str());
    Err(End::Failed(format!(
        "The models {} and {} cannot stand side by side: they have other grids, times or quantities.",
        name(0),
        name(1)
    )))
}
