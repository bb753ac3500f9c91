//! Coverage: how often the truth lies inside the central interval.
//!
//! `C = mean over points of [q(α/2) < y < q(1 - α/2)]` with α = 0.05.
//!
//! - Range: 0 to 1. The target is *not* 0.95: with this quantile rule a perfect ensemble of M members has
//!   [`expected`] coverage, 0.931 for M = 100.
//! - Estimator: quantiles by linear interpolation between sorted members at `q (M - 1)`; strictly inside counts.
//! - NaN: any NaN gives NaN.
//! - Reference: method of the paper, "Evaluation metrics".

/// The estimator in words.
pub const ESTIMATOR: &str = "central 95 % interval, quantiles linear at q(M-1), strictly inside, mean over points and channels";

/// Whether the truth lies strictly inside. A NaN is outside.
pub fn covers(lower: f32, upper: f32, truth: f32) -> bool {
    lower < truth && truth < upper
}

/// Coverage of a perfect ensemble, where truth and members are exchangeable: `(1 - α) (M - 1) / (M + 1)`.
///
/// The truth falls into each of the M + 1 gaps between members with equal chance, and the interval spans
/// `(1 - α) (M - 1)` of them (a part of a gap counts as that part, which is exact for the uniform distribution).
pub fn expected(members: usize, alpha: f64) -> f64 {
    (1.0 - alpha) * (members as f64 - 1.0) / (members as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_outside() {
        assert!(covers(0.0, 1.0, 0.5));
        assert!(!covers(0.0, 1.0, 0.0));
        assert!(!covers(0.0, 1.0, 1.0));
        assert!(!covers(2.0, 2.0, 2.0));
        assert!(!covers(0.0, 1.0, f32::NAN));
        assert!(!covers(f32::NAN, 1.0, 0.5));
    }

    #[test]
    fn a_perfect_ensemble_of_a_hundred_covers_0_931() {
        assert!((expected(100, 0.05) - (1.0 - 2.0 * 3.475 / 101.0)).abs() < 1e-12);
        assert_eq!(expected(1, 0.05), 0.0);
    }
}
