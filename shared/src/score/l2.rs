//! L2: the error of the ensemble mean.
//!
//! `L2 = ‖1/M Σ_m u^m - y‖`, a root mean square per case ("MSE" in the logs of the published runs).
//! Over several cases it is the mean of the norms, not the root of a mean.
//!
//! - Range: 0 (the mean is the truth) upwards, in the units of the field.
//! - Estimator: none needed; the mean is the plain mean of the members.
//! - NaN: any NaN gives NaN.
//! - Reference: method of the paper, "Evaluation metrics".

use super::norm::squared_distance;

/// The estimator in words.
pub const ESTIMATOR: &str = "norm of the error of the ensemble mean (mean square over points, summed over channels), mean over cases";

/// L2 from the ensemble mean.
///
/// # Panics
/// If the fields differ in length.
pub fn l2(mean: &[f32], truth: &[f32]) -> f64 {
    assert_eq!(
        mean.len(),
        truth.len(),
        "points of the mean and of the truth"
    );
    (squared_distance(mean, truth) / truth.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_worked_by_hand() {
        assert_eq!(l2(&[1.0, 2.0], &[4.0, -2.0]), 12.5_f64.sqrt());
        assert_eq!(l2(&[1.0, 2.0], &[1.0, 2.0]), 0.0);
        assert!(l2(&[f32::NAN, 2.0], &[1.0, 2.0]).is_nan());
    }
}
