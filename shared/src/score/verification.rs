//! Verification: all scores of many cases, in one pass over each.
//!
//! ```
//! use pno::score::{Measure, Options, Verification};
//!
//! // Three cases of four members on a grid of two times and five points.
//! let measure = Measure::grid(&[2, 5]).with_time();
//! let mut verification = Verification::new(measure, Options::default());
//! for case in 0..3 {
//!     let truth: Vec<f32> = (0..10).map(|i| (i + case) as f32).collect();
//!     let members: Vec<f32> = (0..40).map(|i| (i % 10 + i / 10) as f32 - 1.5).collect();
//!     let numbers = verification.push(&members, &truth).expect("fields of the grid");
//!     assert!(numbers.crps >= 0.0);
//! }
//! let (report, maps) = verification.finish();
//! assert_eq!((report.cases, report.leads.len(), maps.crps.len()), (3, 2, 10));
//! ```

use thiserror::Error;

use super::degrees::DegreeSpectra;
use super::exceedance::Event;
use super::kernel_score;
use super::measure::Measure;
use super::nan::NanPolicy;
use super::numbers::{CaseMean, Means, Numbers, PairScores};
use super::pairs::PairSquares;
use super::pass::{Counted, Part, Pass, add_squares};
use super::point_map::{MeanMaps, PointMap};
use super::quantile_score::LEVELS;
use super::rank_correlation::CaseCorrelations;
use super::report::{Report, Totals};
use super::spectrum::{Spectra, Spectrum};
use super::tallies::{PointSums, Tables};
use super::variogram_score::{ORDER, variogram_score_of_pairs};
use crate::noise::{case_seed, key};
use crate::task::Domain;

/// Marks the noise that breaks ties.
const TIES: u32 = 0x8000_0002;

/// What to score besides what costs nothing.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each chooses a score of its own"
)]
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What a NaN means.
    pub nan: NanPolicy,
    /// Energy and kernel score: M²/2 distances between whole fields.
    pub pairs: bool,
    /// Bandwidth of the kernel score, in the measure's norm; [`kernel_score::bandwidth`] if none is named.
    pub bandwidth: Option<f64>,
    /// Variogram score of neighbours: a pass of its own.
    pub variogram: bool,
    /// Spectra along the last axis: a pass of its own.
    pub spectra: bool,
    /// Spectra of each step of time, on a sphere by degree ([`Verification::lead_spectra`]): a pass of its own.
    pub lead_spectra: bool,
    /// Rank correlation of spread and error: a pass of its own.
    pub rank_correlation: bool,
    /// Maps: 48 bytes for every value of a field. They are empty without.
    pub maps: bool,
    /// Levels of quantile scores, each between 0 and 1.
    pub levels: Vec<f64>,
    /// Events for Brier scores and reliability diagrams.
    pub events: Vec<Event>,
    /// Seed of the noise that breaks ties of ranks.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nan: NanPolicy::default(),
            pairs: true,
            bandwidth: None,
            variogram: true,
            spectra: true,
            lead_spectra: false,
            rank_correlation: true,
            maps: true,
            levels: LEVELS.to_vec(),
            events: vec![],
            seed: 0,
        }
    }
}

impl Options {
    /// Only what is made point by point: the one pass that sorts every column once.
    pub fn pointwise() -> Self {
        Self {
            pairs: false,
            variogram: false,
            spectra: false,
            rank_correlation: false,
            ..Self::default()
        }
    }
}

/// Why a case was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CaseError {
    /// The truth is no field of the grid.
    #[error(
        "the truth of case {case} has {found} values, but the grid {shape:?} with {channels} channels has {wanted}"
    )]
    Truth {
        /// Number of the case, from 0.
        case: u64,
        /// Values found.
        found: usize,
        /// Values wanted.
        wanted: usize,
        /// The grid.
        shape: Vec<usize>,
        /// Channels.
        channels: usize,
    },
    /// The members are not a whole number of fields.
    #[error(
        "the members of case {case} have {found} values, which is not a whole number of fields of {field} values, at least one"
    )]
    Members {
        /// Number of the case, from 0.
        case: u64,
        /// Values found.
        found: usize,
        /// Values of one field.
        field: usize,
    },
    /// Another number of members than before.
    #[error("case {case} has {found} members, but the cases before it have {wanted}")]
    Count {
        /// Number of the case, from 0.
        case: u64,
        /// Members found.
        found: usize,
        /// Members wanted.
        wanted: usize,
    },
}

