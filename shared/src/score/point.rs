//! Scores of sixteen points at once, from their sorted members: the inner loop of all that is made point by point.

use super::{ALPHA, crps};
use crate::ensemble::lanes::{LANES, Row};
use crate::ensemble::quantiles::Between;
use crate::wide::{self, Job};

/// Lanes of `f64` that are summed at once: more would not fit the registers.
const HALF: usize = LANES / 2;

/// What is known of each of sixteen points. All of it is NaN (or without meaning, for counts) where `broken`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Points {
    /// Whether a member or the truth is NaN.
    pub broken: [bool; LANES],
    /// Mean of the members less truth.
    pub error: [f64; LANES],
    /// Unbiased variance of the members; 0 for one member.
    pub variance: [f64; LANES],
    /// Fair CRPS.
    pub crps: [f64; LANES],
    /// Plain CRPS.
    pub crps_plain: [f64; LANES],
    /// Lower bound of the central interval.
    pub lower: Row,
    /// Upper bound of the central interval.
    pub upper: Row,
    /// Members below the truth.
    pub below: [u32; LANES],
    /// Members equal to the truth.
    pub equal: [u32; LANES],
}

/// Scores of sixteen points from rows of sorted members.
pub(crate) fn score_points(rows: &[Row], truth: &Row) -> Points {
    wide::run(Score { rows, truth })
}

/// Members above a threshold at each of sixteen points.
pub(crate) fn count_above(rows: &[Row], threshold: f32) -> [u32; LANES] {
    wide::run(Above { rows, threshold })
}

struct Score<'a> {
    rows: &'a [Row],
    truth: &'a Row,
}

impl Job for Score<'_> {
    type Output = Points;

    #[inline(always)]
    fn call(self) -> Points {
        let Self { rows, truth } = self;
        let mut points = Points::default();
        counts(rows, truth, &mut points);
        for first in [0, HALF] {
            moments(rows, truth, first, &mut points);
        }
        let lower = Between::new(ALPHA / 2.0, rows.len());
        let upper = Between::new(1.0 - ALPHA / 2.0, rows.len());
        for lane in 0..LANES {
            let at = |place: Between| place.value(rows[place.below][lane], rows[place.above][lane]);
            (points.lower[lane], points.upper[lane]) = (at(lower), at(upper));
            // The spread alone does not see the truth; a point without one is broken all the same.
            if points.broken[lane] {
                points.variance[lane] = f64::NAN;
            }
        }
        points
    }
}

#[inline(always)]
fn counts(rows: &[Row], truth: &Row, points: &mut Points) {
    let (mut below, mut equal) = ([0_u32; LANES], [0_u32; LANES]);
    for row in rows {
        for lane in 0..LANES {
            below[lane] += u32::from(row[lane] < truth[lane]);
            equal[lane] += u32::from(row[lane] == truth[lane]);
        }
    }
    // A NaN is sorted to one of the ends.
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    for lane in 0..LANES {
        points.broken[lane] = first[lane].is_nan() || last[lane].is_nan() || truth[lane].is_nan();
    }
    (points.below, points.equal) = (below, equal);
}

/// Error, variance and CRPS of the lanes from `first` on, in one pass.
///
/// Distances are taken from the middle member, which is at most a standard deviation from the mean: the sum of squares
/// loses no digits, however far the members are from zero and from the truth.
#[inline(always)]
fn moments(rows: &[Row], truth: &Row, first: usize, points: &mut Points) {
    let count = rows.len() as f64;
    let middle: [f64; HALF] = std::array::from_fn(|i| {
        // An infinite middle would make finite members NaN.
        f64::from(rows[rows.len() / 2][first + i].clamp(f32::MIN, f32::MAX))
    });
    let y: [f64; HALF] = std::array::from_fn(|i| f64::from(truth[first + i]) - middle[i]);
    let (mut sum, mut squares) = ([0.0; HALF], [0.0; HALF]);
    let (mut absolute, mut pairs) = ([0.0; HALF], [0.0; HALF]);
    let mut rank = 1.0 - count;
    for row in rows {
        for i in 0..HALF {
            let distance = f64::from(row[first + i]) - middle[i];
            sum[i] += distance;
            squares[i] += distance * distance;
            absolute[i] += (distance - y[i]).abs();
            // The ranks sum to zero, so any place may be zero.
            pairs[i] += rank * distance;
        }
        rank += 2.0;
    }
    for i in 0..HALF {
        let lane = first + i;
        let mean = sum[i] / count;
        // Rounding alone can push it below zero; a NaN stays one.
        let around = squares[i] - sum[i] * mean;
        points.error[lane] = mean - y[i];
        points.variance[lane] = around.clamp(0.0, f64::INFINITY) / (count - 1.0).max(1.0);
        points.crps[lane] = crps::fair(absolute[i], pairs[i], count);
        points.crps_plain[lane] = crps::plain(absolute[i], pairs[i], count);
    }
}

