//! What the worker is asked for.

use pno::task::Task;

use crate::message::{Draw, Run, Solve};

/// One request.
pub enum Job {
    /// An ensemble beside a solved trajectory.
    Show(Run),
    /// An ensemble of a given input.
    Draw(Run, Input),
    /// An equation to solve, with the fields of its problem.
    Solve(Solve, Vec<Vec<f32>>),
}

/// Fields `[points, channel]` in physical units.
pub struct Input {
    /// Points along each axis, outermost first.
    pub grid: Vec<usize>,
    /// The values.
    pub values: Vec<f32>,
}

impl Job {
    /// A run on a given input, which must be the only field beside its message.
    pub fn given(draw: Draw, fields: Vec<Vec<f32>>) -> Result<Self, String> {
        let [values] = <[_; 1]>::try_from(fields).map_err(|fields| {
            let count = fields.len();
            format!("A forecast needs one input beside its request, but {count} came.")
        })?;
        let Draw { run, grid } = draw;
        Ok(Self::Draw(run, Input { grid, values }))
    }
}

impl Job {
    /// Number of the request.
    pub fn id(&self) -> u32 {
        match self {
            Self::Show(run) | Self::Draw(run, _) => run.id,
            Self::Solve(solve, _) => solve.id,
        }
    }
}

impl Input {
    /// Values on a task's own grid.
    pub fn of_task(task: &Task, values: Vec<f32>) -> Self {
        let grid = task.input_shape();
        Self { grid, values }
    }
}
