//! The numbers of the paper, as they are printed, with a word where they are doubtful.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

/// All tables by name.
const FILES: [(&str, &str); 12] = [
    (
        "darcy",
        include_str!("../../experiments/published/darcy.toml"),
    ),
    ("ks", include_str!("../../experiments/published/ks.toml")),
    (
        "sswe-one-step",
        include_str!("../../experiments/published/sswe-one-step.toml"),
    ),
    (
        "sswe-two-step",
        include_str!("../../experiments/published/sswe-two-step.toml"),
    ),
    (
        "era5",
        include_str!("../../experiments/published/era5.toml"),
    ),
    ("uno", include_str!("../../experiments/published/uno.toml")),
    (
        "fourier-dropout",
        include_str!("../../experiments/published/fourier-dropout.toml"),
    ),
    (
        "runtime",
        include_str!("../../experiments/published/runtime.toml"),
    ),
    (
        "fine-tuning",
        include_str!("../../experiments/published/fine-tuning.toml"),
    ),
    (
        "samples",
        include_str!("../../experiments/published/samples.toml"),
    ),
    (
        "skill",
        include_str!("../../experiments/published/skill.toml"),
    ),
    (
        "hyper-parameters",
        include_str!("../../experiments/published/hyper-parameters.toml"),
    ),
];

/// One printed value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Mean and, where it is printed, standard deviation over runs.
    Numbers(Vec<f64>),
    /// Words.
    Text(String),
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Row {
    /// Names the row in its table.
    pub id: String,
    /// Why its numbers should be read with care.
    pub note: Option<String>,
    /// The values by the name of their column.
    #[serde(flatten)]
    pub values: BTreeMap<String, Value>,
}

/// One table of the paper.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Published {
    /// What it is of.
    pub title: String,
    /// Where it stands and of how many runs it is.
    pub source: String,
    /// What holds for all its rows.
    pub note: Option<String>,
    /// Its rows.
    pub row: Vec<Row>,
}

impl Published {
    /// A table by its name.
    pub fn read(name: &str) -> Result<Self> {
        let found = FILES.iter().find(|(known, _)| *known == name);
        let (_, text) = found.with_context(|| format!("the paper has no table `{name}`"))?;
        toml::from_str(text).with_context(|| format!("the published numbers of `{name}`"))
    }

    /// A row by its name.
    pub fn find(&self, id: &str) -> Option<&Row> {
        self.row.iter().find(|row| row.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(table: &str, row: &str, key: &str) -> f64 {
        let table = Published::read(table).expect("a table");
        let row = table.find(row).expect("a row");
        match row.values.get(key) {
            Some(Value::Numbers(numbers)) => numbers[0],
            other => panic!("{key}: {other:?}"),
        }
    }

    /// Half a unit of the last printed digit.
    const ROUNDING: f64 = 0.5e-4;

    #[test]
    fn every_table_is_read_and_every_value_is_a_mean_with_a_positive_deviation() {
        for (name, _) in FILES {
            let table = Published::read(name).expect(name);
            assert!(!table.row.is_empty(), "{name}");
            for row in &table.row {
                for (key, value) in &row.values {
                    if let Value::Numbers(numbers) = value {
                        let ok = match numbers[..] {
                            [mean] => mean.is_finite(),
                            [mean, std] => mean.is_finite() && std >= 0.0,
                            _ => false,
                        };
                        assert!(ok, "{name}/{}/{key}: {numbers:?}", row.id);
                    }
                }
            }
        }
    }

    #[test]
    fn the_printed_skills_follow_from_the_printed_scores() {
        for (row, table, group) in [
            ("darcy", "darcy", ""),
            ("ks", "ks", ""),
            ("sswe", "sswe-two-step", "1h/"),
            ("era5", "era5", ""),
        ] {
            for key in ["l2", "energy_score", "crps"] {
                let d = mean(table, &format!("{group}pno-d"), key);
                let r = mean(table, &format!("{group}pno-r"), key);
                let (found, printed) = (1.0 - d / r, mean("skill", row, key));
                // How far the rounding of both scores and of the skill itself can move the quotient.
                let slack = ROUNDING * (1.0 / r + d / (r * r)) * 1.05 + ROUNDING;
                assert!(
                    (found - printed).abs() <= slack,
                    "{row} {key}: {found} from the scores, {printed} printed"
                );
            }
        }
    }

    #[test]
    fn the_last_row_of_the_skills_is_their_mean() {
        for key in ["l2", "energy_score", "crps"] {
            let rows = ["darcy", "ks", "sswe", "era5"];
            let found = rows.map(|row| mean("skill", row, key)).iter().sum::<f64>() / 4.0;
            let printed = mean("skill", "mean", key);
            assert!((found - printed).abs() <= 2.0 * ROUNDING, "{key}: {found}");
        }
    }

    #[test]
    fn tables_that_repeat_each_other_agree() {
        for key in ["l2", "energy_score", "crps", "nll", "coverage"] {
            for method in ["pno-d", "pno-r"] {
                let main = mean("ks", method, key);
                assert_eq!(main, mean("samples", &format!("{method}/m3"), key), "{key}");
            }
            assert_eq!(mean("ks", "pno-d", key), mean("fine-tuning", "pno-d", key));
            let (a, b) = (mean("ks", "mcd", key), mean("fine-tuning", "mcd", key));
            assert!((a - b).abs() <= 0.005, "{key}: {a} and {b}");
        }
        for (table, row) in [
            ("darcy", "det"),
            ("ks", "det"),
            ("sswe-one-step", "10h/det"),
        ] {
            let [l2, energy] = ["l2", "energy_score"].map(|key| mean(table, row, key));
            assert_eq!(
                l2, energy,
                "{table}: one output, so both are the norm of its error"
            );
        }
    }

    #[test]
    fn the_text_of_the_paper_agrees_with_its_tables() {
        // "PNO_D taking about three times as long as the baseline methods and PNO_R about 50 % longer".
        let seconds = |method| mean("runtime", method, "seconds_per_epoch");
        let base = f64::midpoint(seconds("mcd"), seconds("laplace"));
        assert!((seconds("pno-d") / base - 3.0).abs() < 0.5);
        assert!((seconds("pno-r") / base - 1.5).abs() < 0.1);
    }
}
