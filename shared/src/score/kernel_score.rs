//! Gaussian kernel score: the energy score's relative that looks at distances up to a bandwidth.
//!
//! `KS = 1/2 E k(u, u') - E k(u, y) + 1/2` with `k(a, b) = exp(-‖a - b‖² / (2 h²))`, the whole field being one vector.
//!
//! - Range: 0 to 1 for the plain estimate; 0 for a forecast with all mass on the truth. The fair estimate can fall
//!   below 0 by at most 1/(2M). Where all distances are much larger than `h` it is 1/2 (fair) whatever the forecast,
//!   where they are much smaller it is half a squared distance: the bandwidth must suit the field.
//! - Bandwidth: `h` must not depend on the forecast, or the score is not proper. [`bandwidth`] is the norm of the
//!   field that is 1 everywhere: in network units, one standard deviation at every point.
//! - Estimator: fair, `1/(M(M-1)) Σ_{m≠h}`, or plain, `1/M² Σ_{m,h}` with each member against itself. With one member
//!   both are `1 - k(u, y)`.
//! - Cost: that of the energy score, with which it shares the distances.
//! - NaN: any NaN gives NaN.
//! - Reference: Gneiting & Raftery, J. Am. Stat. Assoc. 102 (2007), section 5.1 (theorem 4); fair form as in Ferro,
//!   Q. J. R. Meteorol. Soc. 140 (2014).

use super::measure::Measure;
use super::nan::NanPolicy;
use super::pairs::{PairSums, squares_of};

/// The estimator in words.
pub const ESTIMATOR: &str =
    "fair, Gaussian kernel of the norm, 1/(M(M-1)) over unequal pairs, bandwidth as named";

/// The plain estimator in words.
pub const ESTIMATOR_PLAIN: &str =
    "plain, Gaussian kernel of the norm, 1/M^2 over all pairs, bandwidth as named";

/// The bandwidth that goes without saying: the norm of the field that is 1 everywhere, `√(extent · channels)`.
pub fn bandwidth(measure: &Measure) -> f64 {
    measure.norm(1.0, 1.0)
}

/// Fair kernel score of members `[member, points, channel]`.
///
/// # Panics
/// If `members` or the truth is not a whole number of fields of the measure.
pub fn kernel_score(members: &[f32], truth: &[f32], measure: &Measure, bandwidth: f64) -> f64 {
    fair(&pair_kernels(members, truth, measure, bandwidth))
}

/// Plain kernel score.
///
/// # Panics
/// As [`kernel_score`].
pub fn kernel_score_plain(
    members: &[f32],
    truth: &[f32],
    measure: &Measure,
    bandwidth: f64,
) -> f64 {
    plain(&pair_kernels(members, truth, measure, bandwidth))
}

fn pair_kernels(members: &[f32], truth: &[f32], measure: &Measure, bandwidth: f64) -> PairSums {
    let squares = squares_of(members, truth, measure, NanPolicy::Propagate);
    let weight = measure.values() as f64;
    squares.sums(|square| kernel(measure.norm(square, weight), bandwidth))
}

/// The kernel at a distance.
pub(crate) fn kernel(distance: f64, bandwidth: f64) -> f64 {
    (-0.5 * (distance / bandwidth).powi(2)).exp()
}

/// From sums of kernels.
pub(crate) fn fair(sums: &PairSums) -> f64 {
    let count = sums.count as f64;
    if sums.count == 1 {
        return 1.0 - sums.truth;
    }
    0.5 + sums.pairs / (count * (count - 1.0)) - sums.truth / count
}

/// From sums of kernels; each member against itself adds 1.
pub(crate) fn plain(sums: &PairSums) -> f64 {
    let count = sums.count as f64;
    0.5 + (sums.pairs + 0.5 * count) / (count * count) - sums.truth / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_members_worked_by_hand() {
        let measure = Measure::flat(1);
        // Distances 1 and 2 from the truth, 3 from each other, bandwidth 1.
        let (one, two, three) = ((-0.5_f64).exp(), (-2.0_f64).exp(), (-4.5_f64).exp());
        let found = kernel_score(&[-1.0, 2.0], &[0.0], &measure, 1.0);
        assert!((found - (0.5 + 0.5 * three - 0.5 * (one + two))).abs() < 1e-15);
        let found = kernel_score_plain(&[-1.0, 2.0], &[0.0], &measure, 1.0);
        let wanted = 0.5 + 0.25 * (three + 1.0) - 0.5 * (one + two);
        assert!((found - wanted).abs() < 1e-15);
        // Twice the bandwidth is half the distances.
        let wide = kernel_score(&[-2.0, 4.0], &[0.0], &measure, 2.0);
        assert!((wide - kernel_score(&[-1.0, 2.0], &[0.0], &measure, 1.0)).abs() < 1e-15);
    }

    #[test]
    fn one_member_and_repeated_members_score_the_same() {
        let measure = Measure::flat(2).with_channels(1);
        let one = kernel_score(&[1.0, 5.0], &[1.0, 4.0], &measure, 1.0);
        assert!((one - (1.0 - (-0.25_f64).exp())).abs() < 1e-15);
        let members = [1.0, 5.0].repeat(6);
        for score in [kernel_score, kernel_score_plain] {
            assert!((score(&members, &[1.0, 4.0], &measure, 1.0) - one).abs() < 1e-12);
        }
        assert_eq!(kernel_score(&[3.0; 8], &[3.0; 2], &measure, 1.0), 0.0);
        assert!(kernel_score(&[3.0, f32::NAN], &[3.0; 2], &measure, 1.0).is_nan());
    }

    #[test]
    fn the_bandwidth_is_one_standard_deviation_everywhere() {
        let measure = Measure::flat(9).with_channels(4).with_extent(0.25);
        assert_eq!(bandwidth(&measure), 1.0);
    }
}
