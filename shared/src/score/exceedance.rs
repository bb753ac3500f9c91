//! Probability of exceeding a threshold: the share of members above it.
//!
//! `p = 1/M #{m : u^m > threshold}`, at each point.
//!
//! - Range: 0 to 1 in steps of 1/M. Strictly above counts, as in "more than 30 degrees".
//! - Estimator: the plain share; it is unbiased.
//! - NaN: a point with a NaN among its members has a NaN.
//! - Reference: Wilks, Statistical Methods in the Atmospheric Sciences (2019), chapter 8.

use serde::{Deserialize, Serialize};

use crate::ensemble::columns::member_count;

/// The estimator in words.
pub const ESTIMATOR: &str = "share of members strictly above the threshold";

/// An event: a value above a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The threshold, in the units of the members.
    pub threshold: f32,
    /// The channel that is looked at; all of them if none is named.
    pub channel: Option<usize>,
}

impl Event {
    /// Any channel above a threshold.
    pub fn above(threshold: f32) -> Self {
        Self {
            threshold,
            channel: None,
        }
    }

    /// Whether the event is about a value, by its place in a field of this many channels.
    pub(crate) fn concerns(&self, value: usize, channels: usize) -> bool {
        self.channel
            .is_none_or(|channel| value % channels == channel)
    }
}

/// Probability at each value of members `[member, values]`, one threshold for all.
///
/// # Panics
/// If `members` is empty or not a whole number of fields.
pub fn exceedance(members: &[f32], values: usize, threshold: f32) -> Vec<f32> {
    let count = member_count(members, values);
    assert!(count > 0, "a probability needs a member");
    let mut above = vec![0.0_f32; values];
    for member in members.chunks_exact(values) {
        for (sum, &value) in above.iter_mut().zip(member) {
            *sum += if value.is_nan() {
                f32::NAN
            } else {
                f32::from(u8::from(value > threshold))
            };
        }
    }
    for sum in &mut above {
        *sum /= count as f32;
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_members_of_three_points_worked_by_hand() {
        let members = [
            1.0,
            2.0,
            5.0, //
            2.0,
            2.0,
            5.0, //
            3.0,
            2.0,
            f32::NAN, //
            4.0,
            2.0,
            5.0,
        ];
        let found = exceedance(&members, 3, 2.0);
        assert_eq!(found[..2], [0.5, 0.0]);
        assert!(found[2].is_nan());
        assert_eq!(exceedance(&[1.0], 1, 0.0), [1.0]);
    }
}
