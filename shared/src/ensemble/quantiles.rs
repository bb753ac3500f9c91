//! Quantiles per point from sorted members.

use super::columns::member_count;
use super::lanes::Lanes;

/// Quantiles of the members at each point.
#[derive(Debug, Clone, Copy)]
pub struct Quantiles;

impl Quantiles {
    /// The central interval of level `1 - alpha`: lower and upper quantile of each point, at `alpha/2` and
    /// `1 - alpha/2`.
    ///
    /// The rule is linear interpolation between the sorted members at position `q * (M - 1)`, counted from zero, as in
    /// the published evaluation. A point where any member is NaN gives NaN twice.
    ///
    /// # Shapes
    /// - members: `[member, points]`
    /// - lower, upper: `[points]`
    ///
    /// # Panics
    /// If `members` is empty or not a whole number of fields, or if `alpha` is not between 0 and 1.
    pub fn interval(members: &[f32], points: usize, alpha: f64) -> (Vec<f32>, Vec<f32>) {
        assert!(!members.is_empty(), "an interval needs a member");
        let mut lower = vec![f32::NAN; points];
        let mut upper = vec![f32::NAN; points];
        let count = member_count(members, points);
        let half = alpha / 2.0;
        let (low, high) = (Between::new(half, count), Between::new(1.0 - half, count));
        Lanes::new(count).for_each(members, points, 0..points, |start, width, rows| {
            for lane in 0..width {
                let at = |m: usize| rows[m][lane];
                // A NaN is sorted to one of the ends.
                if !at(0).is_nan() && !at(count - 1).is_nan() {
                    lower[start + lane] = low.value(at(low.below), at(low.above));
                    upper[start + lane] = high.value(at(high.below), at(high.above));
                }
            }
        });
        (lower, upper)
    }
}

/// Linear interpolation between sorted values at position `q * (M - 1)`, counted from zero.
///
/// # Panics
/// If there is no value, or if `q` is not between 0 and 1.
pub fn sorted_quantile(sorted: &[f32], q: f64) -> f32 {
    let place = Between::new(q, sorted.len());
    place.value(sorted[place.below], sorted[place.above])
}

/// Where a quantile lies among sorted values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between {
    /// Position of the value below.
    pub below: usize,
    /// Position of the value above; the same at the end.
    pub above: usize,
    /// How far from the one to the other.
    part: f64,
}

impl Between {
    /// Quantile `q` of `count` values.
    ///
    /// # Panics
    /// If `q` is not between 0 and 1, or without values.
    pub fn new(q: f64, count: usize) -> Self {
        assert!((0.0..=1.0).contains(&q), "a quantile at {q}");
        assert!(count > 0, "a quantile of no value");
        let position = q * (count - 1) as f64;
        let below = position as usize;
        Self {
            below,
            above: (below + 1).min(count - 1),
            part: position - below as f64,
        }
    }

    /// The quantile from the values below and above.
    pub fn value(self, low: f32, high: f32) -> f32 {
        // Equal neighbours keep their value exactly, infinite ones included.
        if low == high {
            return low;
        }
        let (low, high) = (f64::from(low), f64::from(high));
        (low + self.part * (high - low)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_five_values_worked_by_hand() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (q, wanted) in [
            (0.0, 1.0),
            (0.1, 1.4),
            (0.25, 2.0),
            (0.5, 4.0),
            (0.9, 12.8),
            (1.0, 16.0),
        ] {
            assert_eq!(sorted_quantile(&sorted, q), wanted, "at {q}");
        }
    }

    #[test]
    fn the_interval_of_one_member_is_that_member() {
        let (lower, upper) = Quantiles::interval(&[3.0, -1.0], 2, 0.05);
        assert_eq!(lower, [3.0, -1.0]);
        assert_eq!(upper, [3.0, -1.0]);
    }

    #[test]
    fn a_hundred_and_one_members_give_the_members_next_to_the_ends() {
        // Positions 2.5 and 97.5 of 0..=100, in any order of members, at points that cross a block.
        let points = 70;
        let members: Vec<f32> = (0..101 * points)
            .map(|i| ((i / points) * 37 % 101) as f32 + (i % points) as f32)
            .collect();
        let (lower, upper) = Quantiles::interval(&members, points, 0.05);
        for point in 0..points {
            assert!((lower[point] - (2.5 + point as f32)).abs() < 1e-4);
            assert!((upper[point] - (97.5 + point as f32)).abs() < 1e-4);
        }
    }

    #[test]
    fn a_nan_of_any_sign_spoils_its_own_point_only() {
        for nan in [f32::NAN, -f32::NAN] {
            let (lower, upper) = Quantiles::interval(&[nan, 1.0, 2.0, 3.0], 2, 0.5);
            assert!(lower[0].is_nan() && upper[0].is_nan());
            assert_eq!((lower[1], upper[1]), (1.5, 2.5));
        }
    }
}
