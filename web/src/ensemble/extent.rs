//! Ranges of a frame, from which the locked scales are made.

use serde::{Deserialize, Serialize};

use super::column;

/// Share of the values that a scale of spreads must hold: a few extreme ones would darken all others.
const SCALE_SHARE: f64 = 0.99;

/// Ranges of one channel of a frame, in physical units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extent {
    /// Smallest value of the truth; of the ensemble mean where there is no truth.
    pub least: f32,
    /// Largest value of the same.
    pub most: f32,
    /// What almost all standard deviations and errors of the mean stay below; 0 before there are members.
    pub spread: f32,
}

impl Extent {
    /// The range of values alone.
    pub fn of(values: impl IntoIterator<Item = f32>) -> Self {
        let mut extent = Self {
            least: f32::INFINITY,
            most: f32::NEG_INFINITY,
            spread: 0.0,
        };
        for value in values {
            if value.is_finite() {
                extent.least = extent.least.min(value);
                extent.most = extent.most.max(value);
            }
        }
        extent
    }

    /// What holds both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            spread: self.spread.max(other.spread),
        }
    }
}

/// The extents of every channel of a frame, from sorted members `[point, channel, member]` and the truth.
pub fn extents(
    sorted: &[f32],
    count: usize,
    truth: Option<&[f32]>,
    channels: usize,
) -> Vec<Extent> {
    let of_channel = |channel: usize| {
        let columns = sorted.chunks_exact(count).skip(channel).step_by(channels);
        let means: Vec<f32> = columns.clone().map(column::mean).collect();
        let mut spreads: Vec<f32> = columns.map(column::std).collect();
        let truth: Option<Vec<f32>> = truth.map(|truth| {
            truth
                .iter()
                .skip(channel)
                .step_by(channels)
                .copied()
                .collect()
        });
        if let Some(truth) = &truth {
            let errors = means
                .iter()
                .zip(truth)
                .map(|(mean, truth)| (mean - truth).abs());
            spreads.extend(errors);
        }
        spreads.retain(|spread| !spread.is_nan());
        spreads.sort_unstable_by(f32::total_cmp);
        let at = (spreads.len().saturating_sub(1)) as f64 * SCALE_SHARE;
        Extent {
            spread: spreads.get(at as usize).copied().unwrap_or_default(),
            ..Extent::of(truth.unwrap_or(means))
        }
    };
    (0..channels).map(of_channel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_truth_and_of_spread_and_error() {
        // Two points of two channels, two members: values [point, channel, member].
        let sorted = [0.0, 2.0, 10.0, 10.0, 4.0, 4.0, 30.0, 30.0];
        let truth = [1.0, 12.0, 9.0, 20.0];
        let found = extents(&sorted, 2, Some(&truth), 2);
        assert_eq!((found[0].least, found[0].most), (1.0, 9.0));
        assert_eq!((found[1].least, found[1].most), (12.0, 20.0));
        // Deviations √2 and 0, errors 0 and 5: the second largest of four.
        assert_eq!(found[0].spread, 2.0_f32.sqrt());
        let without = extents(&sorted, 2, None, 2);
        assert_eq!((without[1].least, without[1].most), (10.0, 30.0));
        // A third point that has no value changes nothing.
        let more = [sorted.as_slice(), &[f32::NAN; 4]].concat();
        let truth = [truth.as_slice(), &[f32::NAN; 2]].concat();
        assert_eq!(extents(&more, 2, Some(&truth), 2), found);
        let both = found[0].union(without[0]);
        assert_eq!((both.least, both.most), (1.0, 9.0));
    }
}
