//! Rank histogram: where the truth falls among the sorted members.
//!
//! `rank = number of members below the truth`, 0 to M, counted over all points, channels and cases by weight.
//!
//! - Shape: flat if truth and members are exchangeable; a bowl where the ensemble is too narrow, a dome where it is too
//!   wide, a slope where it is biased.
//! - Estimator: counting, each value by its weight, over all cases together.
//! - Ties: of `t` members equal to the truth the rank is `below + 0..=t` with equal chance (rain is often exactly zero).
//!   The chance is the project's keyed noise of (seed, case, value): the same histogram everywhere and every time.
//! - Flatness: `δ = n K / (K - 1) Σ_k (f_k - 1/K)²` with K = M + 1 ranks of frequency `f_k` and n samples. It is
//!   chi-square over its degrees of freedom: 1 in the mean for a reliable ensemble, in [`flatness_band`]
//!   for 95 % of them **if samples are independent**. Neighbouring points are not: with few cases of smooth fields δ
//!   above the band proves nothing. The band with `cases` as the number of samples is the other extreme.
//! - Range: frequencies sum to 1; δ from 0 upwards. One member: two ranks.
//! - NaN: a NaN has no rank; under the default policy it makes all frequencies NaN.
//! - Reference: Hamill, Mon. Weather Rev. 129 (2001); δ: Candille & Talagrand, Q. J. R. Meteorol. Soc. 131 (2005).

use serde::{Deserialize, Serialize};

use crate::noise::{Key, threefry};

/// The estimator in words.
pub const ESTIMATOR: &str = "frequency of each rank by weight, ties at random by keyed noise, flatness is chi-square over M";

/// 97.5 % point of the standard normal distribution.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// Frequencies of the ranks, and whether they could be those of a reliable ensemble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankHistogram {
    /// Share of each rank, `[M + 1]`, sum 1.
    #[serde(with = "super::nan::nans_as_null")]
    pub frequencies: Vec<f64>,
    /// Values that were ranked.
    pub samples: u64,
    /// Flatness δ with that many samples.
    #[serde(with = "super::nan::nan_as_null")]
    pub flatness: f64,
    /// Where δ of a reliable ensemble lies in 95 of 100 cases, were all samples independent.
    pub flatness_band: [f64; 2],
    /// Where each frequency of a reliable ensemble lies in 95 of 100 cases, were all samples independent.
    pub frequency_band: [f64; 2],
    /// The same were only whole cases independent.
    pub frequency_band_of_cases: [f64; 2],
}

impl RankHistogram {
    /// From the weight of each rank.
    pub fn new(weights: &[f64], samples: u64, cases: u64) -> Self {
        let total: f64 = weights.iter().sum();
        let frequencies: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let ranks = weights.len();
        Self {
            flatness: flatness(&frequencies, samples as f64),
            flatness_band: flatness_band(ranks),
            frequency_band: frequency_band(ranks, samples as f64),
            frequency_band_of_cases: frequency_band(ranks, cases as f64),
            frequencies,
            samples,
        }
    }
}

/// Rank of the truth from the members below and equal to it; `draw` breaks ties.
pub fn rank(below: u32, equal: u32, draw: impl FnOnce() -> u32) -> u32 {
    if equal == 0 {
        return below;
    }
    let choices = u64::from(equal) + 1;
    below + ((u64::from(draw()) * choices) >> 32) as u32
}

/// The 32 bits that break the tie at one value.
pub(crate) fn tie_bits(key: Key, value: usize) -> u32 {
    threefry(key, [value as u32, (value as u64 >> 32) as u32])[0]
}

/// δ of frequencies that sum to 1.
pub fn flatness(frequencies: &[f64], samples: f64) -> f64 {
    let ranks = frequencies.len() as f64;
    let squares: f64 = frequencies.iter().map(|f| (f - 1.0 / ranks).powi(2)).sum();
    samples * ranks / (ranks - 1.0) * squares
}

/// Central 95 % of δ for independent samples: chi-square by the cubes of Wilson and Hilferty, good to 1 % from five
/// degrees of freedom.
pub fn flatness_band(ranks: usize) -> [f64; 2] {
    let part = 2.0 / (9.0 * (ranks as f64 - 1.0));
    [-Z, Z].map(|z| (1.0 - part + z * part.sqrt()).max(0.0).powi(3))
}

/// Central 95 % of a frequency of independent samples, by its normal approximation.
pub fn frequency_band(ranks: usize, samples: f64) -> [f64; 2] {
    let share = 1.0 / ranks as f64;
    let deviation = Z * (share * (1.0 - share) / samples).sqrt();
    [(share - deviation).max(0.0), (share + deviation).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_takes_each_of_its_ranks_equally_often() {
        let mut counts = [0_u32; 4];
        for value in 0..40_000 {
            counts[rank(1, 2, || tie_bits([3, 4], value)) as usize] += 1;
        }
        assert_eq!(counts[0], 0);
        // Five standard deviations of a share of a third.
        for count in &counts[1..] {
            assert!(
                (f64::from(*count) - 40_000.0 / 3.0).abs() < 5.0 * 94.3,
                "{counts:?}"
            );
        }
        assert_eq!(rank(7, 0, || panic!("there is no tie")), 7);
        assert_eq!((rank(0, 5, || 0), rank(0, 5, || u32::MAX)), (0, 5));
        assert_eq!(tie_bits([1, 2], 77), tie_bits([1, 2], 77));
    }

    #[test]
    fn flatness_worked_by_hand() {
        // Counts 10, 20, 30 where 20 are expected: chi-square 5 + 0 + 5 over two degrees of freedom.
        let histogram = RankHistogram::new(&[10.0, 20.0, 30.0], 60, 6);
        assert!((histogram.flatness - 5.0).abs() < 1e-12);
        assert_eq!(histogram.frequencies[0], 1.0 / 6.0);
        let half = Z * (2.0 / 9.0 / 60.0_f64).sqrt();
        assert!((histogram.frequency_band[1] - (1.0 / 3.0 + half)).abs() < 1e-12);
        assert!(histogram.frequency_band_of_cases[1] > histogram.frequency_band[1]);
    }

    #[test]
    fn the_band_is_that_of_chi_square() {
        // Tables: chi-square of 10 degrees of freedom has 3.247 and 20.483, of 100 has 74.222 and 129.561.
        for (ranks, low, high) in [(11, 0.3247, 2.0483), (101, 0.74222, 1.29561)] {
            let [found_low, found_high] = flatness_band(ranks);
            assert!((found_low - low).abs() < 0.003, "{found_low} for {low}");
            assert!((found_high - high).abs() < 0.003, "{found_high} for {high}");
        }
    }
}
