//! Scores of a model on a data set, next to two forecasts that need no model.

mod baseline;
mod ensemble;
mod fit;
mod report;
mod table;

use anyhow::{Context, Result, bail};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::score::{ScoreSum, Scores, score_case};

pub use self::baseline::Baselines;
pub use self::ensemble::draw;
pub use self::fit::same_task;
pub use self::report::Report;
pub use self::table::table;
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
}

/// What came out, in network units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Scores of the model.
    pub scores: Scores,
    /// Scores of the forecasts without a model, on the same cases.
    pub baselines: Baselines,
}

impl Plan<'_> {
    /// Scores case by case; memory does not grow with the number of cases. `progress` hears of every finished case.
    pub fn run(&self, progress: impl Fn(usize)) -> Result<Outcome> {
        self.check()?;
        let task = self.forecaster.task();
        let normalised = |fields: &[f32]| task.network_output(fields);
        let mut model = ScoreSum::new();
        let mut baselines = baseline::Sums::default();
        for (done, &index) in self.cases.iter().enumerate() {
            if interrupt::requested() {
                bail!(Interrupted(format!(
                    "after {done} of {} cases; nothing was written",
                    self.cases.len()
                )));
            }
            let case = self.dataset.case(index)?;
            let members = draw(
                self.forecaster,
                &case.input,
                case_seed(self.seed, index as u64),
                self.members,
            )?;
            let truth = normalised(&case.truth);
            model.push(&score_case(&normalised(&members), &truth));
            baselines.push(task, &normalised(&case.input), &truth);
            progress(done + 1);
        }
        match (model.mean(), baselines.mean()) {
            (Some(scores), Some(baselines)) => Ok(Outcome { scores, baselines }),
            _ => bail!(
                "{}: there is no case to score",
                self.dataset.path().display()
            ),
        }
    }

    fn check(&self) -> Result<()> {
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
