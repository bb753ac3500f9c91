//! Scores of a model on a data set, next to two forecasts that need no model.

mod baseline;
mod by;
mod ensemble;
mod evaluation;
mod fit;
pub mod result;
mod table;

use anyhow::{Context, Result, bail};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::observation::Observation;
use pno::score::{Event, MeanMaps, Measure, Options, Scores, Verification};

pub use self::baseline::Baselines;
pub use self::by::By;
pub use self::ensemble::{Horizon, draw, draw_steps, members_of};
pub use self::evaluation::Evaluation;
pub use self::fit::same_task;
pub use self::table::{events, scores_table, table};
use crate::data::Dataset;
use crate::interrupt::{self, Interrupted};

/// What to score.
pub struct Plan<'a> {
    /// The model.
    pub forecaster: &'a Forecaster,
    /// The data.
    pub dataset: &'a Dataset,
    /// Which of its cases.
    pub cases: &'a [usize],
    /// Members per case.
    pub members: u32,
    /// Mixed with the number of the case, so that every case has its own members.
    pub seed: u64,
    /// After how many steps, and what they carry on.
    pub horizon: Horizon,
    /// Thresholds of the first quantity, in its own unit, whose exceedance is scored as an event.
    pub thresholds: &'a [f32],
}

/// What came out, in network units.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Everything about the model.
    pub report: pno::score::Report,
    /// Scores of every point, averaged over cases.
    pub maps: MeanMaps,
    /// Scores of the forecasts without a model, on the same cases.
    pub baselines: Baselines,
    /// Everything about the model after each step, the last included; empty for a forecast of one step.
    pub steps: Vec<pno::score::Report>,
    /// The model over all steps as one field, time outermost: what one forecast of as many frames would be scored as.
    pub trajectory: Option<pno::score::Report>,
}

impl Outcome {
    /// The scores that a checkpoint holds.
    pub fn scores(&self) -> Scores {
        let numbers = &self.report.scores;
        numbers.scores(self.report.members, self.report.cases as usize)
    }
}

impl Plan<'_> {
    /// Scores case by case; memory does not grow with the number of cases. `progress` hears of every finished case.
    pub fn run(&self, progress: impl Fn(usize)) -> Result<Outcome> {
        self.check()?;
        let task = self.forecaster.task();
        let normalised = |fields: &[f32]| task.network_output(fields);
        let measure = Measure::of(task);
        let options = Options {
            events: self.events(),
            seed: self.seed,
            ..Options::default()
        };
        // The last step is scored with everything, the ones before it without events.
        let mut steps: Vec<Verification> = (1..self.horizon.steps)
            .map(|_| {
                let options = Options {
                    seed: self.seed,
                    ..Options::default()
                };
                Verification::new(measure.clone(), options)
            })
            .collect();
        let mut model = Verification::new(measure.clone(), options);
        let several = self.horizon.steps > 1;
        let mut trajectory = several.then(|| {
            let options = Options {
                pairs: true,
                ..Options::pointwise()
            };
            Verification::new(measure.clone().over_steps(self.horizon.steps), options)
        });
        let mut baselines = baseline::Sums::new(&measure);
        for (done, &index) in self.cases.iter().enumerate() {
            if interrupt::requested() {
                bail!(Interrupted(format!(
                    "after {done} of {} cases; nothing was written",
                    self.cases.len()
                )));
            }
            let case = self.dataset.case_after(index, self.horizon.steps)?;
            let seed = case_seed(self.seed, index as u64);
            let input = self.observation().of(task, &case.input, seed);
            let members = draw_steps(self.forecaster, &input, seed, self.members, self.horizon)?;
            let members: Vec<Vec<f32>> = members.iter().map(|step| normalised(step)).collect();
            let mut truths = vec![];
            for (step, (earlier, members)) in (1..).zip(steps.iter_mut().zip(&members)) {
                let truth = normalised(&self.dataset.case_after(index, step)?.truth);
                earlier.push(members, &truth)?;
                truths.extend(truth);
            }
            let truth = normalised(&case.truth);
            truths.extend_from_slice(&truth);
            if let Some(members) = members.last() {
                model.push(members, &truth)?;
            }
            if let Some(trajectory) = &mut trajectory {
                trajectory.push(&by_member(&members, truth.len()), &truths)?;
            }
            baselines.push(task, &normalised(&input), &truth)?;
            progress(done + 1);
        }
        if self.cases.is_empty() {
            bail!(
                "{}: there is no case to score",
                self.dataset.path().display()
            );
        }
        let (mut report, maps) = model.finish();
        // An event is named by its threshold in the quantity's own unit.
        for (found, &threshold) in report.events.iter_mut().zip(self.thresholds) {
            found.event.threshold = threshold;
        }
        let mut steps: Vec<_> = steps.into_iter().map(|s| s.finish().0).collect();
        if !steps.is_empty() {
            steps.push(report.clone());
        }
        Ok(Outcome {
            report,
            maps,
            steps,
            trajectory: trajectory.map(|all| all.finish().0),
            baselines: baselines.finish(),
        })
    }

    /// How well the inputs are known.
    pub fn observation(&self) -> Observation {
        self.forecaster.observation()
    }

    /// The thresholds as events in network units.
    fn events(&self) -> Vec<Event> {
        let scale = self.forecaster.task().quantity().normalisation;
        let event = |&threshold: &f32| Event {
            threshold: scale.normalise(threshold),
            channel: Some(0),
        };
        self.thresholds.iter().map(event).collect()
    }

    fn check(&self) -> Result<()> {
        self.dataset.check_steps(self.horizon.steps)?;
        let place = self.dataset.path().display();
        for &case in self.cases {
            let split = self.dataset.split_of(case);
            let found = split.map(|split| self.dataset.task_of(split));
            let found = found.with_context(|| format!("{place}: there is no case {case}"))?;
            same_task(self.forecaster.task(), &found).with_context(|| place.to_string())?;
        }
        Ok(())
    }
}

/// Members of every step, `[step][member, values]`, as trajectories, `[member, step, values]`.
fn by_member(steps: &[Vec<f32>], values: usize) -> Vec<f32> {
    let members = steps.first().map_or(0, |step| step.len() / values);
    let of_member = |member: usize| {
        let fields = steps.iter();
        fields.flat_map(move |step| &step[member * values..(member + 1) * values])
    };
    (0..members).flat_map(of_member).copied().collect()
}
