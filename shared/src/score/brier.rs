//! Brier score: the squared error of a probability, and what it is made of.
//!
//! `BS = mean of (p - o)²` with the forecast probability `p` of an event and `o` = 1 where it happened, 0 elsewhere.
//!
//! - Range: 0 (certain and right) to 1 (certain and wrong). `BS = reliability - resolution + uncertainty`:
//!   reliability `Σ_k n_k (p_k - o_k)²/n` (0 is best), resolution `Σ_k n_k (o_k - o)²/n` (high is best), uncertainty
//!   `o (1 - o)`, which is the score of always forecasting the climatological frequency `o`.
//! - Estimator: `p` is the share of members ([`exceedance`](super::exceedance)). The sums run over the M + 1 values that
//!   `p` can have, so the three parts give the plain score exactly. The fair score is less by `p (1 - p)/(M - 1)` and in
//!   expectation does not depend on M; with one member it is the plain one.
//! - NaN: under the default policy a NaN makes all of it NaN.
//! - Reference: Brier, Mon. Weather Rev. 78 (1950); Murphy, J. Appl. Meteorol. 12 (1973); fair form: Ferro,
//!   Q. J. R. Meteorol. Soc. 140 (2014).

use serde::{Deserialize, Serialize};

/// The estimator in words.
pub const ESTIMATOR: &str =
    "plain and fair, mean over values by weight, parts over the M+1 possible probabilities";

/// The score and its parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Brier {
    /// Plain score.
    #[serde(with = "super::nan::nan_as_null")]
    pub score: f64,
    /// Fair score.
    #[serde(with = "super::nan::nan_as_null")]
    pub score_fair: f64,
    /// Distance of forecast probabilities from observed frequencies.
    #[serde(with = "super::nan::nan_as_null")]
    pub reliability: f64,
    /// Variance of observed frequencies between forecasts.
    #[serde(with = "super::nan::nan_as_null")]
    pub resolution: f64,
    /// Variance of the event itself.
    #[serde(with = "super::nan::nan_as_null")]
    pub uncertainty: f64,
    /// How often the event happened.
    #[serde(with = "super::nan::nan_as_null")]
    pub frequency: f64,
}

/// How often k of M members forecast an event, and how often it then happened.
#[derive(Debug, Clone, PartialEq)]
pub struct EventTable {
    /// Weight of values where k members were above, `[M + 1]`.
    forecast: Vec<f64>,
    /// Weight of those where the truth was.
    happened: Vec<f64>,
}

impl EventTable {
    /// Nothing yet, for this many members.
    pub fn new(members: usize) -> Self {
        Self {
            forecast: vec![0.0; members + 1],
            happened: vec![0.0; members + 1],
        }
    }

    /// Takes in one value: `above` members forecast the event.
    ///
    /// # Panics
    /// If there are more of them than members.
    pub fn push(&mut self, above: usize, happened: bool, weight: f64) {
        self.forecast[above] += weight;
        if happened {
            self.happened[above] += weight;
        }
    }

    /// Adds another part.
    ///
    /// # Panics
    /// If that has another number of members.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.forecast.len(), other.forecast.len(), "members");
        for (sums, parts) in [
            (&mut self.forecast, &other.forecast),
            (&mut self.happened, &other.happened),
        ] {
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += part;
            }
        }
    }

    /// Members.
    pub fn members(&self) -> usize {
        self.forecast.len() - 1
    }

    /// For each possible probability: it, its weight, and the weight of the event.
    pub fn rows(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let members = self.members() as f64;
        let pairs = self.forecast.iter().zip(&self.happened).enumerate();
        pairs.map(move |(k, (&n, &o))| (k as f64 / members, n, o))
    }

    /// The score and its parts; NaN without values.
    pub fn brier(&self) -> Brier {
        let total: f64 = self.forecast.iter().sum();
        let frequency = self.happened.iter().sum::<f64>() / total;
        let (mut score, mut unfair, mut reliability, mut resolution) = (0.0, 0.0, 0.0, 0.0);
        for (p, n, o) in self.rows().filter(|&(_, n, _)| n != 0.0) {
            score += o * (p - 1.0).powi(2) + (n - o) * p * p;
            unfair += n * p * (1.0 - p);
            reliability += n * (p - o / n).powi(2);
            resolution += n * (o / n - frequency).powi(2);
        }
        let others = (self.members() as f64 - 1.0).max(1.0);
        Brier {
            score: score / total,
            score_fair: (score - unfair / others) / total,
            reliability: reliability / total,
            resolution: resolution / total,
            uncertainty: frequency * (1.0 - frequency),
            frequency,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[(usize, bool)], members: usize) -> EventTable {
        let mut table = EventTable::new(members);
        for &(above, happened) in values {
            table.push(above, happened, 1.0);
        }
        table
    }

    #[test]
    fn four_forecasts_of_two_members_worked_by_hand() {
        // Probabilities 0, 1/2, 1/2, 1 with outcomes 0, 0, 1, 0.
        let found = table(&[(0, false), (1, false), (1, true), (2, false)], 2).brier();
        assert!((found.score - (0.25 + 0.25 + 1.0) / 4.0).abs() < 1e-15);
        // Less p (1 - p) = 1/4 for both of the two uncertain ones.
        assert!((found.score_fair - (1.5 - 0.5) / 4.0).abs() < 1e-15);
        assert!((found.reliability - 0.25).abs() < 1e-15);
        // Observed frequencies 0, 1/2, 1/2, 0 around 1/4.
        assert!((found.resolution - 1.0 / 16.0).abs() < 1e-15);
        assert!((found.uncertainty - 3.0 / 16.0).abs() < 1e-15);
    }

    #[test]
    fn the_parts_give_the_score() {
        let mut table = EventTable::new(7);
        for i in 0..500_usize {
            table.push(i * 31 % 8, i * 17 % 5 < i % 4, 0.3 + (i % 3) as f64);
        }
        let b = table.brier();
        let sum = b.reliability - b.resolution + b.uncertainty;
        assert!((b.score - sum).abs() < 1e-12, "{b:?}");
    }

    #[test]
    fn certain_forecasts_score_zero_and_one() {
        assert_eq!(table(&[(3, true), (0, false)], 3).brier().score, 0.0);
        assert_eq!(table(&[(0, true), (3, false)], 3).brier().score, 1.0);
        let one = table(&[(1, true), (0, true)], 1).brier();
        assert_eq!((one.score, one.score_fair), (0.5, 0.5));
        assert!(table(&[], 3).brier().score.is_nan());
    }
}
