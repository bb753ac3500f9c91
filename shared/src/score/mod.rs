//! Scores of an ensemble against the truth.
//!
//! Notation: members `u^m`, m = 1…M, truth `y`, in any units; the published tables are in **network (normalised) units**.
//! Arrays are `[member, points, channel]`, channels last. How points and channels count is a [`Measure`]: norms `‖v‖`
//! are means over points summed over channels, scores that are made point by point are means over both.
//!
//! | score | per case | best |
//! |---|---|---|
//! | [`l2`] | `‖mean u - y‖` | 0 |
//! | [`energy_score`] | fair estimator (and plain), whole field as one vector | lowest |
//! | [`kernel_score`] | fair estimator, Gaussian kernel of the norm | lowest |
//! | [`variogram_score`] | differences between neighbours, p = 1/2 | lowest |
//! | [`crps`] | fair estimator (and plain), mean over points | lowest |
//! | [`nll`] | Gaussian by sample mean and unbiased standard deviation, mean over points | lowest |
//! | [`quantile_score`] | pinball loss of a quantile | lowest |
//! | [`coverage`] | share of points inside the central 95 % interval | 0.931 for 100 members |
//! | [`interval_width`] | mean width of that interval | smallest at the right coverage |
//! | [`spread_skill`] | spread over error, and the curve | 1, the diagonal |
//! | [`rank_correlation`] | of spread and error over points | the more the better |
//! | [`rank_histogram`], [`pit`] | where the truth falls among the members | flat |
//! | [`brier`], [`reliability`] | probabilities of an event ([`exceedance`]) | 0, the diagonal |
//! | [`spectrum`], [`degrees`] | power by wavenumber, on a sphere by degree | that of the truth |
//! | [`spectrum_ratio`] | the wavenumber at which it is farthest from that | 1 |
//! | [`skill`] | a score beside that of a reference forecast, such as [`persistence`] | 1 |
//!
//! [`score_case`] gives the six of the published tables, [`Verification`] all of them over many cases, in one pass over
//! each. Over several cases a score is the plain mean of the cases' scores ([`ScoreSum`]).
//!
//! **NaN.** A NaN among the members or in the truth makes every number that it takes part in NaN, and every mean over
//! it: a broken forecast is never scored by its unbroken part. [`NanPolicy::Skip`] leaves out values without truth. An
//! infinite value is not left out by anything.
//!
//! **Ensemble of one.** The energy score is L2, the CRPS is the mean absolute error, width, spread and coverage are 0,
//! and the NLL has the smallest standard deviation that it allows ([`nll::MIN_STD`]) and says nothing.

pub mod brier;
mod case;
pub mod coverage;
pub mod crps;
pub mod degrees;
pub mod energy_score;
pub mod exceedance;
pub mod interval_width;
pub mod kernel_score;
pub mod l2;
pub mod maps;
pub mod measure;
mod nan;
pub mod nll;
mod norm;
mod numbers;
mod pairs;
mod pass;
pub mod persistence;
pub mod pit;
mod point;
mod point_map;
pub mod quantile_score;
pub mod rank_correlation;
pub mod rank_histogram;
pub mod reliability;
mod report;
pub mod skill;
pub mod spectrum;
pub mod spectrum_ratio;
pub mod spread_skill;
mod sum;
mod tallies;
mod threads;
pub mod variogram_score;
mod verification;

pub use case::{score_case, score_case_with, score_stream};
pub use energy_score::EnergyScore;
pub use exceedance::Event;
pub use maps::Maps;
pub use measure::Measure;
pub use nan::NanPolicy;
pub use numbers::{NUMBER_ESTIMATORS, Numbers};
pub use point_map::MeanMaps;
pub use report::{EventReport, Report};
pub use spectrum_ratio::SpectrumRatio;
pub use sum::ScoreSum;
pub use verification::{CaseError, Options, Verification};

use serde::{Deserialize, Serialize};

/// Level of the interval behind [`Scores::coverage`] and [`Scores::interval_width`]: central 95 %.
pub const ALPHA: f64 = 0.05;

/// Scores of one case, or the mean over several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Members of the ensemble.
    pub members: usize,
    /// Cases behind the mean.
    pub cases: usize,
    /// Norm of the error of the ensemble mean.
    pub l2: f64,
    /// Energy score.
    pub energy_score: f64,
    /// Continuous ranked probability score.
    pub crps: f64,
    /// Gaussian negative log-likelihood.
    pub nll: f64,
    /// Share of points inside the interval.
    pub coverage: f64,
    /// Width of the interval.
    pub interval_width: f64,
}

/// How each score is estimated, by its key in [`Scores`].
pub const ESTIMATORS: &[(&str, &str)] = &[
    ("l2", l2::ESTIMATOR),
    ("energy_score", energy_score::ESTIMATOR),
    ("crps", crps::ESTIMATOR),
    ("nll", nll::ESTIMATOR),
    ("coverage", coverage::ESTIMATOR),
    ("interval_width", interval_width::ESTIMATOR),
];