/// All scores of any number of cases. Memory does not grow with their number: it is 48 bytes for every value of a field
/// (the maps), one number for every pair of members, and tables.
#[derive(Debug)]
pub struct Verification {
    measure: Measure,
    options: Options,
    bandwidth: f64,
    pushed: u64,
    empty_cases: u64,
    skipped: u64,
    map: Vec<PointMap>,
    spectra: Option<Spectra>,
    lead_spectra: Option<LeadSpectra>,
    totals: Option<Totals>,
}

/// Spectra of each step of time.
#[derive(Debug)]
enum LeadSpectra {
    Rows(Spectra),
    Degrees(DegreeSpectra),
}

impl LeadSpectra {
    fn new(measure: &Measure) -> Self {
        match measure.domain() {
            Domain::Flat => Self::Rows(Spectra::by_lead(measure)),
            Domain::Sphere(latitudes) => Self::Degrees(DegreeSpectra::new(latitudes, measure)),
        }
    }

    fn push(&mut self, members: &[f32], truth: &[f32], measure: &Measure, nan: NanPolicy) {
        match self {
            Self::Rows(spectra) => spectra.push(members, truth, measure, nan),
            Self::Degrees(spectra) => spectra.push(members, truth, measure, nan),
        }
    }

    fn by_lead(&self) -> Vec<Vec<Spectrum>> {
        match self {
            Self::Rows(spectra) => spectra.finish(),
            Self::Degrees(spectra) => spectra.by_lead(),
        }
    }
}

impl Verification {
    /// Nothing yet.
    ///
    /// # Panics
    /// If a level is not between 0 and 1, the bandwidth not positive, or an event's channel not there.
    pub fn new(measure: Measure, options: Options) -> Self {
        for level in &options.levels {
            assert!((0.0..=1.0).contains(level), "a quantile at {level}");
        }
        for channel in options.events.iter().filter_map(|event| event.channel) {
            let channels = measure.channels();
            assert!(channel < channels, "channel {channel} of {channels}");
        }
        let bandwidth = options
            .bandwidth
            .unwrap_or_else(|| kernel_score::bandwidth(&measure));
        assert!(bandwidth > 0.0, "a bandwidth of {bandwidth}");
        Self {
            map: vec![[0.0; 6]; if options.maps { measure.values() } else { 0 }],
            spectra: options.spectra.then(|| Spectra::new(&measure)),
            lead_spectra: options.lead_spectra.then(|| LeadSpectra::new(&measure)),
            bandwidth,
            measure,
            options,
            pushed: 0,
            empty_cases: 0,
            skipped: 0,
            totals: None,
        }
    }

