//! An evaluation as JSON: every score with its estimator beside it.

use pno::score::{ESTIMATORS, Scores};
use serde_json::{Map, Value, json};

use super::Outcome;

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
        let Outcome { scores, baselines } = self.outcome;
        let mut out: Map<String, Value> = ESTIMATORS
            .iter()
            .map(|&(key, estimator)| {
                (
                    key.to_owned(),
                    json!({ "value": value(scores, key), "estimator": estimator }),
                )
            })
            .collect();
        out.insert("members".into(), json!(scores.members));
        out.insert("cases".into(), json!(scores.cases));
        out.insert("baselines".into(), json!(baselines));
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
        out.insert("device".into(), json!(self.device));
        out.insert("command".into(), json!(self.command));
        out.insert("pno_version".into(), json!(env!("CARGO_PKG_VERSION")));
        format!("{:#}\n", Value::Object(out))
    }
}

/// A score by its key.
pub fn value(scores: &Scores, key: &str) -> Option<f64> {
    match key {
        "l2" => Some(scores.l2),
        "energy_score" => Some(scores.energy_score),
        "crps" => Some(scores.crps),
        "nll" => Some(scores.nll),
        "coverage" => Some(scores.coverage),
        "interval_width" => Some(scores.interval_width),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_estimator_names_a_score() {
        let scores = Scores {
            members: 2,
            cases: 1,
            l2: 1.0,
            energy_score: 2.0,
            crps: 3.0,
            nll: 4.0,
            coverage: 5.0,
            interval_width: 6.0,
        };
        let values: Vec<f64> = ESTIMATORS
            .iter()
            .filter_map(|(key, _)| value(&scores, key))
            .collect();
        assert_eq!(values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}
