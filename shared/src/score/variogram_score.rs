//! Variogram score: whether neighbouring points differ from each other as much as they should.
//!
//! `VS = mean over pairs (i, j) of (|y_i - y_j|^p - 1/M Σ_m |u^m_i - u^m_j|^p)²` with p = 1/2.
//!
//! - Range: 0 (right in the mean at every pair) upwards, in the units of the field to the power 2p. It sees wrong
//!   correlations, to which the energy score is nearly blind, and does not see a constant bias.
//! - Estimator: plain; the mean over the members is that of the ensemble. Not fair: it depends on M.
//! - Pairs: neighbours along every axis of the grid, each weighted by the mean weight of its two points, channels apart:
//!   O(points). Axes do not wrap around. [`variogram_score_all_pairs`] takes all pairs of a small vector.
//! - NaN: any NaN gives NaN; where truth is skipped or a point is masked its pairs are left out. A case that is left
//!   without a pair has no score, and no part in the mean over cases.
//! - Reference: Scheuerer & Hamill, Mon. Weather Rev. 143 (2015).

use super::measure::Measure;
use super::nan::NanPolicy;
use super::threads::map_in_order;
use crate::ensemble::columns::member_count;
use crate::wide::{self, Job};

/// The estimator in words.
pub const ESTIMATOR: &str = "plain, p = 0.5, neighbours along each axis, mean over pairs";

/// The power that goes without saying.
pub const ORDER: f64 = 0.5;

/// Pairs in one block.
const BLOCK: usize = 4096;

/// The score over neighbours, of members `[member, points, channel]`. NaN where there is no pair: on a grid of one point,
/// and where every pair lacks a truth or has no weight.
///
/// # Panics
/// If `members` or the truth is not a whole number of fields of the measure, or if there is no member.
pub fn variogram_score(
    members: &[f32],
    truth: &[f32],
    measure: &Measure,
    order: f64,
    nan: NanPolicy,
) -> f64 {
    variogram_score_of_pairs(members, truth, measure, order, nan).unwrap_or(f64::NAN)
}

/// The same, and nothing where there is no pair.
///
/// # Panics
/// As [`variogram_score`].
pub(crate) fn variogram_score_of_pairs(
    members: &[f32],
    truth: &[f32],
    measure: &Measure,
    order: f64,
    nan: NanPolicy,
) -> Option<f64> {
    let values = measure.values();
    assert_eq!(truth.len(), values, "values of the truth");
    let count = member_count(members, values);
    assert!(count > 0, "a score needs a member");
    let sums = map_in_order(blocks(measure), |block| {
        let Block {
            start, len, stride, ..
        } = block;
        let mut mean = vec![0.0; len];
        for member in members.chunks_exact(values) {
            add_differences(&member[start..], stride, order, &mut mean);
        }
        let mut true_difference = vec![0.0; len];
        add_differences(&truth[start..], stride, order, &mut true_difference);
        let (mut sum, mut weight) = (0.0, 0.0);
        for (i, (mean, wanted)) in mean.iter().zip(&true_difference).enumerate() {
            let (a, b) = (start + i, start + i + stride);
            let left_out = measure.leaves_out(a) || measure.leaves_out(b);
            if !block.is_pair(a) || left_out || nan == NanPolicy::Skip && wanted.is_nan() {
                continue;
            }
            let pair = f64::midpoint(measure.weight(a), measure.weight(b));
            sum += pair * (wanted - mean / count as f64).powi(2);
            weight += pair;
        }
        (sum, weight)
    });
    let (sum, weight) = sums
        .iter()
        .fold((0.0, 0.0), |(s, w), (sum, weight)| (s + sum, w + weight));
    (weight > 0.0).then(|| sum / weight)
}

/// The score over all pairs of points: O(points²).
///
/// # Panics
/// If `members` is empty or not a whole number of fields of the truth's length.
pub fn variogram_score_all_pairs(members: &[f32], truth: &[f32], order: f64) -> f64 {
    let points = truth.len();
    let count = member_count(members, points);
    assert!(count > 0, "a score needs a member");
    let mut sum = 0.0;
    for i in 1..points {
        let mut mean = vec![0.0; i];
        for member in members.chunks_exact(points) {
            for (mean, &other) in mean.iter_mut().zip(member) {
                *mean += power(member[i], other, order) / count as f64;
            }
        }
        let pairs = mean.iter().zip(truth);
        sum += pairs
            .map(|(mean, &other)| (power(truth[i], other, order) - mean).powi(2))
            .sum::<f64>();
    }
    sum / (points * (points - 1) / 2) as f64
}

/// Pairs (v, v + stride) for v from start on, along an axis of this size.
struct Block {
    start: usize,
    len: usize,
    stride: usize,
    size: usize,
}

impl Block {
    /// Whether the two belong together: the last point of an axis has no neighbour, though memory goes on.
    fn is_pair(&self, value: usize) -> bool {
        value / self.stride % self.size + 1 < self.size
    }
}

