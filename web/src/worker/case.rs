//! The case of a run: what the network sees, and what really happens.

use pno::spec::Experiment;
use pno::task::Task;

use super::post::reply;
use super::time::now;
use crate::message::{Opening, Problem, Reply, Run, Solver};
use crate::truth::{self, Flow, Ground, Water};

/// What is kept from one run to the next: plans, and the last pressure to start from.
#[derive(Default)]
pub struct Solvers {
    flow: Flow,
}

/// A case that was opened.
pub struct Opened {
    /// Grid, quantities and units.
    pub task: Task,
    /// What the network sees; `None` where it must be given.
    pub input: Option<Vec<f32>>,
    /// Frames of the truth that are known.
    pub truth: Vec<Vec<f32>>,
    /// The water of a rollout, at its start.
    pub water: Option<Water>,
}

/// Solves the case of a run for a task and shows it. If there is no truth, the page is told why.
pub fn open(run: &Run, task: Task, fields: &[Vec<f32>], solvers: &mut Solvers) -> Opened {
    let solved = match &run.problem {
        Problem::Given { shape, name, .. } => {
            given(&task, shape, name, fields).map(|parts| (parts, None))
        }
        _ => solve(run, &task, fields, solvers),
    };
    let ((input, truth, solver), water) = match solved {
        Ok((parts, water)) => (parts, water),
        Err(why) => {
            reply(&Reply::NoTruth(run.id, why), &[]);
            ((None, vec![], None), None)
        }
    };
    let opening = Opening {
        experiment: run.experiment,
        task: called(task.clone(), &run.problem),
        steps: run.steps,
        continued: false,
        solver,
    };
    let shown: Vec<&[f32]> = input.iter().chain(&truth).map(Vec::as_slice).collect();
    reply(&Reply::Truth(run.id, Box::new(opening)), &shown);
    Opened {
        task,
        input,
        truth,
        water,
    }
}

/// A model's task with the quantities called what a shipped case calls them: the model may have been trained on another kind
/// of the same quantity.
fn called(mut task: Task, problem: &Problem) -> Task {
    let Problem::Given {
        task: Some(case), ..
    } = problem
    else {
        return task;
    };
    let pairs = [
        (&mut task.inputs, &case.inputs),
        (&mut task.outputs, &case.outputs),
    ];
    for (ours, theirs) in pairs {
        for (ours, theirs) in ours.iter_mut().zip(theirs) {
            if ours.unit == theirs.unit {
                ours.name.clone_from(&theirs.name);
            }
        }
    }
    task
}

type Parts = (Option<Vec<f32>>, Vec<Vec<f32>>, Option<Solver>);

fn solve(
    run: &Run,
    task: &Task,
    fields: &[Vec<f32>],
    solvers: &mut Solvers,
) -> Result<(Parts, Option<Water>), String> {
    let nudges = match &run.problem {
        Problem::Seed(nudges) => nudges.as_slice(),
        _ => &[],
    };
    match run.experiment {
        Experiment::Ks => {
            let begun = now();
            let (input, truth) = truth::waves(task, run.seed, nudges).map_err(|why| named(&why))?;
            let solver = Solver::Waves(now() - begun);
            Ok(((Some(input), vec![truth], Some(solver)), None))
        }
        Experiment::Darcy => {
            let ground = match (&run.problem, fields.first()) {
                (Problem::Painted, Some(painted)) => Ground::Painted(painted),
                _ => Ground::Seed(run.seed),
            };
            let solved = solvers.flow.solve(task, &ground, !run.quick, now);
            let (a, u, told) = solved.map_err(|why| named(&why))?;
            Ok(((Some(a), vec![u], Some(Solver::Flow(told))), None))
        }
        Experiment::Sswe => {
            let begun = now();
            let mut water = Water::start(task, run.seed, nudges).map_err(|why| named(&why))?;
            let told = water.told(now() - begun);
            let input = water.frame();
            Ok((
                (Some(input), vec![], Some(Solver::Water(told))),
                Some(water),
            ))
        }
        Experiment::Era5 | Experiment::Arrays | Experiment::KsStep => Err(format!(
            "No case of this grid comes with the page: drop a NumPy file of the shape {:?} on it, and it is forecast.",
            task.input_array()
        )),
    }
}

fn named(why: &str) -> String {
    format!(
        "The truth of this model cannot be solved here: {why}. Drop a NumPy file with an input, and it is forecast."
    )
}

/// A given input: an array of the model's shape, or twice as many times as it sees, of which the second half is the truth.
fn given(task: &Task, shape: &[usize], name: &str, fields: &[Vec<f32>]) -> Result<Parts, String> {
    let wanted = task.input_array();
    let values = fields.first().cloned().unwrap_or_default();
    let count: usize = wanted.iter().product();
    let mut twice = wanted.clone();
    twice[0] *= 2;
    let whole = if shape == wanted {
        count
    } else if shape == twice && task.outputs.len() == task.inputs.len() {
        2 * count
    } else {
        0
    };
    if whole == 0 || values.len() != whole {
        return Err(format!(
            "The file {name} has the shape {shape:?}, but this model takes {wanted:?} (or {twice:?}, with the truth after the input)."
        ));
    }
    // Masked points have no value, whatever the file says.
    let mut input = values;
    let mut rest = input.split_off(count);
    task.blank_input(&mut input);
    task.blank(&mut rest);
    let wanted = (0..count).map(|at| !task.masks_input(at));
    let wanted = wanted.chain((0..rest.len()).map(|at| !task.masks_output(at)));
    let all = input.iter().chain(&rest).zip(wanted).enumerate();
    for (at, (value, is_wanted)) in all {
        if is_wanted && !value.is_finite() {
            return Err(format!(
                "The file {name} has the value {value} at position {at}, but this model takes finite numbers."
            ));
        }
    }
    let scene = crate::field::Scene::new(Experiment::Arrays, task, 1);
    let truth = rest.chunks(scene.shape.values()).map(<[f32]>::to_vec);
    Ok((Some(input), truth.collect(), None))
}
