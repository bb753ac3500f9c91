//! Spread against skill: whether the ensemble's spread says how large its error is.
//!
//! `ratio = √((M + 1)/M) · √(mean variance) / √(mean squared error of the ensemble mean)`, both means over points,
//! channels and cases.
//!
//! - Range: 0 upwards; 1 for a reliable ensemble of any size, below 1 where it is too sure of itself; infinite where a
//!   mean with spread has no error.
//! - Estimator: the variance is unbiased, `1/(M-1)`. The mean of M members is off by `1/M` of the variance by itself,
//!   which the factor `(M + 1)/M` makes good. One member has no spread: 0.
//! - Curve: the same two roots for points of similar spread. Spreads are counted in fixed narrow bins (four to each
//!   factor of two), so that cases stream through, and neighbours are put together at the end until each holds about
//!   the same weight. On a reliable ensemble the curve lies on the diagonal, but for its ends: the spread is itself an
//!   estimate, and the smallest and largest estimates are too small and too large (by about `1/√(2M)`).
//! - NaN: any NaN makes the ratio NaN, and the curve has no bin for it.
//! - Reference: Fortin et al., J. Hydrometeorol. 15 (2014); Leutbecher & Palmer, J. Comput. Phys. 227 (2008).

use serde::{Deserialize, Serialize};

/// The estimator in words.
pub const ESTIMATOR: &str =
    "sqrt((M+1)/M) root mean unbiased variance over root mean square error of the ensemble mean";

/// Points of the curve.
pub const CURVE_BINS: usize = 10;

/// The ratio from means over everything.
pub fn spread_skill(members: usize, mean_variance: f64, mean_squared_error: f64) -> f64 {
    (finite_ensemble(members) * mean_variance / mean_squared_error).sqrt()
}

/// `(M + 1) / M`.
fn finite_ensemble(members: usize) -> f64 {
    (members as f64 + 1.0) / members as f64
}

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpreadBin {
    /// Share of the weight of all values.
    #[serde(with = "super::nan::nan_as_null")]
    pub share: f64,
    /// Root mean variance, with the factor `(M + 1)/M`.
    #[serde(with = "super::nan::nan_as_null")]
    pub spread: f64,
    /// Root mean square error of the ensemble mean.
    #[serde(with = "super::nan::nan_as_null")]
    pub error: f64,
}

/// Bits of an `f32` that are dropped to find its bin: two bits of the mantissa stay.
const DROPPED: u32 = 21;
/// Bins for all positive floats.
const FINE_BINS: usize = (0x7F80_0000_u32 >> DROPPED) as usize + 1;

/// Sums by spread, over any number of cases.
#[derive(Debug, Clone)]
pub(crate) struct SpreadBins {
    bins: Vec<Sums>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    weight: f64,
    variance: f64,
    squared_error: f64,
}

impl SpreadBins {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            bins: vec![Sums::default(); FINE_BINS],
        }
    }

    /// Takes in one point. One with a NaN has no place.
    pub fn push(&mut self, variance: f64, error: f64, weight: f64) {
        let spread = variance.sqrt() as f32;
        let Some(bin) = self.bins.get_mut((spread.to_bits() >> DROPPED) as usize) else {
            return;
        };
        bin.weight += weight;
        bin.variance += weight * variance;
        bin.squared_error += weight * error * error;
    }

    /// Adds another part.
    pub fn merge(&mut self, other: &Self) {
        for (sum, bin) in self.bins.iter_mut().zip(&other.bins) {
            sum.weight += bin.weight;
            sum.variance += bin.variance;
            sum.squared_error += bin.squared_error;
        }
    }

    /// The curve, by rising spread.
    pub fn curve(&self, members: usize) -> Vec<SpreadBin> {
        let total: f64 = self.bins.iter().map(|bin| bin.weight).sum();
        let mut curve = vec![];
        let mut open = Sums::default();
        let mut before = 0.0;
        for bin in self.bins.iter().filter(|bin| bin.weight > 0.0) {
            open.weight += bin.weight;
            open.variance += bin.variance;
            open.squared_error += bin.squared_error;
            let wanted = (curve.len() + 1) as f64 / CURVE_BINS as f64;
            // A bin is closed at its share of all; the last takes what rounding leaves.
            if before + open.weight >= total * wanted * (1.0 - 1e-12) {
                before += open.weight;
                curve.push(open.bin(members, total));
                open = Sums::default();
            }
        }
        if open.weight > 0.0 {
            curve.push(open.bin(members, total));
        }
        curve
    }
}

impl Sums {
    fn bin(self, members: usize, total: f64) -> SpreadBin {
        SpreadBin {
            share: self.weight / total,
            spread: (finite_ensemble(members) * self.variance / self.weight).sqrt(),
            error: (self.squared_error / self.weight).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_two_members_worked_by_hand() {
        assert_eq!(spread_skill(2, 6.0, 4.0), 1.5);
        assert_eq!(spread_skill(1, 0.0, 4.0), 0.0);
        assert!(spread_skill(2, f64::NAN, 4.0).is_nan());
    }

    #[test]
    fn points_are_put_together_by_spread() {
        let mut bins = SpreadBins::new();
        for i in 0..1000 {
            let spread = 10.0_f64.powi(i % 5);
            bins.push(spread * spread, 2.0 * spread, 1.0);
        }
        bins.push(f64::NAN, 1.0, 1.0);
        let curve = bins.curve(1_000_000_000);
        assert_eq!(curve.len(), 5);
        for (i, bin) in (0..).zip(&curve) {
            assert!((bin.share - 0.2).abs() < 1e-12);
            assert!((bin.spread - 10.0_f64.powi(i)).abs() < 1e-6 * bin.spread);
            assert!((bin.error - 2.0 * bin.spread).abs() < 1e-6 * bin.spread);
        }
    }

    #[test]
    fn a_smooth_range_of_spreads_gives_ten_bins_of_the_same_weight() {
        let mut bins = SpreadBins::new();
        for i in 0..10_000 {
            let spread = (f64::from(i) / 1000.0).exp();
            bins.push(spread * spread, spread, 2.0);
        }
        let curve = bins.curve(4);
        assert_eq!(curve.len(), CURVE_BINS);
        for bin in curve {
            // A tenth of e^10 in fine bins of a quarter of a factor of two.
            assert!((bin.share - 0.1).abs() < 0.02, "{bin:?}");
            assert!((bin.spread / bin.error - 1.25_f64.sqrt()).abs() < 1e-12);
        }
    }
}
