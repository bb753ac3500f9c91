//! All scores that are one number, of a case or averaged over cases.
//!
//! Three of them are simple enough to have no file of their own. With `e = 1/M Σ_m u^m - y` at each value and `s²` the
//! unbiased variance of its members:
//!
//! | number | formula | range |
//! |---|---|---|
//! | `bias` | `mean e` | any; 0 is best |
//! | `rmse` | `√(mean e²)` | 0 (best) upwards |
//! | `spread` | `√(mean s²)` | 0 upwards; best where it matches the error ([`spread_skill`]) |
//!
//! - Estimator: means over points (by weight), channels and cases, the root last. The extent has no part in them: `rmse`
//!   of one case differs from [`l2`] by the square roots of extent and channels. `s²` has `1/(M-1)` and is 0 for one
//!   member.
//! - NaN: any NaN gives NaN.
//! - Reference: Wilks, Statistical Methods in the Atmospheric Sciences (2019), chapters 8 and 9.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measure::Measure;
use super::pairs::PairSquares;
use super::spread_skill::spread_skill;
use super::tallies::PointSums;
use super::{
    Scores, coverage, crps, energy_score, interval_width, kernel_score, l2, nll, rank_correlation,
    skill, spread_skill, variogram_score,
};

/// All scores that are one number. Means over cases, but for `rmse`, `spread` and `spread_skill`, which are roots of
/// means over cases. The last five are not there where they were not asked for: as JSON they are null then, and the
/// text "NaN" where they were asked for and are NaN. A number that is infinite is the text "Infinity" or
/// "-Infinity".
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    /// Norm of the error of the ensemble mean.
    #[serde(with = "super::nan::nan_as_null")]
    pub l2: f64,
    /// Root mean square error of the ensemble mean: channels are averaged and the extent has no part.
    #[serde(with = "super::nan::nan_as_null")]
    pub rmse: f64,
    /// Mean error of the ensemble mean.
    #[serde(with = "super::nan::nan_as_null")]
    pub bias: f64,
    /// Root mean unbiased variance of the members.
    #[serde(with = "super::nan::nan_as_null")]
    pub spread: f64,
    /// Spread over error, corrected for the finite ensemble.
    #[serde(with = "super::nan::nan_as_null")]
    pub spread_skill: f64,
    /// Fair CRPS.
    #[serde(with = "super::nan::nan_as_null")]
    pub crps: f64,
    /// Plain CRPS.
    #[serde(with = "super::nan::nan_as_null")]
    pub crps_plain: f64,
    /// Gaussian negative log-likelihood.
    #[serde(with = "super::nan::nan_as_null")]
    pub nll: f64,
    /// Share of values inside the central 95 % interval.
    #[serde(with = "super::nan::nan_as_null")]
    pub coverage: f64,
    /// Width of the interval.
    #[serde(with = "super::nan::nan_as_null")]
    pub interval_width: f64,
    /// Fair energy score.
    #[serde(with = "super::nan::asked_nan_as_text")]
    pub energy_score: Option<f64>,
    /// Plain energy score.
    #[serde(with = "super::nan::asked_nan_as_text")]
    pub energy_score_plain: Option<f64>,
    /// Fair Gaussian kernel score.
    #[serde(with = "super::nan::asked_nan_as_text")]
    pub kernel_score: Option<f64>,
    /// Variogram score of neighbours.
    #[serde(with = "super::nan::asked_nan_as_text")]
    pub variogram_score: Option<f64>,
    /// Rank correlation of spread and error; not there either where no case has one, and in older files.
    #[serde(default, with = "super::nan::asked_nan_as_text")]
    pub rank_correlation: Option<f64>,
}

/// How each of [`Numbers`] is estimated, by its key.
pub const NUMBER_ESTIMATORS: &[(&str, &str)] = &[
    ("l2", l2::ESTIMATOR),
    (
        "rmse",
        "root of the mean square error of the ensemble mean over points, channels and cases",
    ),
    (
        "bias",
        "ensemble mean less truth, mean over points, channels and cases",
    ),
    (
        "spread",
        "root of the mean unbiased variance over points, channels and cases",
    ),
    ("spread_skill", spread_skill::ESTIMATOR),
    ("crps", crps::ESTIMATOR),
    ("crps_plain", crps::ESTIMATOR_PLAIN),
    ("nll", nll::ESTIMATOR),
    ("coverage", coverage::ESTIMATOR),
    ("interval_width", interval_width::ESTIMATOR),
    ("energy_score", energy_score::ESTIMATOR),
    ("energy_score_plain", energy_score::ESTIMATOR_PLAIN),
    ("kernel_score", kernel_score::ESTIMATOR),
    ("variogram_score", variogram_score::ESTIMATOR),
    ("rank_correlation", rank_correlation::ESTIMATOR),
];

