//! Quantile (pinball) score: how good one quantile of the forecast is.
//!
//! `QS = (y - q) τ` where the truth `y` lies above the quantile `q` of level τ, `(q - y)(1 - τ)` below; mean over points
//! and channels. Twice its mean over all levels is the CRPS.
//!
//! - Range: 0 (the quantile is the truth) upwards, in the units of the field. For τ = 1/2 half the absolute error of the
//!   median.
//! - Estimator: quantiles by linear interpolation between sorted members at `τ (M - 1)`; it is not fair.
//! - NaN: any NaN gives NaN.
//! - Reference: Koenker & Bassett, Econometrica 46 (1978); Gneiting & Raftery, J. Am. Stat. Assoc. 102 (2007), section 6.

use serde::{Deserialize, Serialize};

/// The estimator in words.
pub const ESTIMATOR: &str =
    "pinball loss, quantiles linear at q(M-1), mean over points and channels";

/// Levels that go without saying.
pub const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// The score of one level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QuantileScore {
    /// Level τ.
    pub level: f64,
    /// The score.
    #[serde(with = "super::nan::nan_as_null")]
    pub score: f64,
}

/// The score of one quantile.
pub fn pinball(quantile: f32, truth: f32, level: f64) -> f64 {
    let distance = f64::from(truth) - f64::from(quantile);
    if distance < 0.0 {
        (level - 1.0) * distance
    } else {
        level * distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::quantiles::sorted_quantile;
    use crate::score::crps::sorted_crps_plain;

    #[test]
    fn both_sides_worked_by_hand() {
        assert!((pinball(1.0, 3.0, 0.9) - 1.8).abs() < 1e-12);
        assert!((pinball(3.0, 1.0, 0.9) - 0.2).abs() < 1e-12);
        assert_eq!(pinball(2.0, 2.0, 0.1), 0.0);
        assert!(pinball(f32::NAN, 2.0, 0.1).is_nan());
    }

    #[test]
    fn the_mean_over_all_levels_is_half_the_crps() {
        let sorted: Vec<f32> = (0..400).map(|i| (i as f32 / 50.0 - 4.0).powi(3)).collect();
        let levels = 2000;
        let mean = (0..levels)
            .map(|i| {
                let level = (f64::from(i) + 0.5) / f64::from(levels);
                pinball(sorted_quantile(&sorted, level), 5.0, level)
            })
            .sum::<f64>()
            / f64::from(levels);
        let crps = sorted_crps_plain(&sorted, 5.0);
        assert!(
            (2.0 * mean - crps).abs() < 0.005 * crps,
            "{mean} and {crps}"
        );
    }
}