struct Above<'a> {
    rows: &'a [Row],
    threshold: f32,
}

impl Job for Above<'_> {
    type Output = [u32; LANES];

    #[inline(always)]
    fn call(self) -> [u32; LANES] {
        let mut above = [0_u32; LANES];
        for row in self.rows {
            for lane in 0..LANES {
                above[lane] += u32::from(row[lane] > self.threshold);
            }
        }
        above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::quantiles::sorted_quantile;
    use crate::noise::uniforms;

    #[test]
    fn sixteen_points_at_once_are_sixteen_points_one_by_one() {
        for count in [1, 2, 5, 40] {
            let draws = uniforms(3, count as u64, (count + 1) * LANES);
            let coarse: Vec<f32> = draws.iter().map(|u| (u * 20.0).floor() as f32).collect();
            let (truth, rest) = coarse.split_at(LANES);
            let truth: &Row = truth.try_into().expect("sixteen");
            let mut columns: Vec<Vec<f32>> = rest.chunks(count).map(<[f32]>::to_vec).collect();
            for column in &mut columns {
                column.sort_unstable_by(f32::total_cmp);
            }
            let rows: Vec<Row> = (0..count)
                .map(|m| std::array::from_fn(|lane| columns[lane][m]))
                .collect();
            let found = score_points(&rows, truth);
            let above = count_above(&rows, 7.0);
            for (lane, column) in columns.iter().enumerate() {
                let y = truth[lane];
                let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
                close(found.crps[lane], crps::sorted_crps(column, y));
                close(found.crps_plain[lane], crps::sorted_crps_plain(column, y));
                let mean = column.iter().map(|&v| f64::from(v)).sum::<f64>() / count as f64;
                close(found.error[lane], mean - f64::from(y));
                let squares: f64 = column.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum();
                close(found.variance[lane], squares / (count.max(2) - 1) as f64);
                let interval = (found.lower[lane], found.upper[lane]);
                let bound = |q| sorted_quantile(column, q);
                assert_eq!(interval, (bound(ALPHA / 2.0), bound(1.0 - ALPHA / 2.0)));
                let number = |f: &dyn Fn(f32) -> bool| column.iter().filter(|&&v| f(v)).count();
                assert_eq!(found.below[lane] as usize, number(&|v| v < y));
                assert_eq!(found.equal[lane] as usize, number(&|v| v == y));
                assert_eq!(above[lane] as usize, number(&|v| v > 7.0));
                assert!(!found.broken[lane]);
            }
        }
    }

    #[test]
    fn a_small_spread_far_from_zero_and_from_the_truth_keeps_its_digits() {
        // Members 8192, 8192, 8193, 8193 beside a truth of -1e6: variance 1/3.
        let rows = [8192.0, 8192.0, 8193.0, 8193.0].map(|value| [value; LANES]);
        let points = score_points(&rows, &[-1e6; LANES]);
        for lane in 0..LANES {
            assert!((points.variance[lane] - 1.0 / 3.0).abs() < 1e-14);
            assert_eq!(points.error[lane], 1_008_192.5);
        }
        let equal = score_points(&[[0.1; LANES]; 7], &[0.3; LANES]);
        assert_eq!(equal.variance, [0.0; LANES]);
    }

    #[test]
    fn infinite_members_have_an_infinite_error() {
        let rows = [0.0, f32::INFINITY, f32::INFINITY].map(|value| [value; LANES]);
        assert_eq!(score_points(&rows, &[1.0; LANES]).error[3], f64::INFINITY);
    }

    #[test]
    fn a_nan_breaks_its_own_lane_only() {
        let mut rows = [[0.0; LANES]; 3];
        rows[0][5] = -f32::NAN;
        let mut truth = [1.0; LANES];
        truth[9] = f32::NAN;
        let points = score_points(&rows, &truth);
        for lane in 0..LANES {
            assert_eq!(points.broken[lane], lane == 5 || lane == 9);
            assert_eq!(points.crps[lane].is_nan(), points.broken[lane]);
            assert_eq!(points.variance[lane].is_nan(), points.broken[lane]);
        }
    }
}
