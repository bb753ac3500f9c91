//! All scores of one case in one pass over the columns.

use super::coverage::covers;
use super::crps::sorted_crps;
use super::energy_score::energy_score;
use super::interval_width::interval_width;
use super::nll::gaussian_nll;
use super::{ALPHA, Scores};
use crate::ensemble::columns::{for_each_column, member_count, sort};
use crate::ensemble::quantiles::sorted_interval;

/// Scores of one case. Both arguments are in network (normalised) units.
///
/// Members are sorted once per point; beside the arguments the memory is a block of columns and one number per pair of
/// members.
///
/// # Shapes
/// - members: `[member, points]`
/// - truth: `[points]`
///
/// # Panics
/// If there is no member, or if `members` is not a whole number of fields of the truth's length.
pub fn score_case(members: &[f32], truth: &[f32]) -> Scores {
    score_case_with(members, truth, energy_score(members, truth))
}

/// Scores of the members that an [`EnergyScore`](super::EnergyScore) has taken in, without computing its pairs again.
///
/// # Panics
/// If it has no member.
pub fn score_stream(stream: &super::EnergyScore) -> Scores {
    score_case_with(stream.members(), stream.truth(), stream.value())
}

fn score_case_with(members: &[f32], truth: &[f32], energy_score: f64) -> Scores {
    let points = truth.len();
    let count = member_count(members, points);
    assert!(count > 0, "a score needs a member");
    let (mut squared_error, mut crps, mut nll, mut width) = (0.0, 0.0, 0.0, 0.0);
    let mut hits = 0.0;
    for_each_column(members, points, |point, column| {
        let y = truth[point];
        let (mean, std) = mean_std(column);
        squared_error += (mean - f64::from(y)).powi(2);
        nll += gaussian_nll(mean, std, f64::from(y));
        if y.is_nan() || !sort(column) {
            (crps, width, hits) = (f64::NAN, f64::NAN, f64::NAN);
            return;
        }
        crps += sorted_crps(column, y);
        let (lower, upper) = sorted_interval(column, ALPHA);
        width += interval_width(lower, upper);
        hits += f64::from(u8::from(covers(lower, upper, y)));
    });
    let over = 1.0 / points as f64;
    Scores {
        members: count,
        cases: 1,
        l2: (squared_error * over).sqrt(),
        energy_score,
        crps: crps * over,
        nll: nll * over,
        coverage: hits * over,
        interval_width: width * over,
    }
}

/// Mean and unbiased standard deviation of a column; the latter 0 for one member.
fn mean_std(column: &[f32]) -> (f64, f64) {
    let count = column.len() as f64;
    let mean = column.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
    let squares: f64 = column.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}
