//! An evaluation for people: one line per score.

use std::fmt::Write;

use pno::score::ESTIMATORS;

use super::Outcome;
use super::report::value;

/// The table: score, value, the two baselines where they have one, and how it was estimated.
pub fn table(outcome: &Outcome) -> String {
    let Outcome { scores, baselines } = outcome;
    let mut out = format!(
        "{:<16}{:>9}{:>9}{:>13}  estimator\n",
        "score", "model", "zero", "persistence"
    );
    for &(key, estimator) in ESTIMATORS {
        let baseline = |b: &super::baseline::Baseline| match key {
            "l2" => format!("{:.4}", b.l2),
            "energy_score" => format!("{:.4}", b.energy_score),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "{:<16}{:>9.4}{:>9}{:>13}  {estimator}",
            key.replace('_', " "),
            value(scores, key).unwrap_or(f64::NAN),
            baseline(&baselines.zero),
            baselines
                .persistence
                .as_ref()
                .map(baseline)
                .unwrap_or_default(),
        );
    }
    let _ = write!(out, "{} members, {} cases", scores.members, scores.cases);
    out
}
