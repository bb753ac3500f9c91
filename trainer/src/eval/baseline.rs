//! Forecasts that need no model. A model that does not beat them at every lead time has learned little.
//!
//! | name | forecast |
//! |---|---|
//! | `zero` | the mean of the data everywhere: 0 in network units |
//! | `climatology` | random states of the training data, as an ensemble ([`Climatology`](super::Climatology)) |
//! | `persistence` | the last input frame for ever, as it was observed |
//! | `same_hour` | the last input frame of the same hour of the day |

use anyhow::Result;
use pno::score::{Measure, Numbers, Options, Report, Verification};
use pno::task::Task;

use pno::score::persistence::{persistence, same_hour};

/// Scores of the forecasts that there are, in network units. With one member the energy score is the L2 error and the CRPS
/// the mean absolute one.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines(Vec<(&'static str, Vec<Report>)>);

impl Baselines {
    /// Those that there are, with their names, after the last step.
    pub fn named(&self) -> Vec<(&'static str, &Report)> {
        let all = self.0.iter();
        all.filter_map(|(name, steps)| Some((*name, steps.last()?)))
            .collect()
    }

    /// Names and scores at a lead time.
    pub fn at_lead(&self, lead: usize) -> Vec<(&'static str, Numbers)> {
        let all = self.0.iter();
        all.filter_map(|(name, steps)| Some((*name, *by_lead(steps).get(lead)?)))
            .collect()
    }
}

/// The scores of each lead time, from a report of each step, or of the one step that has an axis of time.
pub fn by_lead(steps: &[Report]) -> Vec<Numbers> {
    match steps {
        [one] if !one.leads.is_empty() => one.leads.clone(),
        _ => steps.iter().map(|report| report.scores).collect(),
    }
}

/// Running means over cases.
pub struct Sums {
    measure: Measure,
    all: Vec<(&'static str, Vec<Verification>)>,
}

impl Sums {
    /// No case yet.
    pub fn new(measure: Measure) -> Self {
        Self {
            measure,
            all: vec![],
        }
    }

    /// Takes in a case in network units: its input as it was observed, members of the climatology where there is one, and the
    /// truth of every step.
    pub fn push(
        &mut self,
        task: &Task,
        input: &[f32],
        climatology: Option<Vec<f32>>,
        truths: &[Vec<f32>],
    ) -> Result<()> {
        let zero = truths.first().map(|truth| vec![0.0; truth.len()]);
        let forecasts = [
            ("zero", zero),
            ("climatology", climatology),
            ("persistence", persistence(task, input)),
            ("same_hour", same_hour(task, input)),
        ];
        for (name, forecast) in forecasts {
            let Some(forecast) = forecast else { continue };
            for (sum, truth) in self.of(name, truths.len()).iter_mut().zip(truths) {
                sum.push(&forecast, truth)?;
            }
        }
        Ok(())
    }

    fn of(&mut self, name: &'static str, steps: usize) -> &mut [Verification] {
        let place = self.all.iter().position(|(known, _)| *known == name);
        let place = place.unwrap_or_else(|| {
            let options = || Options {
                pairs: true,
                maps: false,
                ..Options::pointwise()
            };
            let sum = |_| Verification::new(self.measure.clone(), options());
            self.all.push((name, (0..steps).map(sum).collect()));
            self.all.len() - 1
        });
        &mut self.all[place].1
    }

    /// The means.
    pub fn finish(self) -> Baselines {
        let finished = |(name, steps): (&'static str, Vec<Verification>)| {
            let reports = steps.into_iter().map(|sum| sum.finish().0);
            (name, reports.collect())
        };
        Baselines(self.all.into_iter().map(finished).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(found: &'a Baselines, name: &str) -> &'a Numbers {
        let found = found.named().into_iter().find(|(known, _)| *known == name);
        &found.expect("a baseline").1.scores
    }

    #[test]
    fn baselines_of_a_small_case_are_the_hand_computed_ones() {
        let mut task = Task::ks();
        for axes in [&mut task.input, &mut task.output] {
            (axes[0].size, axes[1].size) = (3, 2);
        }
        let input = [9.0, 9.0, 9.0, 9.0, 1.0, -1.0];
        let truth = vec![1.0, -1.0, 1.0, -1.0, 4.0, -4.0];
        let mut sums = Sums::new(Measure::of(&task));
        // Two members at ±2: a distance of 4 everywhere, so the fair CRPS of the truth y is max(2, |y|) - 2.
        let climatology = [[2.0; 6], [-2.0; 6]].concat();
        sums.push(&task, &input, Some(climatology), &[truth])
            .expect("fits");
        let found = sums.finish();
        let zero = of(&found, "zero");
        assert!((zero.l2 - 6.0_f64.sqrt()).abs() < 1e-7, "{zero:?}");
        assert!((zero.crps - 2.0).abs() < 1e-7, "{zero:?}");
        assert_eq!(Some(zero.l2), zero.energy_score);
        let persistence = of(&found, "persistence");
        assert!((persistence.l2 - 3.0_f64.sqrt()).abs() < 1e-7);
        // Four of six points have 0, two have 4 - 2.
        assert!((of(&found, "climatology").crps - 2.0 / 3.0).abs() < 1e-7);
        let last = found.at_lead(2);
        let crps: Vec<_> = last.iter().map(|(name, n)| (*name, n.crps)).collect();
        let wanted = [("zero", 4.0), ("climatology", 2.0), ("persistence", 3.0)];
        for ((name, crps), (wanted, value)) in crps.into_iter().zip(wanted) {
            assert!(
                name == wanted && (crps - value).abs() < 1e-7,
                "{name} {crps}"
            );
        }
        assert!(found.at_lead(3).is_empty());
    }

    #[test]
    fn each_step_has_scores_of_its_own_against_the_state_that_stays() {
        let task = Task::ks_step().on_grid(&[2]);
        let mut sums = Sums::new(Measure::of(&task));
        let truths = [vec![1.0, 1.0], vec![2.0, 2.0], vec![4.0, 4.0]];
        sums.push(&task, &[1.0, 1.0], None, &truths).expect("fits");
        let found = sums.finish();
        for (lead, (zero, persistence)) in
            [(1.0, 0.0), (2.0, 1.0), (4.0, 3.0)].into_iter().enumerate()
        {
            let here = found.at_lead(lead);
            assert_eq!(here.len(), 2);
            assert_eq!((here[0].1.crps, here[1].1.crps), (zero, persistence));
        }
        assert_eq!(of(&found, "persistence").crps, 3.0, "the last step");
    }
}
