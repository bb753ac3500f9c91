//! Continuous ranked probability score (CRPS), one point at a time.
//!
//! `CRPS = 1/M Σ_m |u^m - y| - 1/(2M(M-1)) Σ_{m,h} |u^m - u^h|`, then the mean over points.
//!
//! - Range: 0 upwards, in the units of the field. 0 for a forecast with all mass on the truth; the *fair* estimate is 0
//!   also where the truth lies between two members, but never below (triangle inequality, pair by pair).
//! - Estimator: fair, so its expectation does not depend on M. With one member it is the absolute error.
//!   The *plain* estimate has `1/(2M²)`: the CRPS of the ensemble as a distribution of its own, and higher.
//! - Cost: O(M log M) for the sort. In sorted order the pair sum is `Σ_{m,h} |u^m - u^h| = 2 Σ_i (2i - M + 1) u_(i)`.
//! - NaN: any NaN gives NaN (a column with a NaN has no order, so its caller does not ask).
//! - Reference: Gneiting & Raftery, J. Am. Stat. Assoc. 102 (2007), equation 21; fair form: Ferro, Q. J. R. Meteorol.
//!   Soc. 140 (2014).

/// The estimator in words.
pub const ESTIMATOR: &str = "fair, 1/(2M(M-1)) over all pairs, mean over points and channels";

/// The plain estimator in words.
pub const ESTIMATOR_PLAIN: &str = "plain, 1/(2M^2) over all pairs, mean over points and channels";

/// Fair CRPS of one point from its members in rising order.
pub fn sorted_crps(sorted: &[f32], truth: f32) -> f64 {
    let (error, pairs) = sums(sorted, truth);
    fair(error, pairs, sorted.len() as f64)
}

/// Plain CRPS of one point from its members in rising order.
pub fn sorted_crps_plain(sorted: &[f32], truth: f32) -> f64 {
    let (error, pairs) = sums(sorted, truth);
    plain(error, pairs, sorted.len() as f64)
}

/// `Σ_m |u^m - y|` and `Σ_{m<h} |u^m - u^h|`.
fn sums(sorted: &[f32], truth: f32) -> (f64, f64) {
    let truth = f64::from(truth);
    let (mut error, mut pairs) = (0.0, 0.0);
    let mut rank = 1.0 - sorted.len() as f64;
    for &value in sorted {
        // Distances from the truth instead of values: the ranks sum to zero, and the terms stay small.
        let distance = f64::from(value) - truth;
        error += distance.abs();
        pairs += rank * distance;
        rank += 2.0;
    }
    (error, pairs)
}

/// The fair estimate from both sums over `count` members.
#[inline(always)]
pub(crate) fn fair(error: f64, pairs: f64, count: f64) -> f64 {
    // One member has no pair: the divisor is then anything but zero.
    error / count - pairs / (count * (count - 1.0).max(1.0))
}

/// The plain estimate from both sums over `count` members.
#[inline(always)]
pub(crate) fn plain(error: f64, pairs: f64, count: f64) -> f64 {
    error / count - pairs / (count * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_members_worked_by_hand() {
        // Errors 1 + 0 + 3 over 3; pairs (1 + 4 + 3) * 2 = 16 over 2 * 3 * 2.
        let found = sorted_crps(&[1.0, 2.0, 5.0], 2.0);
        assert!((found - (4.0 / 3.0 - 16.0 / 12.0)).abs() < 1e-15);
    }

    #[test]
    fn one_member_gives_the_absolute_error() {
        assert_eq!(sorted_crps(&[1.5], -2.0), 3.5);
    }

    #[test]
    fn repeated_members_give_the_absolute_error() {
        assert_eq!(sorted_crps(&[0.5; 7], 2.0), 1.5);
    }

    #[test]
    fn the_fair_estimate_forgives_two_members_that_enclose_the_truth() {
        // Errors (1 + 3) / 2; pairs 2 * 4 / (2 * 2 * 1).
        assert_eq!(sorted_crps(&[-1.0, 3.0], 0.0), 0.0);
    }

    #[test]
    fn the_plain_estimate_worked_by_hand() {
        assert_eq!(sorted_crps_plain(&[-1.0, 3.0], 0.0), 1.0);
        assert_eq!(sorted_crps_plain(&[1.5], -2.0), 3.5);
        assert_eq!(sorted_crps_plain(&[0.5; 7], 2.0), 1.5);
    }

    #[test]
    fn a_nan_truth_gives_nan() {
        assert!(sorted_crps(&[0.0, 1.0], f32::NAN).is_nan());
    }
}
