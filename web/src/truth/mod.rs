//! What really happens, solved here: for the grid, the times and the quantities of a model's task.

mod climatology;
mod flow;
mod refined;
mod water;
mod waves;
mod windows;

pub use climatology::{Climatology, STATES};
pub use flow::{Flow, Ground, flow};
pub use refined::{Refine, Refined};
pub use water::{Water, water};
pub use waves::{Waves, waves};
pub use windows::windows;

use pno::spec::Experiment;
use pno::task::Task;

use crate::describe::times;
use crate::experiments::{Grid, row};
use crate::message::Solver;
use crate::nudge::Nudge;

/// Solves a case; if that cannot be done, why.
pub type Solve = fn(&Asked, &mut Solvers) -> Result<Truth, String>;

/// A case to solve.
pub struct Asked<'a> {
    /// Grid, times and quantities.
    pub task: &'a Task,
    /// Of its start.
    pub seed: u64,
    /// Bumps on the start.
    pub nudges: &'a [Nudge],
    /// A permeability by cell in place of the seed's.
    pub painted: Option<&'a [f32]>,
    /// Whether a picture's exactness is not enough.
    pub exact: bool,
    /// Milliseconds on some clock.
    pub now: fn() -> f64,
}

/// What is kept from one case to the next: plans, and the last pressure to start from.
#[derive(Default)]
pub struct Solvers {
    flow: Flow,
}

/// A case that was solved.
pub struct Truth {
    /// What the network sees, `[frame, point, channel]`.
    pub input: Vec<f32>,
    /// What comes of it, as far as it is known already.
    pub frames: Vec<Vec<f32>>,
    /// How it was found.
    pub solver: Solver,
    /// What goes on from the input, frame by frame.
    pub later: Option<Box<dyn Trajectory>>,
}

/// A truth that goes on for as long as one likes.
pub trait Trajectory {
    /// The current frame `[point, channel]`.
    fn frame(&mut self) -> Vec<f32>;

    /// Goes on to the next frame.
    fn advance(&mut self);

    /// What there is to tell about the current frame, which took so many milliseconds.
    fn told(&mut self, milliseconds: f64) -> Solver;
}

/// The task that is solved where there is no model: the published one, on the grid that the visitor chose.
pub fn task(experiment: Experiment, grid: &[usize]) -> Option<Task> {
    let own = || row(experiment).task.map(|task| task());
    let task = Task::published(experiment).or_else(own)?;
    if grid.len() != task.input.len() {
        return Some(task);
    }
    let mut task = task.on_grid(grid);
    if row(experiment).grid == Grid::Square {
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
        let steps = super::task(Experiment::KsStep, &[]).expect("its own");
        assert_eq!(steps.input_shape(), [256]);
    }
}
