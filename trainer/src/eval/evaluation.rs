//! An evaluation with all that is known of it, and what it leaves behind.

use std::path::Path;

use anyhow::Result;
use pno::noise::case_seed;
use pno::score::{ALPHA, Maps};
use pno::spec::ModelSpec;
use serde_json::json;

use super::result::{
    self, Baseline, DataAbout, ModelAbout, Request, ResultFile, Stepped, estimated, finite,
};
use super::{Outcome, Plan, draw};
use crate::data::{Partial, Split, write_maps};
use crate::{figure, files};

/// What was evaluated, and how.
#[derive(Clone, Copy)]
pub struct Evaluation<'a> {
    /// What was scored.
    pub plan: &'a Plan<'a>,
    /// Hash of the model's file.
    pub model_hash: &'a str,
    /// Fingerprint of the data set.
    pub data_fingerprint: &'a str,
    /// Which part of it.
    pub split: Split,
    /// Fingerprint of the data set of the climatology, if it is another one.
    pub climatology: Option<&'a str>,
    /// Where it ran.
    pub device: &'a str,
    /// The command as it was typed.
    pub command: &'a str,
}

impl Evaluation<'_> {
    /// What is asked for.
    pub fn request(&self) -> Request {
        let plan = self.plan;
        let horizon = plan.horizon;
        Request::new(
            self.model_hash,
            &self.data(),
            (plan.members as usize, plan.cases.len() as u64),
            (plan.seed, plan.observation()),
            (
                horizon.steps,
                (horizon.steps > 1).then_some(horizon.rollout),
            ),
            plan.thresholds,
            self.climatology().as_ref(),
        )
    }

    /// Everything that was found, for a file.
    pub fn result(&self, outcome: &Outcome) -> ResultFile {
        let Outcome {
            report,
            baselines,
            steps,
            trajectory,
            leads,
            ..
        } = outcome;
        let (spec, horizon) = (self.plan.forecaster.spec(), self.plan.horizon);
        let others = baselines.named().into_iter().map(|(name, other)| {
            let skill = report.skill(other).map(finite);
            let scores = other.scores;
            (name.to_owned(), Baseline { scores, skill })
        });
        let scale = self.plan.forecaster.task().quantity().normalisation.std;
        ResultFile {
            scores: estimated(&report.scores),
            members: report.members,
            cases: report.cases,
            baselines: others.collect(),
            verification: report.clone(),
            units: format!("network units: 1 is {scale} in the data"),
            model: ModelAbout {
                hash: self.model_hash.to_owned(),
                experiment: spec.experiment.name().to_owned(),
                method: spec.method.name().to_owned(),
                operator: spec.operator.name().to_owned(),
                parameters: spec.parameter_count(),
            },
            data: self.data(),
            seed: self.plan.seed,
            observation: self.plan.observation(),
            steps: horizon.steps,
            rollout: (horizon.steps > 1).then_some(horizon.rollout),
            by_step: (1..)
                .zip(steps)
                .map(|(step, report)| Stepped {
                    step,
                    scores: report.scores,
                })
                .collect(),
            by_lead: leads.clone(),
            climatology: self.climatology(),
            trajectory: trajectory.as_ref().map(|all| all.scores),
            device: self.device.to_owned(),
            command: self.command.to_owned(),
            pno_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Writes the whole result as a folder, all of it or nothing; one of the same request is replaced, anything else
    /// refused. `case` is that of the figure.
    pub fn write(&self, outcome: &Outcome, folder: &Path, case: usize) -> Result<()> {
        result::check(folder, &self.request())?;
        let partial = Partial::begin(folder, self.command)?;
        let part = |name: &str| partial.folder().join(name);
        self.write_json(outcome, &part(result::SCORES))?;
        self.write_maps(outcome, &part(result::MAPS))?;
        self.write_verification(outcome, &part(result::VERIFICATION))?;
        self.write_forecast(&part(result::FORECAST), case)?;
        partial.finish()
    }

    /// Writes the numbers.
    pub fn write_json(&self, outcome: &Outcome, path: &Path) -> Result<()> {
        files::write_atomic(path, self.result(outcome).json()?.as_bytes())
    }

    /// Writes the maps.
    pub fn write_maps(&self, outcome: &Outcome, path: &Path) -> Result<()> {
        let about = json!({
            "title": format!("maps of scores: {}", title(self.plan.forecaster.spec())),
            "model_hash": self.model_hash,
            "units": "network units",
            "members": self.plan.members,
            "cases": outcome.report.cases,
            "command": self.command,
            "pno_version": env!("CARGO_PKG_VERSION"),
        });
        write_maps(path, self.plan.forecaster.task(), &outcome.maps, about)
    }

    /// Writes the plots of the verification.
    pub fn write_verification(&self, outcome: &Outcome, path: &Path) -> Result<()> {
        let title = title(self.plan.forecaster.spec());
        figure::verification(&outcome.report, &outcome.leads, &title).write(path)
    }

    /// Writes the figure of one case.
    pub fn write_forecast(&self, path: &Path, index: usize) -> Result<()> {
        let plan = self.plan;
        let case = plan.dataset.case_after(index, plan.horizon.steps)?;
        let seed = case_seed(plan.seed, index as u64);
        let task = plan.forecaster.task();
        let members = draw(
            plan.forecaster,
            &plan.observation().of(task, &case.input, seed),
            seed,
            plan.members,
            plan.horizon,
        )?;
        let maps = Maps::new(&members, &case.truth, ALPHA);
        let title = format!(
            "{}, case {index}, {} members, seed {}",
            title(plan.forecaster.spec()),
            plan.members,
            plan.seed
        );
        figure::forecast(plan.forecaster.task(), &case.truth, &maps, &title).write(path)
    }

    fn climatology(&self) -> Option<DataAbout> {
        self.climatology.map(|fingerprint| DataAbout {
            fingerprint: fingerprint.to_owned(),
            split: Split::Train.name().to_owned(),
        })
    }

    fn data(&self) -> DataAbout {
        DataAbout {
            fingerprint: self.data_fingerprint.to_owned(),
            split: self.split.name().to_owned(),
        }
    }
}

/// `KS PNO_D`.
fn title(spec: &ModelSpec) -> String {
    format!(
        "{} {}",
        spec.experiment.name().to_uppercase(),
        spec.method.name().to_uppercase().replace('-', "_")
    )
}
