//! What a verification found: numbers, tables and curves, each with its estimator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::brier::{self, Brier};
use super::exceedance::{self, Event};
use super::measure::Measure;
use super::nan::NanPolicy;
use super::numbers::{Means, NUMBER_ESTIMATORS, Numbers};
use super::pit::{self, pit};
use super::quantile_score::{self, QuantileScore};
use super::rank_histogram::{self, RankHistogram};
use super::reliability::{self, ReliabilityBin, reliability};
use super::skill;
use super::spectrum::{self, Spectrum};
use super::spread_skill::SpreadBin;
use super::tallies::Tables;
use super::verification::Options;

/// What a verification found. JSON writes a NaN as null, and an infinite number as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Members of every case.
    pub members: usize,
    /// Cases behind the means.
    pub cases: u64,
    /// Cases left out because no value had a truth ([`NanPolicy::Skip`]).
    pub empty_cases: u64,
    /// Values left out because the truth was NaN ([`NanPolicy::Skip`]).
    pub skipped_values: u64,
    /// What a NaN meant.
    pub nan_policy: NanPolicy,
    /// Sizes of the grid.
    pub shape: Vec<usize>,
    /// Extent of the domain in the norms.
    pub extent: f64,
    /// Whether points differ in weight.
    pub is_weighted: bool,
    /// Tells grids, weights, masks and extents apart ([`Measure::fingerprint`]); empty in older files.
    #[serde(default)]
    pub measure: String,
    /// Bandwidth of the kernel score.
    pub bandwidth: Option<f64>,
    /// All scores that are one number.
    pub scores: Numbers,
    /// The same for each step of time; empty if the first axis is not time.
    pub leads: Vec<Numbers>,
    /// The same for each channel, without those of whole fields.
    pub channels: Vec<Numbers>,
    /// Where the truth falls among the members.
    pub rank_histogram: RankHistogram,
    /// The same on a scale from 0 to 1.
    #[serde(with = "super::nan::nans_as_null")]
    pub pit: Vec<f64>,
    /// Error by spread.
    pub spread_skill_curve: Vec<SpreadBin>,
    /// Quantile scores by level.
    pub quantile_scores: Vec<QuantileScore>,
    /// Brier scores and reliability diagrams.
    pub events: Vec<EventReport>,
    /// Power by wavenumber, for each channel.
    pub spectra: Vec<Spectrum>,
    /// How everything is estimated, by its name.
    pub estimators: BTreeMap<String, String>,
}

/// Forecasts of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventReport {
    /// The event.
    pub event: Event,
    /// Brier score and its parts.
    pub brier: Brier,
    /// Reliability diagram.
    pub reliability: Vec<ReliabilityBin>,
}

/// Sums over cases.
#[derive(Debug)]
pub(crate) struct Totals {
    pub members: usize,
    pub all: Means,
    pub leads: Vec<Means>,
    pub channels: Vec<Means>,
    pub tables: Tables,
}

impl Totals {
    /// Nothing yet.
    pub fn new(members: usize, measure: &Measure, tables: Tables) -> Self {
        Self {
            members,
            all: Means::default(),
            leads: vec![Means::default(); measure.lead_times()],
            channels: vec![Means::default(); measure.channels()],
            tables,
        }
    }
}

impl Report {
    pub(crate) fn new(totals: &Totals, measure: &Measure, options: &Options) -> Self {
        let Totals {
            members, tables, ..
        } = totals;
        let numbers = |means: &[Means]| means.iter().map(|m| m.numbers(*members)).collect();
        let cases = totals.all.cases as u64;
        let rank_histogram = RankHistogram::new(&tables.ranks, tables.samples, cases);
        let levels = options.levels.iter().zip(&tables.pinball);
        let events = options.events.iter().zip(&tables.events);
        Self {
            members: *members,
            cases,
            empty_cases: 0,
            skipped_values: 0,
            nan_policy: options.nan,
            shape: measure.shape().to_vec(),
            extent: measure.extent(),
            is_weighted: measure.is_weighted(),
            measure: measure.fingerprint(),
            bandwidth: None,
            scores: totals.all.numbers(*members),
            leads: if measure.has_time() {
                numbers(&totals.leads)
            } else {
                vec![]
            },
            channels: numbers(&totals.channels),
            pit: pit(&rank_histogram.frequencies, pit::BINS),
            rank_histogram,
            spread_skill_curve: tables.spread.curve(*members),
            quantile_scores: levels
                .map(|(&level, sum)| QuantileScore {
                    level,
                    score: sum / tables.weight,
                })
                .collect(),
            events: events
                .map(|(&event, found)| EventReport {
                    event,
                    brier: found.counts.brier(),
                    reliability: reliability(&found.counts, found.samples),
                })
                .collect(),
            spectra: vec![],
            estimators: estimators(),
        }
    }

    /// Skill against a reference forecast of the same cases (climatology, persistence), for each score whose best value
    /// is 0. `None` if the reports are not about the same cases and grid, or if their points count in another way.
    pub fn skill(&self, reference: &Self) -> Option<BTreeMap<String, f64>> {
        let cases = |report: &Self| (report.cases, report.skipped_values);
        let points = |report: &Self| (report.shape.clone(), report.measure.clone());
        if cases(self) != cases(reference) || points(self) != points(reference) {
            return None;
        }
        Some(self.scores.skill(&reference.scores))
    }
}

fn estimators() -> BTreeMap<String, String> {
    let others = [
        ("rank_histogram", rank_histogram::ESTIMATOR),
        ("pit", pit::ESTIMATOR),
        ("quantile_scores", quantile_score::ESTIMATOR),
        ("brier", brier::ESTIMATOR),
        ("reliability", reliability::ESTIMATOR),
        ("exceedance", exceedance::ESTIMATOR),
        ("spectra", spectrum::ESTIMATOR),
        ("skill", skill::ESTIMATOR),
        (
            "spread_skill_curve",
            "root mean variance with (M+1)/M and root mean square error in about ten bins of spread",
        ),
    ];
    let all = NUMBER_ESTIMATORS.iter().chain(&others);
    all.map(|&(key, estimator)| (key.to_owned(), estimator.to_owned()))
        .collect()
}
