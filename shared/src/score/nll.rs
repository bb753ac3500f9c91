//! Negative log-likelihood (NLL) of the Gaussian with the ensemble's mean and spread, one point at a time.
//!
//! `NLL = log(σ √(2π)) + (y - μ)² / (2 σ²)`, then the mean over points.
//!
//! - Range: unbounded on both sides; lower is better; the best value is the Gaussian's entropy `1/2 + log(σ √(2π))`.
//! - Estimator: μ is the sample mean, σ the square root of the unbiased sample variance, clamped to
//!   [[`MIN_STD`], [`MAX_STD`]]. Values above about 10 are the clamp or a tiny ensemble speaking; one member always is.
//! - NaN: any NaN gives NaN.
//! - Reference: method of the paper, "Evaluation metrics".

/// Smallest standard deviation, as published.
pub const MIN_STD: f64 = 1e-6;

/// Largest standard deviation, as published.
pub const MAX_STD: f64 = 1e6;

/// The estimator in words.
pub const ESTIMATOR: &str =
    "Gaussian, sample mean and unbiased std clamped to [1e-6, 1e6], mean over points and channels";

/// `log √(2π)`.
const LOG_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// NLL of one point.
pub fn gaussian_nll(mean: f64, std: f64, truth: f64) -> f64 {
    // `clamp` keeps a NaN.
    let std = std.clamp(MIN_STD, MAX_STD);
    let z = (truth - mean) / std;
    LOG_ROOT_TWO_PI + std.ln() + 0.5 * z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_normal_at_its_mean_and_one_deviation_away() {
        let peak = 0.5 * (2.0 * std::f64::consts::PI).ln();
        assert!((gaussian_nll(0.0, 1.0, 0.0) - peak).abs() < 1e-15);
        assert!((gaussian_nll(0.0, 1.0, -1.0) - (peak + 0.5)).abs() < 1e-15);
        assert!((gaussian_nll(3.0, 2.0, 5.0) - (peak + 2.0_f64.ln() + 0.5)).abs() < 1e-15);
    }

    #[test]
    fn no_spread_is_clamped_to_the_smallest() {
        let peak = 0.5 * (2.0 * std::f64::consts::PI).ln();
        assert!((gaussian_nll(1.0, 0.0, 1.0) - (peak + 1e-6_f64.ln())).abs() < 1e-12);
        assert!(gaussian_nll(1.0, 0.0, 2.0) > 4e11);
    }

    #[test]
    fn a_nan_anywhere_gives_nan() {
        assert!(gaussian_nll(f64::NAN, 1.0, 0.0).is_nan());
        assert!(gaussian_nll(0.0, f64::NAN, 0.0).is_nan());
        assert!(gaussian_nll(0.0, 1.0, f64::NAN).is_nan());
    }
}
