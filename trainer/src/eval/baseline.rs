//! Two forecasts that need no model. A model that does not beat both has learned nothing.

use pno::score::{ScoreSum, score_case};
use pno::task::{Quantity, Task};
use serde::Serialize;

/// Scores of a single field, in network units. With one member the energy score is the L2 error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Baseline {
    /// Norm of the error.
    pub l2: f64,
    /// Energy score.
    pub energy_score: f64,
}

/// Both of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Baselines {
    /// The climatological mean everywhere: 0 in network units.
    pub zero: Baseline,
    /// The last input frame, unchanged for ever; where input and output are the same quantities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistence: Option<Baseline>,
}

/// Running means over cases.
#[derive(Default)]
pub struct Sums {
    zero: ScoreSum,
    persistence: ScoreSum,
}

impl Sums {
    /// Takes in a case, in network units.
    pub fn push(&mut self, task: &Task, input: &[f32], truth: &[f32]) {
        self.zero.push(&score_case(&vec![0.0; truth.len()], truth));
        if let Some(persistence) = persistence(task, input) {
            self.persistence.push(&score_case(&persistence, truth));
        }
    }

    /// The means; `None` before the first case.
    pub fn mean(&self) -> Option<Baselines> {
        let baseline = |sum: &ScoreSum| {
            let scores = sum.mean()?;
            Some(Baseline {
                l2: scores.l2,
                energy_score: scores.energy_score,
            })
        };
        Some(Baselines {
            zero: baseline(&self.zero)?,
            persistence: baseline(&self.persistence),
        })
    }
}

/// The last input frame, once per output frame; the input itself where there is no time. None where the output is of other
/// quantities than the input.
fn persistence(task: &Task, input: &[f32]) -> Option<Vec<f32>> {
    let names = |quantities: &[Quantity]| -> Vec<String> {
        quantities.iter().map(|q| q.name.clone()).collect()
    };
    if names(&task.inputs) != names(&task.outputs) {
        return None;
    }
    if task.input[0].name != "time" {
        return Some(input.to_vec());
    }
    let frame = input.len() / task.input[0].size;
    Some(input[input.len() - frame..].repeat(task.output[0].size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_of_a_small_case_are_the_hand_computed_ones() {
        let mut task = Task::ks();
        for axes in [&mut task.input, &mut task.output] {
            (axes[0].size, axes[1].size) = (3, 2);
        }
        let input = [9.0, 9.0, 9.0, 9.0, 1.0, -1.0];
        let truth = [1.0, -1.0, 1.0, -1.0, 4.0, -4.0];
        assert_eq!(
            persistence(&task, &input),
            Some(vec![1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
        );
        let mut sums = Sums::default();
        assert_eq!(sums.mean(), None);
        sums.push(&task, &input, &truth);
        let mean = sums.mean().expect("one case");
        assert!((mean.zero.l2 - 6.0_f64.sqrt()).abs() < 1e-7, "{mean:?}");
        assert!(
            (mean.persistence.expect("of u from u").l2 - 3.0_f64.sqrt()).abs() < 1e-7,
            "{mean:?}"
        );
        assert_eq!(persistence(&Task::darcy(), &input), None, "of u from a");
        task = Task::sswe();
        assert_eq!(persistence(&task, &input), Some(input.to_vec()));
        assert_eq!(mean.zero.l2, mean.zero.energy_score);
    }
}
