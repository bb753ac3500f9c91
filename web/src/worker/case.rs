//! The case of a run: what the network sees, and what really happens.

use pno::observation::Observation;
use pno::spec::Experiment;
use pno::task::Task;

use super::post::reply;
use super::scope::Scope;
use super::time::now;
use crate::experiments::row;
use crate::message::{Opening, Problem, Reply, Run};
use crate::truth::{Asked, Refined, Solvers, Trajectory, Truth};

/// A case that was opened.
pub struct Opened {
    /// What it was opened for.
    pub scope: Scope,
    /// Grid, quantities and units.
    pub task: Task,
    /// What the network sees; `None` where it must be given.
    pub input: Option<Vec<f32>>,
    /// What that really is, where it was observed.
    pub exact: Option<Vec<f32>>,
    /// Frames of the truth that are known.
    pub truth: Vec<Vec<f32>>,
    /// The truth of a rollout, at its start.
    pub later: Option<Box<dyn Trajectory>>,
}

/// Solves the case of a run for a task and shows it. If there is no truth, the page is told why.
pub fn open(run: &Run, scope: Scope, fields: &[Vec<f32>], solvers: &mut Solvers) -> Opened {
    let mut opened = Opened {
        task: scope.drawn(),
        input: None,
        exact: None,
        truth: vec![],
        later: None,
        scope,
    };
    let mut solver = None;
    let found = match &run.problem {
        Problem::Given { shape, name, .. } => {
            given(&opened.task, shape, name, fields).map(|(input, truth)| {
                (opened.input, opened.truth) = (Some(input), truth);
            })
        }
        _ => solve(run, &opened.scope.task, fields, solvers).map(|truth| {
            (opened.input, opened.truth) = (Some(truth.input), truth.frames);
            (opened.later, solver) = (truth.later, Some(truth.solver));
        }),
    };
    if let Err(why) = found {
        reply(&Reply::NoTruth(run.id, why), &[]);
    }
    opened.observe(run.seed);
    opened.refine();
    let opening = Opening {
        experiment: run.experiment,
        task: called(opened.task.clone(), &run.problem),
        steps: run.steps,
        continued: false,
        solver,
        observation: match opened.exact {
            Some(_) => opened.scope.observation,
            None => Observation::EXACT,
        },
    };
    let shown = opened
        .input
        .iter()
        .chain(&opened.exact)
        .chain(&opened.truth);
    let shown: Vec<&[f32]> = shown.map(Vec::as_slice).collect();
    reply(&Reply::Truth(run.id, Box::new(opening)), &shown);
    opened
}

impl Opened {
    /// Leaves to the network what is observed of the input: that of the seed, as in the program.
    fn observe(&mut self, seed: u64) {
        let Scope {
            task, observation, ..
        } = &self.scope;
        if observation.is_exact() {
            return;
        }
        self.exact = self.input.take();
        let seen = |exact: &Vec<f32>| observation.of(task, exact, seed);
        self.input = self.exact.as_ref().map(seen);
    }

    /// Takes everything to the grid on which it is drawn.
    fn refine(&mut self) {
        let Some(refine) = self.scope.refine() else {
            return;
        };
        let fields = self.input.iter_mut().chain(&mut self.exact);
        for field in fields.chain(&mut self.truth) {
            *field = refine.of(field);
        }
        let later = self.later.take();
        self.later = later.map(|inner| Box::new(Refined { inner, refine }) as Box<dyn Trajectory>);
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

/// Solves the case of a run; if that cannot be done, why.
fn solve(
    run: &Run,
    task: &Task,
    fields: &[Vec<f32>],
    solvers: &mut Solvers,
) -> Result<Truth, String> {
    let Some(solve) = row(run.experiment).solve else {
        return Err(format!(
            "No case of this grid comes with the page: drop a NumPy file of the shape {:?} on it, and it is forecast.",
            task.input_array()
        ));
    };
    let (nudges, painted) = match &run.problem {
        Problem::Seed(nudges) => (nudges.as_slice(), None),
        _ => (&[][..], fields.first().map(Vec::as_slice)),
    };
    let asked = Asked {
        task,
        seed: run.seed,
        nudges,
        painted,
        exact: !run.quick,
        now,
    };
    solve(&asked, solvers).map_err(|why| named(&why))
}

fn named(why: &str) -> String {
    format!(
        "The truth of this model cannot be solved here: {why}. Drop a NumPy file with an input, and it is forecast."
    )
}

/// A given input: an array of the model's shape, or twice as many times as it sees, of which the second half is the truth.
fn given(
    task: &Task,
    shape: &[usize],
    name: &str,
    fields: &[Vec<f32>],
) -> Result<(Vec<f32>, Vec<Vec<f32>>), String> {
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
    Ok((input, truth.collect()))
}
