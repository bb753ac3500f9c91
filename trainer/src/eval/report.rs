//! An evaluation as JSON: every score with its estimator beside it.

use pno::score::{NUMBER_ESTIMATORS, Numbers};
use serde_json::{Map, Value, json};

use super::{Horizon, Outcome};

/// Everything one needs to know about where the numbers come from.
pub struct Report<'a> {
    /// The numbers.
    pub outcome: &'a Outcome,
    /// What the model is.
    pub spec: &'a pno::spec::ModelSpec,
    /// Hash of the model's file.
    pub model_hash: &'a str,
    /// Fingerprint of the data set.
    pub data_fingerprint: &'a str,
    /// Which part of it.
    pub split: &'a str,
    /// Seed of the members.
    pub seed: u64,
    /// After how many steps.
    pub horizon: Horizon,
    /// One network unit in physical units.
    pub scale: f64,
    /// Where it ran.
    pub device: &'a str,
    /// The command as it was typed.
    pub command: &'a str,
}

impl Report<'_> {
    /// The report as JSON text.
    pub fn json(&self) -> String {
        let Outcome {
            report, baselines, ..
        } = self.outcome;
        let mut out = scores_json(&report.scores);
        out.insert("members".into(), json!(report.members));
        out.insert("cases".into(), json!(report.cases));
        let others = baselines.named().into_iter().map(|(name, other)| {
            let mut values: Map<String, Value> = named(&other.scores).collect();
            values.insert("skill".into(), json!(report.skill(other)));
            (name.to_owned(), Value::Object(values))
        });
        out.insert("baselines".into(), Value::Object(others.collect()));
        out.insert("verification".into(), json!(report));
        out.insert(
            "units".into(),
            json!(format!("network units: 1 is {} in the data", self.scale)),
        );
        out.insert(
            "model".into(),
            json!({
                "hash": self.model_hash,
                "experiment": self.spec.experiment.name(),
                "method": self.spec.method.name(),
                "operator": self.spec.operator.name(),
                "parameters": self.spec.parameter_count(),
            }),
        );
        out.insert(
            "data".into(),
            json!({ "fingerprint": self.data_fingerprint, "split": self.split }),
        );
        out.insert("seed".into(), json!(self.seed));
        out.insert("steps".into(), json!(self.horizon.steps));
        if self.horizon.steps > 1 {
            out.insert("rollout".into(), json!(self.horizon.rollout));
        }
        out.insert("device".into(), json!(self.device));
        out.insert("command".into(), json!(self.command));
        out.insert("pno_version".into(), json!(env!("CARGO_PKG_VERSION")));
        format!("{:#}\n", Value::Object(out))
    }
}

/// Every score with its estimator beside it.
pub fn scores_json(numbers: &Numbers) -> Map<String, Value> {
    let estimators = NUMBER_ESTIMATORS.iter().map(|(_, estimator)| *estimator);
    let pairs = named(numbers).zip(estimators);
    pairs
        .map(|((key, value), estimator)| (key, json!({ "value": value, "estimator": estimator })))
        .collect()
}

/// Every score; null where it was not made or is NaN.
fn named(numbers: &Numbers) -> impl Iterator<Item = (String, Value)> {
    let all = numbers.named().into_iter();
    all.map(|(key, value)| (key.to_owned(), json!(value)))
}
