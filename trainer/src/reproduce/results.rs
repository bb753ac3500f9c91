//! What a finished job left behind, as numbers.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use pno::observation::Observation;

use super::source::Evaluation;
use crate::eval::result;
use crate::train::history::EpochRecord;

/// Scores of one evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Hash of the model that was scored.
    pub model_hash: String,
    /// Members per case.
    pub members: u32,
    /// Cases.
    pub cases: u64,
    /// The scores by name; those that are not numbers are left out.
    pub values: BTreeMap<String, f64>,
    /// L2 of the forecasts that need no model, by name; none of several steps as one field.
    pub baselines: BTreeMap<String, f64>,
    /// How well the inputs were known.
    pub observation: Observation,
}

impl Scores {
    /// Reads `scores.json` of the result folder of an evaluation.
    pub fn read(folder: &Path, evaluation: &Evaluation) -> Result<Self> {
        let found = result::read(folder)?;
        let values = if let Some(all) = found.trajectory.filter(|_| evaluation.whole) {
            let named = all.named().into_iter();
            named
                .filter_map(|(key, score)| Some((key.to_owned(), score?)))
                .collect()
        } else {
            let scores = found.scores.into_iter();
            scores
                .filter_map(|(key, score)| Some((key, score.value?)))
                .collect()
        };
        let baselines = found.baselines.into_iter().filter(|_| !evaluation.whole);
        Ok(Self {
            model_hash: found.model.hash,
            members: u32::try_from(found.members)?,
            cases: found.cases,
            values,
            baselines: baselines
                .map(|(name, baseline)| (name, baseline.scores.l2))
                .collect(),
            observation: found.observation,
        })
    }
}

/// One epoch of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Epoch {
    /// Mean training loss.
    pub train_loss: Option<f64>,
    /// Mean validation loss.
    pub valid_loss: f64,
    /// Seconds that it took, where the run wrote that down.
    pub seconds: Option<f64>,
}

/// The finished epochs of a run folder, as it wrote them down.
pub fn records(folder: &Path) -> Result<Vec<EpochRecord>> {
    let path = folder.join("history.json");
    if !path.exists() {
        return Ok(vec![]);
    }
    let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{}: not a history of epochs", path.display()))
}

/// The epochs of a run folder with their times.
pub fn epochs(folder: &Path) -> Result<Vec<Epoch>> {
    let seconds = seconds(&folder.join("metrics.csv"));
    let epochs = records(folder)?.into_iter().map(|record| Epoch {
        train_loss: record.train_loss,
        valid_loss: record.valid_loss,
        seconds: seconds.get(&record.epoch).copied(),
    });
    Ok(epochs.collect())
}

/// Seconds of every epoch by its number. Runs from before the file was written have none.
fn seconds(path: &Path) -> BTreeMap<usize, f64> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|found| found.trim() == name);
    let Some((epoch, seconds)) = column("epoch").zip(column("seconds")) else {
        return BTreeMap::new();
    };
    let pair = |line: &str| {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        Some((
            fields.get(epoch)?.parse().ok()?,
            fields.get(seconds)?.parse().ok()?,
        ))
    };
    lines.filter_map(pair).collect()
}

/// Mean and sample standard deviation; the latter from two values on.
pub fn mean_and_deviation(values: &[f64]) -> Option<(f64, Option<f64>)> {
    if values.is_empty() {
        return None;
    }
    let number = values.len() as f64;
    let mean = values.iter().sum::<f64>() / number;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let deviation = (values.len() > 1).then(|| (squares / (number - 1.0)).sqrt());
    Some((mean, deviation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        // numpy.std([2, 4, 4, 4, 5, 5, 7, 9], ddof=1) = 2.13808993...
        let (mean, deviation) =
            mean_and_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("values");
        assert_eq!(mean, 5.0);
        assert!((deviation.expect("eight") - 2.138_089_935).abs() < 1e-9);
        assert_eq!(mean_and_deviation(&[3.0]), Some((3.0, None)));
        assert_eq!(mean_and_deviation(&[]), None);
    }

    #[test]
    fn seconds_are_found_by_the_names_of_the_columns() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metrics.csv");
        assert!(seconds(&path).is_empty());
        std::fs::write(
            &path,
            "epoch,valid_loss,seconds\n1,0.5,2.5\n2,0.4,oops\n3,0.3,3.5\n",
        )
        .expect("written");
        assert_eq!(seconds(&path), BTreeMap::from([(1, 2.5), (3, 3.5)]));
    }
}
