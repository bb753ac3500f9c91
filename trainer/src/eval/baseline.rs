//! Two forecasts that need no model. A model that does not beat both has learned nothing.

use pno::score::{CaseError, Measure, Options, Report, Verification};
use pno::task::{Quantity, Task};

/// Scores of both, in network units. With one member the energy score is the L2 error and the CRPS the mean absolute one.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// The climatological mean everywhere: 0 in network units.
    pub zero: Report,
    /// The last input frame, unchanged for ever; where input and output are the same quantities.
    pub persistence: Option<Report>,
}

impl Baselines {
    /// Those that there are, with their names.
    pub fn named(&self) -> Vec<(&'static str, &Report)> {
        let persistence = self
            .persistence
            .as_ref()
            .map(|report| ("persistence", report));
        std::iter::once(("zero", &self.zero))
            .chain(persistence)
            .collect()
    }
}

/// Running means over cases.
pub struct Sums {
    zero: Verification,
    persistence: Verification,
}

impl Sums {
    /// No case yet.
    pub fn new(measure: &Measure) -> Self {
        let sum = || {
            let options = Options {
                pairs: true,
                ..Options::pointwise()
            };
            Verification::new(measure.clone(), options)
        };
        Self {
            zero: sum(),
            persistence: sum(),
        }
    }

    /// Takes in a case, in network units.
    pub fn push(&mut self, task: &Task, input: &[f32], truth: &[f32]) -> Result<(), CaseError> {
        self.zero.push(&vec![0.0; truth.len()], truth)?;
        if let Some(persistence) = persistence(task, input) {
            self.persistence.push(&persistence, truth)?;
        }
        Ok(())
    }

    /// The means.
    pub fn finish(self) -> Baselines {
        let persistence = (self.persistence.cases() > 0).then(|| self.persistence.finish().0);
        Baselines {
            zero: self.zero.finish().0,
            persistence,
        }
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
        let mut sums = Sums::new(&Measure::of(&task));
        sums.push(&task, &input, &truth).expect("fits");
        let found = sums.finish();
        let zero = found.zero.scores;
        assert!((zero.l2 - 6.0_f64.sqrt()).abs() < 1e-7, "{zero:?}");
        assert!((zero.crps - 2.0).abs() < 1e-7, "{zero:?}");
        assert_eq!(Some(zero.l2), zero.energy_score);
        let persistence_scores = found.persistence.expect("of u from u").scores;
        assert!((persistence_scores.l2 - 3.0_f64.sqrt()).abs() < 1e-7);
        assert_eq!(persistence(&Task::darcy(), &input), None, "of u from a");
        task = Task::sswe();
        assert_eq!(persistence(&task, &input), Some(input.to_vec()));
    }
}