    /// Takes in a case and gives its numbers. With [`NanPolicy::Skip`] a case without any truth gives NaN, and has no
    /// part in any mean.
    ///
    /// # Shapes
    /// - members: `[member, points, channel]`
    /// - truth: `[points, channel]`
    pub fn push(&mut self, members: &[f32], truth: &[f32]) -> Result<Numbers, CaseError> {
        let count = self.check(members, truth)?;
        let case = self.pushed;
        self.pushed += 1;
        let Self {
            measure, options, ..
        } = self;
        let (measure, options) = (&*measure, &*options);
        let pass = Pass {
            measure,
            nan: options.nan,
            pairs: options.pairs,
            counted: Some(Counted {
                levels: &options.levels,
                events: &options.events,
                key: key(case_seed(options.seed, case), 0, TIES),
            }),
        };
        let totals = self.totals.get_or_insert_with(|| {
            let tables = Tables::new(count, &options.levels, &options.events);
            Totals::new(count, measure, tables)
        });
        let bandwidth = self.bandwidth;
        let pair_scores =
            |squares: &PairSquares, weight| PairScores::new(squares, measure, weight, bandwidth);
        let mut sums = vec![PointSums::default(); measure.channels()];
        let mut squares = None;
        let ranks = options
            .rank_correlation
            .then(|| CaseCorrelations::new(members, truth, measure, options.nan));
        let leads = &mut totals.leads;
        let visit = |lead: usize, part: Part| {
            let total = PointSums::total(&part.channels);
            let pairs = part.pairs.as_ref().map(|p| pair_scores(p, total.weight));
            let means = Means::new(&total, measure, pairs, None);
            let rank = ranks.as_ref().map(|ranks| ranks.leads[lead]);
            leads[lead].merge(&means.with_rank_correlation(rank));
            for (sum, part) in sums.iter_mut().zip(&part.channels) {
                sum.merge(part);
            }
            add_squares(&mut squares, part.pairs);
        };
        let (map, tables) = (&mut self.map, &mut totals.tables);
        let map = options.maps.then_some(map.as_mut_slice());
        pass.run(members, truth, map, Some(tables), visit);

        for (i, (channel, sum)) in totals.channels.iter_mut().zip(&sums).enumerate() {
            let rank = ranks.as_ref().map(|ranks| ranks.channels[i]);
            let means = Means::new(sum, measure, None, None);
            channel.merge(&means.with_rank_correlation(rank));
        }
        let total = PointSums::total(&sums);
        let pairs = squares.as_ref().map(|s| pair_scores(s, total.weight));
        let variogram = options.variogram.then(|| {
            let score = variogram_score_of_pairs(members, truth, measure, ORDER, options.nan);
            CaseMean::of(score)
        });
        let rank = ranks.as_ref().map(|ranks| ranks.all);
        let means = Means::new(&total, measure, pairs, variogram).with_rank_correlation(rank);
        totals.all.merge(&means);
        if let Some(spectra) = &mut self.spectra {
            spectra.push(members, truth, measure, options.nan);
        }
        if let Some(spectra) = &mut self.lead_spectra {
            spectra.push(members, truth, measure, options.nan);
        }
        self.skipped += total.skipped;
        self.empty_cases += u64::from(means.cases == 0.0);
        Ok(means.numbers(count))
    }

    /// Cases taken in so far.
    pub fn cases(&self) -> u64 {
        self.pushed
    }

    /// Spectra of the channels at each step of time, so far: by degree on a sphere, elsewhere along the last axis. Empty where
    /// they were not asked for.
    pub fn lead_spectra(&self) -> Vec<Vec<Spectrum>> {
        let spectra = self.lead_spectra.as_ref();
        spectra.map_or_else(Vec::new, LeadSpectra::by_lead)
    }

    /// How points and channels count.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// All numbers, tables and curves, and the maps. Without a case they are NaN or empty.
    pub fn finish(self) -> (Report, MeanMaps) {
        let totals = self.totals.unwrap_or_else(|| {
            let tables = Tables::new(0, &self.options.levels, &self.options.events);
            Totals::new(0, &self.measure, tables)
        });
        let mut report = Report::new(&totals, &self.measure, &self.options);
        report.cases = self.pushed - self.empty_cases;
        report.empty_cases = self.empty_cases;
        report.skipped_values = self.skipped;
        report.bandwidth = self.options.pairs.then_some(self.bandwidth);
        report.spectra = self.spectra.map_or_else(Vec::new, |s| s.finish().concat());
        (report, MeanMaps::new(&self.map))
    }

    fn check(&self, members: &[f32], truth: &[f32]) -> Result<usize, CaseError> {
        let (case, field) = (self.pushed, self.measure.values());
        if truth.len() != field {
            return Err(CaseError::Truth {
                case,
                found: truth.len(),
                wanted: field,
                shape: self.measure.shape().to_vec(),
                channels: self.measure.channels(),
            });
        }
        let found = members.len();
        if found == 0 || field == 0 || !found.is_multiple_of(field) {
            return Err(CaseError::Members { case, found, field });
        }
        let found = found / field;
        match &self.totals {
            Some(totals) if totals.members != found => Err(CaseError::Count {
                case,
                found,
                wanted: totals.members,
            }),
            _ => Ok(found),
        }
    }
}
