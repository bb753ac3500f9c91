//! Climatology: an ensemble of random states of the training data, which knows nothing of the case at hand.
//!
//! A member is the truth of a training case, or of a trajectory any frame from the first truth on, each as likely as any
//! other. Which ones is a function of seed and case. Where the case is one of training itself it is never drawn.

use anyhow::{Context, Result};
use pno::noise::{case_seed, uniforms};
use rayon::prelude::*;

use crate::data::{Dataset, Split};

/// Stream of the seed that draws the states.
const DRAWS: u64 = u64::MAX - 1;
/// Fewest members: a fair score needs two, and one of few is a matter of luck.
const FEWEST: usize = 10;

/// States of a data set's training cases, read when they are drawn.
pub struct Climatology<'a> {
    dataset: &'a Dataset,
    /// Whether the cases that are forecast are of the same data set.
    is_own: bool,
}

impl<'a> Climatology<'a> {
    /// Of a data set, which may be that of the cases that are forecast. `None` if it has too few training cases.
    pub fn new(dataset: &'a Dataset, is_own: bool) -> Option<Self> {
        let fewest = if is_own { 2 } else { 1 };
        let has_enough = dataset.split(Split::Train).len() >= fewest;
        has_enough.then_some(Self { dataset, is_own })
    }

    /// Members for a case in physical units, `[member, points, channel]`, on the grid of a split: as many as the forecast
    /// has, and at least ten. One state is read at a time.
    pub fn members(&self, seed: u64, case: usize, split: Split, members: u32) -> Result<Vec<f32>> {
        let training = self.dataset.split(Split::Train);
        let draw = Draw {
            cases: training.len(),
            states: self.dataset.states_per_case(),
            left_out: training.iter().position(|&own| self.is_own && own == case),
        };
        let drawn = draw.states(seed, case, FEWEST.max(members as usize));
        let states: Vec<Vec<f32>> = drawn
            .into_par_iter()
            .map(|(place, state)| self.dataset.state(split, training[place], state))
            .collect::<Result<_>>()
            .context("the climatology cannot be read")?;
        Ok(states.concat())
    }
}

/// What can be drawn.
#[derive(Debug, Clone, Copy)]
struct Draw {
    /// Training cases.
    cases: usize,
    /// States of each.
    states: usize,
    /// The case that is not to be drawn.
    left_out: Option<usize>,
}

impl Draw {
    /// Training case and state of each member.
    fn states(self, seed: u64, case: usize, members: usize) -> Vec<(usize, usize)> {
        let cases = self.cases - usize::from(self.left_out.is_some());
        let number = cases * self.states;
        let uniforms = uniforms(case_seed(seed, case as u64), DRAWS, members);
        let drawn = uniforms.into_iter().map(|uniform| {
            let index = ((uniform * number as f64) as usize).min(number - 1);
            let place = index / self.states;
            let is_behind = self.left_out.is_some_and(|left_out| place >= left_out);
            (place + usize::from(is_behind), index % self.states)
        });
        drawn.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_training_is_as_likely_and_the_case_itself_is_never_drawn() {
        let draw = Draw {
            cases: 4,
            states: 5,
            left_out: Some(1),
        };
        let mut counts = [[0.0; 5]; 4];
        let number = 15_000;
        for (case, state) in draw.states(3, 8, number) {
            counts[case][state] += 1.0;
        }
        assert_eq!(counts[1], [0.0; 5], "the case itself");
        // Fourteen degrees of freedom: 0.999 of chi-square is 36.1.
        let expected = number as f64 / 15.0;
        let others = counts.iter().enumerate().filter(|(case, _)| *case != 1);
        let square: f64 = others
            .flat_map(|(_, counts)| counts)
            .map(|count| (count - expected).powi(2) / expected)
            .sum();
        assert!(square < 36.1, "{square}: {counts:?}");
        let all = Draw {
            left_out: None,
            ..draw
        };
        let found = all.states(3, 8, 1000);
        assert!(found.iter().any(|(case, _)| *case == 1));
        assert!(found.iter().any(|(case, _)| *case == 3));
    }

    #[test]
    fn the_same_seed_and_case_draw_the_same_states_and_more_members_are_more_of_them() {
        let draw = Draw {
            cases: 100,
            states: 7,
            left_out: None,
        };
        let first = draw.states(1, 2, 20);
        assert_eq!(draw.states(1, 2, 20), first);
        assert_eq!(draw.states(1, 2, 50)[..20], first);
        assert_ne!(draw.states(1, 3, 20), first);
        assert_ne!(draw.states(2, 2, 20), first);
    }
}
