//! What the worker is asked for: a run, and what its members are drawn from.

use pno::task::Task;

use crate::message::{Draw, Run};

/// One ensemble to draw.
pub struct Job {
    /// Which model, and how many members where.
    pub run: Run,
    /// The given input; `None` where a trajectory of the page's own equation is solved instead.
    pub input: Option<Input>,
}

/// Fields `[points, channel]` in physical units.
pub struct Input {
    /// Points along each axis, outermost first.
    pub grid: Vec<usize>,
    /// The values.
    pub values: Vec<f32>,
}

impl Job {
    /// A run on a solved trajectory.
    pub fn solved(run: Run) -> Self {
        Self { run, input: None }
    }

    /// A run on a given input, which must be the only field beside its message.
    pub fn given(draw: Draw, fields: Vec<Vec<f32>>) -> Result<Self, String> {
        let [values] = <[_; 1]>::try_from(fields).map_err(|fields| {
            let count = fields.len();
            format!("A forecast needs one input beside its request, but {count} came.")
        })?;
        let Draw { run, grid } = draw;
        let input = Some(Input { grid, values });
        Ok(Self { run, input })
    }
}

impl Input {
    /// Values on a task's own grid.
    pub fn of_task(task: &Task, values: Vec<f32>) -> Self {
        let grid = task.input_shape();
        Self { grid, values }
    }
}
