//! A new score: the interval score of Gneiting & Raftery, J. Am. Stat. Assoc. 102 (2007), equation 43.

use pno::noise::normal::normal;

// ANCHOR: score
use pno::ensemble::Quantiles;

/// Interval score of the central interval of level `1 - alpha`, mean over points: its width, plus `2 / alpha` times the
/// distance by which it misses the truth.
///
/// - Range: 0 upwards, in the units of the field; lowest for the true quantiles.
/// - Estimator: quantiles linear between sorted members; it is not fair.
/// - NaN: any NaN gives NaN.
pub fn interval_score(members: &[f32], truth: &[f32], alpha: f64) -> f64 {
    let (lower, upper) = Quantiles::interval(members, truth.len(), alpha);
    // `f32::max` would swallow a NaN.
    let excess = |distance: f32| {
        if distance <= 0.0 {
            0.0
        } else {
            f64::from(distance)
        }
    };
    let points = lower.iter().zip(&upper).zip(truth);
    let scores = points.map(|((&low, &high), &y)| {
        f64::from(high - low) + 2.0 / alpha * (excess(low - y) + excess(y - high))
    });
    scores.sum::<f64>() / truth.len() as f64
}
// ANCHOR_END: score

// ANCHOR: by_hand
#[test]
fn three_points_worked_by_hand() {
    // Two members, 0 and 10: the central 80 % lies between 1 and 9.
    let members = [[0.0; 3], [10.0; 3]].concat();
    // Inside, 1 below, 2 above.
    let score = interval_score(&members, &[5.0, 0.0, 11.0], 0.2);
    let wanted = (8.0 + (8.0 + 10.0 * 1.0) + (8.0 + 10.0 * 2.0)) / 3.0;
    assert!((score - wanted).abs() < 1e-5, "{score}, wanted {wanted}");
}
// ANCHOR_END: by_hand

// ANCHOR: proper
#[test]
fn the_law_that_made_the_truth_scores_best() {
    let (members, points) = (100_u32, 2000);
    let truth: Vec<f32> = (0..points).map(|at| normal([0, 0], at)).collect();
    // The same law, half as wide, twice as wide, and moved.
    let score = |width: f32, shift: f32| {
        let draw = |i: u32| shift + width * normal([1, i / points], i % points);
        let ensemble: Vec<f32> = (0..members * points).map(draw).collect();
        interval_score(&ensemble, &truth, 0.05)
    };
    let best = score(1.0, 0.0);
    for (width, shift) in [(0.5, 0.0), (2.0, 0.0), (1.0, 0.7)] {
        let other = score(width, shift);
        assert!(
            other > 1.05 * best,
            "{width}, {shift}: {other}, best {best}"
        );
    }
}
// ANCHOR_END: proper

#[test]
fn a_nan_is_never_swallowed() {
    assert!(interval_score(&[0.0, f32::NAN], &[0.0], 0.1).is_nan());
    assert!(interval_score(&[0.0, 1.0], &[f32::NAN], 0.1).is_nan());
}