/// Scores whose best value is 0, so that they have a skill.
const BEST_IS_ZERO: [&str; 8] = [
    "l2",
    "rmse",
    "crps",
    "crps_plain",
    "energy_score",
    "energy_score_plain",
    "kernel_score",
    "variogram_score",
];

impl Numbers {
    /// All of them with their keys, in the order of [`NUMBER_ESTIMATORS`].
    pub fn named(&self) -> [(&'static str, Option<f64>); 15] {
        let values = [
            Some(self.l2),
            Some(self.rmse),
            Some(self.bias),
            Some(self.spread),
            Some(self.spread_skill),
            Some(self.crps),
            Some(self.crps_plain),
            Some(self.nll),
            Some(self.coverage),
            Some(self.interval_width),
            self.energy_score,
            self.energy_score_plain,
            self.kernel_score,
            self.variogram_score,
            self.rank_correlation,
        ];
        std::array::from_fn(|i| (NUMBER_ESTIMATORS[i].0, values[i]))
    }

    /// Skill against a reference forecast, for each score whose best value is 0. Both must be of the same cases and points:
    /// [`Report::skill`](super::Report::skill) asks.
    pub fn skill(&self, reference: &Self) -> BTreeMap<String, f64> {
        let pairs = self.named().into_iter().zip(reference.named());
        let skills = pairs
            .filter(|((key, _), _)| BEST_IS_ZERO.contains(key))
            .filter_map(|((key, ours), (_, theirs))| {
                Some((key.to_owned(), skill::skill(ours?, theirs?)))
            });
        skills.collect()
    }

    /// The scores that checkpoints hold; the energy score is NaN where it was not asked for.
    pub fn scores(&self, members: usize, cases: usize) -> Scores {
        Scores {
            members,
            cases,
            l2: self.l2,
            energy_score: self.energy_score.unwrap_or(f64::NAN),
            crps: self.crps,
            nll: self.nll,
            coverage: self.coverage,
            interval_width: self.interval_width,
        }
    }
}

/// What can be averaged over cases.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Means {
    pub(crate) cases: f64,
    l2: f64,
    squared_error: f64,
    error: f64,
    variance: f64,
    crps: f64,
    crps_plain: f64,
    nll: f64,
    hits: f64,
    width: f64,
    pairs: Option<PairScores>,
    variogram: Option<CaseMean>,
    rank_correlation: Option<CaseMean>,
}

/// A mean over those cases that have the score.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CaseMean {
    sum: f64,
    cases: f64,
}

impl CaseMean {
    /// Of one case, which may not have it.
    pub fn of(score: Option<f64>) -> Self {
        score.map_or_else(Self::default, |sum| Self { sum, cases: 1.0 })
    }

    fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.cases += other.cases;
    }

    /// Nothing without a case.
    pub fn known(self) -> Option<f64> {
        (self.cases > 0.0).then(|| self.value())
    }

    /// NaN without a case.
    fn value(self) -> f64 {
        self.sum / self.cases
    }
}

/// Scores that are made of distances between members.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairScores {
    pub energy: f64,
    pub energy_plain: f64,
    pub kernel: f64,
}

impl PairScores {
    /// From squared distances over values of this weight.
    pub fn new(squares: &PairSquares, measure: &Measure, weight: f64, bandwidth: f64) -> Self {
        let norms = squares.sums(|square| measure.norm(square, weight));
        let kernels =
            squares.sums(|square| kernel_score::kernel(measure.norm(square, weight), bandwidth));
        Self {
            energy: energy_score::fair(&norms),
            energy_plain: energy_score::plain(&norms),
            kernel: kernel_score::fair(&kernels),
        }
    }
}

