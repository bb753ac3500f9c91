//! Waves of the Kuramoto-Sivashinsky equation, step by step.
//!
//! A case begins where the input of a case of windows ends, so that both see the same waves of a seed.

use pno::pde::ks::{
    DEFAULT_DT, FRAME_STEP, LENGTH, LIVE_TRAJECTORY, Solver, WINDOW, initial_condition,
};
use pno::task::Task;

use super::{Asked, Solvers, Trajectory, Truth, quantities};
use crate::message;
use crate::nudge::Nudge;

/// Most cells.
const MOST_CELLS: usize = 1024;
/// The last frame of the published input.
const START: f64 = (WINDOW - 1) as f64 * FRAME_STEP;

/// The start of a case, and the steps after it.
pub fn waves(asked: &Asked, _: &mut Solvers) -> Result<Truth, String> {
    let begun = (asked.now)();
    let mut waves = Waves::start(asked.task, asked.seed, asked.nudges)?;
    Ok(Truth {
        input: waves.frame(),
        frames: vec![],
        solver: waves.told((asked.now)() - begun),
        later: Some(Box::new(waves)),
    })
}

/// A trajectory at its current step.
pub struct Waves {
    solver: Solver,
    field: Vec<f64>,
}

impl Waves {
    /// The start of a seed on the task's cells; if the task cannot be solved, why.
    pub fn start(task: &Task, seed: u64, nudges: &[Nudge]) -> Result<Self, String> {
        quantities(task, 1, 1)?;
        let [space] = task.input.as_slice() else {
            return Err(format!(
                "it has {} axes, and steps of a line can be solved",
                task.input.len()
            ));
        };
        let (cells, length) = (space.size, space.step * space.size as f64);
        let fits = (length - LENGTH).abs() < 1e-6 * LENGTH
            && (8..=MOST_CELLS).contains(&cells)
            && cells.is_multiple_of(2);
        if !fits {
            return Err(format!(
                "it has {cells} cells on a length of {length}, and up to {MOST_CELLS} cells on {LENGTH} can be solved"
            ));
        }
        let noise = initial_condition(seed, LIVE_TRAJECTORY, cells);
        let mut solver = Solver::new(cells, LENGTH, DEFAULT_DT);
        let start = solver.trajectory_from(&noise, START, 1, FRAME_STEP);
        let scale = task.inputs[0].normalisation.std;
        let bumped = |(cell, value): (usize, f32)| {
            let share = cell as f64 / cells as f64;
            let bump: f64 = nudges.iter().map(|nudge| nudge.on_line(share)).sum();
            f64::from(value) + scale * bump
        };
        Ok(Self {
            field: start.into_iter().enumerate().map(bumped).collect(),
            solver,
        })
    }
}

impl Trajectory for Waves {
    /// `[x]`.
    fn frame(&mut self) -> Vec<f32> {
        self.field.iter().map(|&value| value as f32).collect()
    }

    /// Integrates one step.
    fn advance(&mut self) {
        self.solver.advance(&mut self.field, FRAME_STEP);
    }

    fn told(&mut self, milliseconds: f64) -> message::Solver {
        message::Solver::Waves(milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Place;
    use pno::pde::ks::CELLS;

    #[test]
    fn steps_go_on_from_the_last_frame_of_a_window() {
        let mut waves = Waves::start(&Task::ks_step(), 7, &[]).expect("solvable");
        let noise = initial_condition(7, LIVE_TRAJECTORY, CELLS);
        let wanted = Solver::default_plan().trajectory(&noise, WINDOW + 5, FRAME_STEP);
        let frames: Vec<&[f32]> = wanted.chunks_exact(CELLS).skip(WINDOW - 1).collect();
        assert_eq!(waves.frame(), frames[0]);
        for frame in &frames[1..] {
            waves.advance();
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
            assert!(waves.frame().iter().zip(*frame).all(close));
        }
    }

    #[test]
    fn a_nudge_lifts_the_start_where_it_is() {
        let lifted = |amount| {
            let nudge = Nudge::at(Place::MIDDLE, amount);
            let mut waves = Waves::start(&Task::ks_step(), 7, &[nudge]).expect("solvable");
            waves.frame()
        };
        let (plain, nudged) = (lifted(0.0), lifted(1.0));
        let there = nudged[CELLS / 2] - plain[CELLS / 2];
        assert!((there - 2.6431).abs() < 1e-3, "{there}");
        assert_eq!(plain[0], nudged[0], "and nowhere else");
    }

    #[test]
    fn other_tasks_have_their_sentence() {
        let why = |task: &Task| Waves::start(task, 1, &[]).map(|_| ()).expect_err("refused");
        assert!(Waves::start(&Task::ks_step().on_grid(&[512]), 1, &[]).is_ok());
        assert!(why(&Task::ks_step().on_grid(&[2048])).contains("2048 cells"));
        assert!(why(&Task::ks()).contains("2 axes"));
        assert!(why(&Task::sswe()).contains("maps 3 to 3"));
    }
}
