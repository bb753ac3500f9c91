//! Scores at one lead time, beside those of the forecasts that need no model.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use anyhow::Result;
use pno::score::measure::is_time;
use pno::score::spectrum::Spectrum;
use pno::score::{Numbers, Report, SpectrumRatio};
use pno::task::Task;
use serde::{Deserialize, Serialize};

use super::baseline::{Baselines, by_lead};
use super::result::Baseline;
use crate::data::Dataset;

/// Scores at one lead time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// Time ahead of the last input.
    #[serde(rename = "lead")]
    pub time: f64,
    /// Unit of that; empty for model units, `step` where only steps are known.
    pub unit: String,
    /// The scores.
    #[serde(flatten)]
    pub scores: Numbers,
    /// Where the members' spectrum is farthest from the truth's, for each quantity that has one.
    #[serde(default)]
    pub spectrum: Vec<SpectrumRatio>,
    /// Forecasts without a model, by name.
    #[serde(default)]
    pub baselines: BTreeMap<String, Baseline>,
}

impl Lead {
    /// Of a report whose lead times have no name: they are counted.
    pub fn numbered(report: &Report) -> Vec<Self> {
        let leads = report.leads.iter().enumerate();
        leads
            .map(|(i, &scores)| Self {
                time: (i + 1) as f64,
                unit: "step".into(),
                scores,
                spectrum: vec![],
                baselines: BTreeMap::new(),
            })
            .collect()
    }
}

/// When the lead times are.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadTimes {
    /// In their order.
    pub leads: Vec<f64>,
    /// Unit.
    pub unit: String,
}

impl LeadTimes {
    /// Of the steps of a forecast, or of the frames of its output; `None` where a model does not go forward in time.
    pub fn of(task: &Task, dataset: &Dataset, steps: usize) -> Result<Option<Self>> {
        if let Some(times) = Self::of_axis(task) {
            return Ok(Some(times));
        }
        if !task.feeds_back() || steps == 1 && !dataset.is_stepping() {
            return Ok(None);
        }
        let (length, unit) = dataset.step_time()?.unwrap_or((1.0, "step".into()));
        Ok(Some(Self {
            leads: (1..=steps).map(|step| step as f64 * length).collect(),
            unit,
        }))
    }

    /// Where the output has an axis of time: ahead of the last input frame.
    fn of_axis(task: &Task) -> Option<Self> {
        let (seen, axis) = (task.input.first()?, task.output.first()?);
        if !is_time(&axis.name) {
            return None;
        }
        let now = seen.coordinates().last().copied()?;
        // Coordinates are sums of steps: their last digits are rounding.
        let lead = |time: f64| ((time - now) * 1e6).round() / 1e6;
        Some(Self {
            leads: axis.coordinates().into_iter().map(lead).collect(),
            unit: axis.unit.clone(),
        })
    }
}

/// Everything by lead time: `steps` has a report of each step, or of the one whose output has an axis of time, `spectra` those
/// of each lead time.
pub fn leads(
    times: &LeadTimes,
    steps: &[Report],
    spectra: &[Vec<Spectrum>],
    baselines: &Baselines,
    wavenumbers: Option<&RangeInclusive<usize>>,
) -> Vec<Lead> {
    let all = times.leads.iter().zip(by_lead(steps)).enumerate();
    all.map(|(i, (&lead, scores))| {
        let others = baselines.at_lead(i).into_iter();
        let spectra = spectra.get(i).map_or(&[][..], Vec::as_slice).iter();
        Lead {
            time: lead,
            unit: times.unit.clone(),
            scores,
            spectrum: spectra
                .filter_map(|spectrum| SpectrumRatio::worst_of(spectrum, wavenumbers))
                .collect(),
            baselines: others
                .map(|(name, other)| (name.to_owned(), Baseline::new(&scores, other)))
                .collect(),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_time_is_counted_from_the_last_input() {
        let era5 = LeadTimes::of_axis(&Task::era5()).expect("time");
        assert_eq!((era5.leads[0], era5.leads[9]), (6.0, 60.0));
        assert_eq!(era5.unit, "hours");
        // t = 40 to 78 after inputs up to 38.
        let ks = LeadTimes::of_axis(&Task::ks()).expect("time");
        assert_eq!((ks.leads[0], ks.leads[19]), (2.0, 40.0));
        assert_eq!(LeadTimes::of_axis(&Task::darcy()), None);
    }

    #[test]
    fn a_lead_comes_back_as_it_was_and_without_what_older_files_lack() {
        let numbers = pno::score::Verification::new(
            pno::score::Measure::flat(2),
            pno::score::Options::default(),
        );
        let mut verification = numbers;
        verification
            .push(&[1.0, 2.0, 3.0, 5.0], &[1.0, 1.0])
            .expect("a case");
        let scores = verification.finish().0.scores;
        let lead = Lead {
            time: 2.0,
            unit: "h".into(),
            scores,
            spectrum: vec![SpectrumRatio {
                channel: 0,
                worst: 1.5,
                wavenumber: 1,
                first: 1,
                last: 1,
            }],
            baselines: BTreeMap::from([("zero".into(), Baseline::new(&scores, scores))]),
        };
        let mut value = serde_json::to_value(&lead).expect("JSON");
        let back: Lead = serde_json::from_value(value.clone()).expect("reads");
        assert_eq!(back, lead);
        let fields = value.as_object_mut().expect("an object");
        for late in ["rank_correlation", "spectrum", "baselines"] {
            fields.remove(late).expect("written");
        }
        let old: Lead = serde_json::from_value(value).expect("reads");
        assert_eq!(old.scores.rank_correlation, None);
        assert!(old.spectrum.is_empty() && old.baselines.is_empty());
    }
}