impl Means {
    /// Of one case; nothing where every value was left out.
    pub fn new(
        sums: &PointSums,
        measure: &Measure,
        pairs: Option<PairScores>,
        variogram: Option<CaseMean>,
    ) -> Self {
        if sums.weight == 0.0 {
            return Self::default();
        }
        let over = 1.0 / sums.weight;
        Self {
            cases: 1.0,
            l2: measure.norm(sums.squared_error, sums.weight),
            squared_error: sums.squared_error * over,
            error: sums.error * over,
            variance: sums.variance * over,
            crps: sums.crps * over,
            crps_plain: sums.crps_plain * over,
            nll: sums.nll * over,
            hits: sums.hits * over,
            width: sums.width * over,
            pairs,
            variogram,
            rank_correlation: None,
        }
    }

    /// With the rank correlation of the case, where it was asked for.
    #[must_use]
    pub fn with_rank_correlation(mut self, rank_correlation: Option<CaseMean>) -> Self {
        self.rank_correlation = rank_correlation;
        self
    }

    /// Adds cases.
    pub fn merge(&mut self, other: &Self) {
        if other.cases == 0.0 {
            return;
        }
        if self.cases == 0.0 {
            *self = *other;
            return;
        }
        self.cases += other.cases;
        self.l2 += other.l2;
        self.squared_error += other.squared_error;
        self.error += other.error;
        self.variance += other.variance;
        self.crps += other.crps;
        self.crps_plain += other.crps_plain;
        self.nll += other.nll;
        self.hits += other.hits;
        self.width += other.width;
        if let (Some(pairs), Some(others)) = (&mut self.pairs, &other.pairs) {
            pairs.energy += others.energy;
            pairs.energy_plain += others.energy_plain;
            pairs.kernel += others.kernel;
        }
        if let (Some(variogram), Some(other)) = (&mut self.variogram, other.variogram) {
            variogram.merge(other);
        }
        if let (Some(mean), Some(other)) = (&mut self.rank_correlation, other.rank_correlation) {
            mean.merge(other);
        }
    }

    /// The numbers; NaN without a case.
    pub fn numbers(&self, members: usize) -> Numbers {
        let over = 1.0 / self.cases;
        let pairs = |f: fn(&PairScores) -> f64| self.pairs.as_ref().map(|p| f(p) * over);
        let mean = |sum: f64| {
            if self.cases == 0.0 {
                f64::NAN
            } else {
                sum * over
            }
        };
        Numbers {
            l2: mean(self.l2),
            rmse: mean(self.squared_error).sqrt(),
            bias: mean(self.error),
            spread: mean(self.variance).sqrt(),
            spread_skill: spread_skill(members, mean(self.variance), mean(self.squared_error)),
            crps: mean(self.crps),
            crps_plain: mean(self.crps_plain),
            nll: mean(self.nll),
            coverage: mean(self.hits),
            interval_width: mean(self.width),
            energy_score: pairs(|p| p.energy),
            energy_score_plain: pairs(|p| p.energy_plain),
            kernel_score: pairs(|p| p.kernel),
            variogram_score: self.variogram.map(CaseMean::value),
            rank_correlation: self.rank_correlation.and_then(CaseMean::known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_name_and_its_estimator() {
        let printed = format!("{:?}", Means::default().numbers(3));
        let numbers = Means::default().numbers(3);
        assert_eq!(numbers.named().len(), NUMBER_ESTIMATORS.len());
        for (key, _) in numbers.named() {
            assert!(printed.contains(&format!(" {key}: ")), "{key} in {printed}");
        }
        assert_eq!(printed.matches(": ").count(), NUMBER_ESTIMATORS.len());
    }

    #[test]
    fn squares_are_averaged_before_the_root() {
        let case = |error: f64| {
            let sums = PointSums {
                weight: 1.0,
                error,
                squared_error: error * error,
                variance: 12.0,
                ..PointSums::default()
            };
            Means::new(&sums, &Measure::flat(1), None, None)
        };
        let mut means = case(1.0);
        means.merge(&case(-7.0));
        // A case that was left out changes nothing.
        means.merge(&Means::default());
        let found = means.numbers(3);
        assert_eq!((found.l2, found.rmse, found.bias), (4.0, 5.0, -3.0));
        assert_eq!(found.spread_skill, 0.8);
        assert_eq!(found.energy_score, None);
    }
}
