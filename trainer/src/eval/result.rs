//! The result of an evaluation as a folder, and reading it back.
//!
//! | file | what is in it |
//! |---|---|
//! | `scores.json` | a [`ResultFile`]: every score with its estimator, baselines, verification, and where it all comes from |
//! | `maps.zarr` | scores of every point, averaged over cases |
//! | `verification.svg` | ranks, reliability, spread and skill, lead times, spectra |
//! | `forecast.svg` | one case: truth, mean, error, standard deviation, coverage |

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use pno::observation::Observation;
use pno::score::{NUMBER_ESTIMATORS, Numbers, Report};
use pno::spec::Rollout;
use serde::{Deserialize, Serialize};

use super::Lead;

/// Name of the file with the numbers.
pub const SCORES: &str = "scores.json";
/// Name of the maps.
pub const MAPS: &str = "maps.zarr";
/// Name of the plots.
pub const VERIFICATION: &str = "verification.svg";
/// Name of the figure of one case.
pub const FORECAST: &str = "forecast.svg";

/// Largest file of numbers that is read.
const MAX_BYTES: usize = 1 << 26;

/// Everything that an evaluation found, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultFile {
    /// Every score by its key, in network units.
    #[serde(flatten)]
    pub scores: BTreeMap<String, Estimated>,
    /// Members of every case.
    pub members: usize,
    /// Cases behind the means.
    pub cases: u64,
    /// Forecasts without a model, by name.
    pub baselines: BTreeMap<String, Baseline>,
    /// Everything else: by lead time and channel, tables and curves.
    pub verification: Report,
    /// What the units are.
    pub units: String,
    /// The model.
    pub model: ModelAbout,
    /// The data.
    pub data: DataAbout,
    /// Seed of the members.
    pub seed: u64,
    /// How well the inputs were known.
    #[serde(default)]
    pub observation: Observation,
    /// After how many steps of the model.
    pub steps: usize,
    /// What every step but the first began with; only where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Rollout>,
    /// Scores after every step, the last included; only where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_step: Vec<Stepped>,
    /// Scores at each lead time, of steps or of the frames of the output, beside those of the forecasts without a model; only
    /// where there is time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_lead: Vec<Lead>,
    /// Where the climatology comes from, if it is not the training cases of the same data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub climatology: Option<DataAbout>,
    /// Scores over all steps as one field; only where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<Numbers>,
    /// Where it ran.
    pub device: String,
    /// The command as it was typed.
    pub command: String,
    /// The program.
    pub pno_version: String,
}

/// Scores after one step of a forecast of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stepped {
    /// Counted from 1.
    pub step: usize,
    /// The scores.
    #[serde(flatten)]
    pub scores: Numbers,
}

/// A score with its estimator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimated {
    /// The score; nothing where it was not made or is not finite, which the verification tells apart.
    pub value: Option<f64>,
    /// How it is estimated.
    pub estimator: String,
}

/// Scores of a forecast without a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The scores.
    #[serde(flatten)]
    pub scores: Numbers,
    /// Skill of the model against it, by score; nothing where it is not finite.
    pub skill: Option<BTreeMap<String, Option<f64>>>,
}

impl Baseline {
    /// Of a forecast of the same cases as that of `ours`.
    pub fn new(ours: &Numbers, scores: Numbers) -> Self {
        let skill = Some(finite(ours.skill(&scores)));
        Self { scores, skill }
    }
}

/// Skills of which those that are not finite are nothing.
pub fn finite(skills: BTreeMap<String, f64>) -> BTreeMap<String, Option<f64>> {
    let known = skills.into_iter();
    known
        .map(|(key, skill)| (key, Some(skill).filter(|s| s.is_finite())))
        .collect()
}

/// What the model is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelAbout {
    /// Hash of its file.
    pub hash: String,
    /// What it is for.
    pub experiment: String,
    /// How it is uncertain.
    pub method: String,
    /// Which network it is.
    pub operator: String,
    /// How many numbers it has learned.
    pub parameters: usize,
}

/// What the data are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataAbout {
    /// Fingerprint of the data set.
    pub fingerprint: String,
    /// Which part of it.
    pub split: String,
}

/// What was asked for: two results of the same request are the same but for rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Request(Vec<(&'static str, String)>);

impl Request {
    /// From its parts, in the order in which they are compared.
    pub fn new(
        model_hash: &str,
        data: &DataAbout,
        (members, cases): (usize, u64),
        (seed, observation): (u64, Observation),
        (steps, rollout): (usize, Option<Rollout>),
        thresholds: &[f32],
        climatology: Option<&DataAbout>,
    ) -> Self {
        let thresholds: Vec<String> = thresholds.iter().map(f32::to_string).collect();
        Self(vec![
            ("model hash", model_hash.to_owned()),
            ("data fingerprint", data.fingerprint.clone()),
            ("split", data.split.clone()),
            ("number of members", members.to_string()),
            ("number of cases", cases.to_string()),
            ("seed", seed.to_string()),
            ("observation", observation.to_string()),
            ("number of steps", steps.to_string()),
            ("rollout", rollout.map_or("none".into(), |r| r.to_string())),
            ("list of thresholds", format!("[{}]", thresholds.join(", "))),
            (
                "climatology",
                climatology.map_or("its own".into(), |data| data.fingerprint.clone()),
            ),
        ])
    }
}

impl ResultFile {
    /// What was asked for.
    pub fn request(&self) -> Request {
        let events = self.verification.events.iter();
        let thresholds: Vec<f32> = events.map(|found| found.event.threshold).collect();
        Request::new(
            &self.model.hash,
            &self.data,
            (self.members, self.cases),
            (self.seed, self.observation),
            (self.steps, self.rollout),
            &thresholds,
            self.climatology.as_ref(),
        )
    }

    /// The file's text.
    pub fn json(&self) -> Result<String> {
        Ok(format!("{:#}\n", serde_json::to_value(self)?))
    }
}

/// Every score with its estimator beside it.
pub fn estimated(numbers: &Numbers) -> BTreeMap<String, Estimated> {
    let named = numbers.named().into_iter().zip(NUMBER_ESTIMATORS);
    let scores = named.map(|((key, value), (_, estimator))| {
        let value = value.filter(|v| v.is_finite());
        let estimator = (*estimator).to_owned();
        (key.to_owned(), Estimated { value, estimator })
    });
    scores.collect()
}

/// Reads the numbers of a result folder.
pub fn read(folder: &Path) -> Result<ResultFile> {
    let path = folder.join(SCORES);
    let bytes = crate::files::read_at_most(&path, MAX_BYTES)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not the result of an evaluation", path.display()))
}

/// Refuses a folder that holds anything but a result of the same request. Commands ask before the long work begins.
pub fn check(folder: &Path, wanted: &Request) -> Result<()> {
    let place = folder.display();
    if !folder.exists() {
        return Ok(());
    }
    if !folder.is_dir() {
        bail!("{place} is a file, but a folder for the result is wanted");
    }
    let mut entries = fs::read_dir(folder).with_context(|| format!("{place} cannot be read"))?;
    if entries.next().is_none() {
        return Ok(());
    }
    if !folder.join(SCORES).exists() {
        bail!(
            "{place} is there already and has no {SCORES}, so it is no result and was left as it is"
        );
    }
    let Request(found) = read(folder)?.request();
    for ((name, found), (_, wanted)) in found.iter().zip(&wanted.0) {
        if found != wanted {
            bail!(
                "{place} holds the result of another evaluation and was left as it is: its {name} is {found}, but here it \
                 is {wanted}"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
