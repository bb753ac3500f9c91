//! What really happens, solved here: for the grid, the times and the quantities of a model's task.

mod flow;
mod water;
mod waves;

pub use flow::{Flow, Ground};
pub use water::Water;
pub use waves::waves;

use pno::spec::Experiment;
use pno::task::Task;

use crate::describe::times;

/// The task that is solved where there is no model: the published one, on the grid that the visitor chose.
pub fn task(experiment: Experiment, grid: &[usize]) -> Option<Task> {
    let task = Task::published(experiment)?;
    if grid.len() != task.input.len() {
        return Some(task);
    }
    let mut task = task.on_grid(grid);
    if experiment == Experiment::Darcy {
        // All cells of the grid, not every second one.
        for axis in task.input.iter_mut().chain(&mut task.output) {
            axis.start = 0.5 * axis.step;
        }
    }
    Some(task)
}

/// Whether a task has the quantities of an experiment, by their number.
fn quantities(task: &Task, inputs: usize, outputs: usize) -> Result<(), String> {
    let found = (task.inputs.len(), task.outputs.len());
    if found == (inputs, outputs) {
        return Ok(());
    }
    Err(format!(
        "it maps {} to {} quantities on {} points, and {inputs} to {outputs} can be solved",
        found.0,
        found.1,
        times(&task.input_shape()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_grid_is_covered_cell_by_cell() {
        let task = task(Experiment::Darcy, &[128, 128]).expect("published");
        assert_eq!(task.input[0].start, 0.5 / 128.0);
        assert_eq!(task.input[0].step, 1.0 / 128.0);
        assert_eq!(super::task(Experiment::Arrays, &[4]), None);
        let waves = super::task(Experiment::Ks, &[]).expect("published");
        assert_eq!(waves.input_shape(), [20, 256]);
    }
}