/// Blocks in which every pair of neighbours is met once.
fn blocks(measure: &Measure) -> Vec<Block> {
    let mut blocks = vec![];
    let mut stride = measure.channels();
    for &size in measure.shape().iter().rev().filter(|size| **size > 1) {
        let end = measure.values() - stride;
        blocks.extend((0..end).step_by(BLOCK).map(|start| Block {
            start,
            len: BLOCK.min(end - start),
            stride,
            size,
        }));
        stride *= size;
    }
    blocks
}

#[inline(always)]
fn power(a: f32, b: f32, order: f64) -> f64 {
    let difference = (f64::from(a) - f64::from(b)).abs();
    if order == ORDER {
        difference.sqrt()
    } else {
        difference.powf(order)
    }
}

fn add_differences(field: &[f32], stride: usize, order: f64, sums: &mut [f64]) {
    wide::run(AddDifferences {
        field,
        stride,
        order,
        sums,
    });
}

struct AddDifferences<'a> {
    field: &'a [f32],
    stride: usize,
    order: f64,
    sums: &'a mut [f64],
}

impl Job for AddDifferences<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let further = &self.field[self.stride..];
        let pairs = self.sums.iter_mut().zip(self.field).zip(further);
        if self.order == ORDER {
            for ((sum, &a), &b) in pairs {
                *sum += (f64::from(a) - f64::from(b)).abs().sqrt();
            }
        } else {
            for ((sum, &a), &b) in pairs {
                *sum += power(a, b, self.order);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_worked_by_hand() {
        // Differences of the truth 4 and 9, of the members 1, 1 and 4, 16: roots 2, 3 against 1.5, 2.5.
        let members = [0.0, 1.0, 2.0, 0.0, 4.0, 20.0];
        let truth = [0.0, 4.0, 13.0];
        let of = |measure: &Measure, order| {
            variogram_score(&members, &truth, measure, order, NanPolicy::Propagate)
        };
        let found = of(&Measure::flat(3), 0.5);
        assert!((found - 0.25).abs() < 1e-15);
        // Order 1: 4, 9 against 2.5, 8.5.
        let found = of(&Measure::flat(3), 1.0);
        assert!((found - f64::midpoint(2.25, 0.25)).abs() < 1e-15);
        // Weights 0, 1, 2: pairs count 1/2 and 3/2, one of 2.25 and three of 0.25.
        let weighted = Measure::flat(3).with_weights(vec![0.0, 1.0, 2.0]);
        assert!((of(&weighted, 1.0) - 0.75).abs() < 1e-15);
    }

    #[test]
    fn neighbours_of_a_line_of_two_points_are_all_pairs() {
        let (members, truth) = ([0.5, 2.0, -1.0, 3.0], [1.0, -2.0]);
        let measure = Measure::flat(2);
        let near = variogram_score(&members, &truth, &measure, 0.5, NanPolicy::Propagate);
        let all = variogram_score_all_pairs(&members, &truth, 0.5);
        assert!((near - all).abs() < 1e-15);
    }

    #[test]
    fn every_pair_of_a_grid_is_met_once_and_channels_stay_apart() {
        let measure = Measure::grid(&[2, 3, 1, 4]).with_channels(2);
        let mut pairs = vec![];
        for block in blocks(&measure) {
            let values = block.start..block.start + block.len;
            let kept = values.filter(|&v| block.is_pair(v));
            pairs.extend(kept.map(|v| (v, v + block.stride)));
        }
        let mut wanted = vec![];
        let at = |i: usize, j: usize, k: usize, c: usize| ((i * 3 + j) * 4 + k) * 2 + c;
        for i in 0..2 {
            for j in 0..3 {
                for k in 0..4 {
                    for c in 0..2 {
                        let here = at(i, j, k, c);
                        let next = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                        let inside = next
                            .into_iter()
                            .filter(|&(i, j, k)| i < 2 && j < 3 && k < 4);
                        wanted.extend(inside.map(|(i, j, k)| (here, at(i, j, k, c))));
                    }
                }
            }
        }
        pairs.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(pairs, wanted);
    }

    #[test]
    fn a_nan_of_the_truth_spoils_the_score_or_its_own_pairs() {
        let (members, truth) = ([0.0, 1.0, 2.0, 7.0], [0.0, 4.0, 5.0, f32::NAN]);
        let measure = Measure::flat(4);
        let all = variogram_score(&members, &truth, &measure, 1.0, NanPolicy::Propagate);
        assert!(all.is_nan());
        let kept = variogram_score(&members, &truth, &measure, 1.0, NanPolicy::Skip);
        assert_eq!(kept, 4.5);
        // Truths without a neighbour.
        let alone = [0.0, f32::NAN, 5.0, f32::NAN];
        let of = |nan| variogram_score_of_pairs(&members, &alone, &measure, 1.0, nan);
        assert_eq!(of(NanPolicy::Skip), None);
        assert!(of(NanPolicy::Propagate).is_some_and(f64::is_nan));
    }
}
