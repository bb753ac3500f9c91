//! Statistics and scores per point: what the page and the figures show.

use super::coverage::covers;
use crate::ensemble::{Moments, Quantiles};

/// Maps of one case, each `[points]`, in the units of the arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Maps {
    /// Mean of the members.
    pub mean: Vec<f32>,
    /// Unbiased standard deviation of the members.
    pub std: Vec<f32>,
    /// Lower bound of the central interval.
    pub lower: Vec<f32>,
    /// Upper bound of the central interval.
    pub upper: Vec<f32>,
    /// Absolute error of the mean.
    pub absolute_error: Vec<f32>,
    /// Whether the truth lies inside the interval.
    pub hits: Vec<bool>,
}

impl Maps {
    /// Maps of the members `[member, points]` against the truth `[points]`, with the central interval of level
    /// `1 - alpha`.
    ///
    /// # Panics
    /// If there is no member, or if `members` is not a whole number of fields of the truth's length.
    pub fn new(members: &[f32], truth: &[f32], alpha: f64) -> Self {
        let mut moments = Moments::new(truth.len());
        for member in members.chunks(truth.len()) {
            moments.push(member);
        }
        let mean = moments.mean();
        let (lower, upper) = Quantiles::interval(members, truth.len(), alpha);
        Self {
            absolute_error: absolute_error(&mean, truth),
            hits: hits(&lower, &upper, truth),
            std: moments.std(),
            mean,
            lower,
            upper,
        }
    }
}

/// `|mean - truth|` at each point; NaN where either is.
pub fn absolute_error(mean: &[f32], truth: &[f32]) -> Vec<f32> {
    mean.iter().zip(truth).map(|(m, y)| (m - y).abs()).collect()
}

/// Whether the truth lies strictly inside the interval at each point; a point with a NaN is not a hit.
pub fn hits(lower: &[f32], upper: &[f32], truth: &[f32]) -> Vec<bool> {
    let bounds = lower.iter().zip(upper);
    let hit = bounds.zip(truth).map(|((&l, &u), &y)| covers(l, u, y));
    hit.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_of_three_members_worked_by_hand() {
        let members = [0.0, 10.0, 1.0, 10.0, 5.0, 10.0];
        let maps = Maps::new(&members, &[4.0, 10.0], 0.5);
        assert_eq!(maps.mean, [2.0, 10.0]);
        assert_eq!(maps.std, [7.0_f32.sqrt(), 0.0]);
        assert_eq!(maps.lower, [0.5, 10.0]);
        assert_eq!(maps.upper, [3.0, 10.0]);
        assert_eq!(maps.absolute_error, [2.0, 0.0]);
        assert_eq!(maps.hits, [false, false]);
        assert_eq!(Maps::new(&members, &[2.5, 10.0], 0.5).hits, [true, false]);
    }

    #[test]
    fn a_nan_is_an_unknown_error_and_not_a_hit() {
        let maps = Maps::new(&[0.0, f32::NAN, 2.0, 2.0], &[1.0, 1.0], 0.05);
        assert_eq!(maps.hits, [true, false]);
        assert_eq!(maps.absolute_error[0], 0.0);
        assert!(maps.absolute_error[1].is_nan());
    }
}
