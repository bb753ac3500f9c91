//! Interval width: how sharp the forecast is.
//!
//! `W = mean over points of q(1 - α/2) - q(α/2)` with α = 0.05, the quantiles those of [`coverage`](super::coverage).
//!
//! - Range: 0 upwards, in the units of the field. It means something only next to the coverage.
//! - Estimator: quantiles by linear interpolation between sorted members at `q (M - 1)`; one member has width 0.
//! - NaN: any NaN gives NaN.
//! - Reference: method of the paper, "Evaluation metrics".

/// The estimator in words.
pub const ESTIMATOR: &str =
    "central 95 % interval, quantiles linear at q(M-1), mean over points and channels";

/// Width at one point.
pub fn interval_width(lower: f32, upper: f32) -> f64 {
    f64::from(upper) - f64::from(lower)
}
