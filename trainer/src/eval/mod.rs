//! Scores of a model on a data set, next to forecasts that need no model.

mod baseline;
mod by;
mod climatology;
mod columns;
mod ensemble;
mod evaluation;
mod fit;
mod lead;
mod lead_table;
pub mod result;
mod table;

use std::ops::RangeInclusive;

use anyhow::{Context, Result, bail};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::observation::Observation;
use pno::score::{Event, MeanMaps, Measure, Options, Scores, Verification};

pub use self::baseline::Baselines;
pub use self::by::By;
pub use self::climatology::Climatology;
pub use self::ensemble::{Horizon, draw, draw_steps, members_of};
pub use self::evaluation::Evaluation;
pub use self::fit::same_task;
pub use self::lead::{Lead, LeadTimes};
pub use self::lead_table::{head, lead_table};
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

/// What scores by lead time are made with.
#[derive(Default)]
pub struct ByLead<'a> {
    /// Random states of the training data, as a forecast to compare with.
    pub climatology: Option<Climatology<'a>>,
    /// Where spectra are compared, if not at every wavenumber that the truth resolves.
    pub wavenumbers: Option<RangeInclusive<usize>>,
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
    /// Scores at each lead time, beside those of the forecasts without a model; empty where there is no time.
    pub leads: Vec<Lead>,
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
        self.run_by_lead(&ByLead::default(), progress)
    }

    /// The same, beside the climatology.
    pub fn run_by_lead(&self, by_lead: &ByLead, progress: impl Fn(usize)) -> Result<Outcome> {
        self.check()?;
        let times = LeadTimes::of(self.forecaster.task(), self.dataset, self.horizon.steps)?;
        let task = self.forecaster.task();
        let normalised = |fields: &[f32]| task.network_output(fields);
        let measure = Measure::of(task);
        let several = self.horizon.steps > 1;
        let options = Options {
            events: self.events(),
            seed: self.seed,
            lead_spectra: times.is_some() && !several,
            ..Options::default()
        };
        // The last step is scored with everything, the ones before it without events.
        let mut steps: Vec<Verification> = (1..self.horizon.steps)
            .map(|_| {
                let options = Options {
                    seed: self.seed,
                    spectra: false,
                    maps: false,
                    ..Options::default()
                };
                Verification::new(measure.clone(), options)
            })
            .collect();
        let mut model = Verification::new(measure.clone(), options);
        let mut trajectory = several.then(|| {
            let options = Options {
                pairs: true,
                maps: false,
                lead_spectra: times.is_some(),
                ..Options::pointwise()
            };
            Verification::new(measure.clone().over_steps(self.horizon.steps), options)
        });
        let mut baselines = baseline::Sums::new(measure);
        for (done, &index) in self.cases.iter().enumerate() {
            if interrupt::requested() {
                bail!(Interrupted(format!(
                    "after {done} of {} cases; nothing was written",
                    self.cases.len()
                )));
            }
            let (input, truths) = self.dataset.forecast(index, self.horizon.steps)?;
            let truths: Vec<Vec<f32>> = truths.iter().map(|truth| normalised(truth)).collect();
            let seed = case_seed(self.seed, index as u64);
            let input = self.observation().of(task, &input, seed);
            let members = draw_steps(self.forecaster, &input, seed, self.members, self.horizon)?;
            let members: Vec<Vec<f32>> = members.iter().map(|step| normalised(step)).collect();
            for (earlier, (members, truth)) in steps.iter_mut().zip(members.iter().zip(&truths)) {
                earlier.push(members, truth)?;
            }
            if let Some((members, truth)) = members.last().zip(truths.last()) {
                model.push(members, truth)?;
            }
            if let Some(trajectory) = &mut trajectory {
                trajectory.push(&by_member(&members, task.output_values()), &truths.concat())?;
            }
            drop(members);
            let states = self.states(by_lead.climatology.as_ref(), index)?;
            let states = states.map(|states| normalised(&states));
            baselines.push(task, &normalised(&input), states, &truths)?;
            progress(done + 1);
        }
        if self.cases.is_empty() {
            bail!(
                "{}: there is no case to score",
                self.dataset.path().display()
            );
        }
        let spectra = trajectory.as_ref().unwrap_or(&model).lead_spectra();
        let (mut report, maps) = model.finish();
        // An event is named by its threshold in the quantity's own unit.
        for (found, &threshold) in report.events.iter_mut().zip(self.thresholds) {
            found.event.threshold = threshold;
        }
        let mut steps: Vec<_> = steps.into_iter().map(|s| s.finish().0).collect();
        if !steps.is_empty() {
            steps.push(report.clone());
        }
        let baselines = baselines.finish();
        let leads = times.map_or_else(Vec::new, |times| {
            let reports = if several {
                &steps
            } else {
                std::slice::from_ref(&report)
            };
            let wavenumbers = by_lead.wavenumbers.as_ref();
            lead::leads(&times, reports, &spectra, &baselines, wavenumbers)
        });
        Ok(Outcome {
            report,
            maps,
            steps,
            trajectory: trajectory.map(|all| all.finish().0),
            baselines,
            leads,
        })
    }

    /// Members of the climatology for a case, in physical units.
    fn states(&self, climatology: Option<&Climatology>, case: usize) -> Result<Option<Vec<f32>>> {
        let split = self.dataset.split_of(case);
        let both = climatology.zip(split);
        both.map(|(states, split)| states.members(self.seed, case, split, self.members))
            .transpose()
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
