//! What a run is about: what is solved, how well the network knows it, and on how fine a grid it is drawn.

use std::rc::Rc;

use pno::observation::Observation;
use pno::spec::ModelSpec;
use pno::task::Task;

use super::models::Loaded;
use crate::experiments::row;
use crate::message::{Problem, Run};
use crate::truth::{Refine, task};

/// A grid is at most so many times as fine as the model's.
const TIMES: usize = 2;

/// What a run is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// What is solved.
    pub task: Task,
    /// How well the network knows the input.
    pub observation: Observation,
    /// How many times as fine as that the grid is on which it is drawn.
    pub times: usize,
}

impl Scope {
    /// Of a run whose models are there; `None` without a model.
    pub fn of(run: &Run, sides: &[Rc<Loaded>]) -> Option<Self> {
        let header = |loaded: &Rc<Loaded>| loaded.checkpoint.header.clone();
        let first = header(sides.first()?);
        let observes = |loaded: &Rc<Loaded>| observes(&loaded.checkpoint.header.spec);
        let observation = if sides.iter().any(observes) {
            run.observation
        } else {
            Observation::EXACT
        };
        let solved = !matches!(run.problem, Problem::Given { .. });
        let refines = row(run.experiment).refines
            && first.task.input.len() == 1
            && first.spec.method.takes_functions()
            // What is known of points between others is told by point, and would be something else on another grid.
            && observation.every == 1;
        let times = if run.finer && solved && refines {
            TIMES
        } else {
            1
        };
        Some(Self {
            task: first.task,
            observation,
            times,
        })
    }

    /// Of a run whose model is not there yet. What must be given waits for the model, unless it says itself what it is, and
    /// so does what depends on what the model can be told.
    pub fn guessed(run: &Run) -> Option<Self> {
        let unsolved = row(run.experiment).solve.is_none();
        let waits = unsolved || run.finer || !run.observation.is_exact();
        let task = match &run.problem {
            Problem::Given {
                task: Some(task), ..
            } => Some((**task).clone()),
            Problem::Given { .. } if !run.sides.is_empty() => None,
            _ if waits && !run.sides.is_empty() => None,
            _ => task(run.experiment, &run.grid),
        };
        task.map(|task| Self {
            task,
            observation: Observation::EXACT,
            times: 1,
        })
    }

    /// What is drawn.
    pub fn drawn(&self) -> Task {
        let sizes = self.task.input_shape();
        match self.times {
            1 => self.task.clone(),
            times => {
                let finer: Vec<usize> = sizes.iter().map(|size| size * times).collect();
                self.task.on_grid(&finer)
            }
        }
    }

    /// How fields get to the grid on which they are drawn, where that is another one.
    pub fn refine(&self) -> Option<Refine> {
        (self.times > 1).then(|| Refine::new(self.task.points(), self.times))
    }
}

/// Whether a model makes something of how well its input is known.
fn observes(spec: &ModelSpec) -> bool {
    spec.observed.is_some() || spec.method.perturbs_inputs()
}
