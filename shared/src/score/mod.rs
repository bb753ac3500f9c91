//! Scores of an ensemble against the truth, on flat domains (every point weighs the same).
//!
//! Notation: members `u^m`, m = 1…M, truth `y`, both in **network (normalised) units**, the units of the published
//! tables. The norm `‖v‖` of a field is its root mean square ([`rms`]).
//!
//! | score | per case | best |
//! |---|---|---|
//! | [`l2`] | `‖mean u - y‖` | 0 |
//! | [`energy_score`] | fair estimator, whole field as one vector | lowest |
//! | [`crps`] | fair estimator, mean over points | lowest |
//! | [`nll`] | Gaussian by sample mean and unbiased standard deviation, mean over points | lowest |
//! | [`coverage`] | share of points inside the central 95 % interval | 0.931 for 100 members |
//! | [`interval_width`] | mean width of that interval | smallest at the right coverage |
//!
//! Over several cases every score is the plain mean of the cases' scores ([`ScoreSum`]).
//!
//! **NaN.** A NaN among the members or in the truth makes every score of that case NaN, and every mean over it: a
//! broken forecast is never scored by its unbroken part.
//!
//! **Ensemble of one.** The energy score is L2, the CRPS is the mean absolute error, width and coverage are 0, and
//! the NLL has the smallest standard deviation that it allows ([`nll::MIN_STD`]) and says nothing.

mod case;
pub mod coverage;
pub mod crps;
pub mod energy_score;
pub mod interval_width;
pub mod l2;
pub mod maps;
pub mod nll;
mod norm;
mod sum;

pub use case::{score_case, score_stream};
pub use energy_score::EnergyScore;
pub use maps::Maps;
pub use norm::rms;
pub use sum::ScoreSum;

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
