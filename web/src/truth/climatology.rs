//! Climatology: random states of a problem that is solved here, as an ensemble that knows nothing of the case.
//!
//! The states are the starts of other seeds. They are solved one at a time, and kept for as long as the problem stays.

use pno::noise::case_seed;
use pno::score::persistence::persistence;
use pno::spec::Experiment;
use pno::task::Task;

use super::{Asked, Refine, Solvers};
use crate::experiments::row;

/// How many. The fair estimators do not depend on it, and so many tell the scores to a few per cent.
pub const STATES: usize = 16;
/// Their seeds are of a stream of their own: no visitor comes upon one by counting.
const STREAM: u64 = 0x0c11_5a7e;

/// What is solved, and how many times finer it is shown.
type Of = (Experiment, Task, usize);

/// The states so far.
#[derive(Default)]
pub struct Climatology {
    of: Option<Of>,
    /// `[state, frame, point, channel]`, the same at all frames.
    states: Vec<f32>,
    solved: usize,
}

impl Climatology {
    /// Begins anew if the states are of another problem or another grid.
    pub fn begin(&mut self, of: Of) {
        if self.of.as_ref() != Some(&of) {
            *self = Self {
                of: Some(of),
                ..Self::default()
            };
        }
    }

    /// Solves one state more, by some clock; false if all are there, or none can be had.
    pub fn go_on(&mut self, now: fn() -> f64) -> bool {
        if self.solved == STATES {
            return false;
        }
        let Some(state) = self.next(now) else {
            (self.states, self.solved) = (vec![], STATES);
            return false;
        };
        self.states.extend(state);
        self.solved += 1;
        true
    }

    /// All of them, when they are there.
    pub fn states(&self) -> Option<&[f32]> {
        let whole = self.solved == STATES && !self.states.is_empty();
        whole.then_some(self.states.as_slice())
    }

    fn next(&self, now: fn() -> f64) -> Option<Vec<f32>> {
        let (experiment, task, times) = self.of.as_ref()?;
        let solve = row(*experiment).solve?;
        let asked = Asked {
            task,
            seed: case_seed(STREAM, self.solved as u64),
            nudges: &[],
            painted: None,
            exact: false,
            now,
        };
        let truth = solve(&asked, &mut Solvers::default()).ok()?;
        // None where what comes is of other quantities.
        let state = persistence(task, &truth.input)?;
        Some(match times {
            1 => state,
            times => Refine::new(task.points(), *times).of(&state),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(of: Of) -> Option<Vec<f32>> {
        let mut found = Climatology::default();
        found.begin(of);
        while found.go_on(|| 0.0) {
            assert!(found.solved == STATES || found.states().is_none());
        }
        found.states().map(<[f32]>::to_vec)
    }

    #[test]
    fn states_are_those_of_the_attractor_and_different() {
        let task = Task::ks_step();
        let found = states((Experiment::KsStep, task.clone(), 1)).expect("solved");
        assert_eq!(found.len(), STATES * 256);
        let squares: f64 = found.iter().map(|x| f64::from(x * x)).sum();
        let std = (squares / found.len() as f64).sqrt();
        // That of `pno data generate ks` from time 40 on is 2.71.
        assert!((2.4..3.0).contains(&std), "{std}");
        for pair in found.chunks(256).collect::<Vec<_>>().windows(2) {
            let squares = pair[0].iter().zip(pair[1]).map(|(a, b)| (a - b).powi(2));
            assert!(squares.sum::<f32>() > 256.0, "two of them are alike");
        }
        let finer = states((Experiment::KsStep, task, 2)).expect("solved");
        let coarse: Vec<f32> = finer.iter().copied().step_by(2).collect();
        for (a, b) in coarse.iter().zip(&found) {
            assert!((a - b).abs() < 1e-4, "{a} for {b}");
        }
    }

    #[test]
    fn another_problem_begins_anew_and_some_have_none() {
        let mut found = Climatology::default();
        found.begin((Experiment::KsStep, Task::ks_step(), 1));
        assert!(found.go_on(|| 0.0));
        found.begin((Experiment::KsStep, Task::ks_step(), 1));
        assert_eq!(found.solved, 1);
        found.begin((Experiment::KsStep, Task::ks_step(), 2));
        assert_eq!(found.solved, 0);
        assert_eq!(states((Experiment::Era5, Task::era5(), 1)), None, "files");
        let flow = Task::darcy().on_grid(&[16, 16]);
        assert_eq!(states((Experiment::Darcy, flow, 1)), None, "of u from a");
    }
}
