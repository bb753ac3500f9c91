//! Squared distances of all members from each other and from the truth: what scores of whole fields are made of.
//!
//! They are sums over values, so they can be gathered block by block, on several threads, and one step of time after
//! the other. Memory is one number per pair.

use super::measure::Measure;
use super::nan::NanPolicy;
use super::norm::{squared_distance, weighted_squared_distance};
use crate::ensemble::columns::member_count;
use crate::wide::{self, Job};

/// Values per block: a hundred members of a block fit a second-level cache.
pub(crate) const BLOCK: usize = 1024;

/// Squared distances of the members `from..count` from all members before them and from the truth.
#[derive(Debug, Clone)]
pub(crate) struct PairSquares {
    from: usize,
    count: usize,
    /// Row m: distances from the members before m, then from the truth.
    squares: Vec<f64>,
}

/// Sums of a function of the distances.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PairSums {
    /// Members.
    pub count: usize,
    /// Over the members, of their distance from the truth.
    pub truth: f64,
    /// Over the pairs of members, each once.
    pub pairs: f64,
}

impl PairSums {
    /// Adds members that came later.
    pub fn merge(&mut self, later: &Self) {
        self.count += later.count;
        self.truth += later.truth;
        self.pairs += later.pairs;
    }
}

/// Numbers in the rows before row m.
fn triangle(m: usize) -> usize {
    m * (m + 1) / 2
}

impl PairSquares {
    /// No value yet.
    pub fn new(from: usize, count: usize) -> Self {
        Self {
            from,
            count,
            squares: vec![0.0; triangle(count) - triangle(from)],
        }
    }

    /// Adds values: `member(m)` gives those of member m, `weights` those of the values (none: all 1).
    pub fn add<'a>(
        &mut self,
        member: impl Fn(usize) -> &'a [f32],
        truth: &[f32],
        weights: Option<&[f64]>,
    ) {
        let mut rest = self.squares.as_mut_slice();
        for m in self.from..self.count {
            let (row, after) = rest.split_at_mut(m + 1);
            rest = after;
            wide::run(AddRow {
                this: member(m),
                member: &member,
                truth,
                weights,
                row,
            });
        }
    }

    /// Adds all values of whole fields `[member, points, channel]`, of which there are at least `count`.
    pub fn add_fields(
        &mut self,
        members: &[f32],
        truth: &[f32],
        measure: &Measure,
        nan: NanPolicy,
    ) {
        let values = truth.len();
        let mut weights = [0.0; BLOCK];
        for start in (0..values).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(values);
            let truth = &truth[block.clone()];
            let weights = fill_weights(measure, nan, start, truth, &mut weights);
            self.add(|m| &members[m * values..][block.clone()], truth, weights);
        }
    }

    /// Adds the values of another part of the field.
    pub fn merge(&mut self, other: &Self) {
        for (sum, square) in self.squares.iter_mut().zip(&other.squares) {
            *sum += square;
        }
    }

    /// Sums of `f` of the squared distances.
    pub fn sums(&self, f: impl Fn(f64) -> f64) -> PairSums {
        let mut sums = PairSums {
            count: self.count - self.from,
            ..PairSums::default()
        };
        let mut rest = self.squares.as_slice();
        for m in self.from..self.count {
            let (row, after) = rest.split_at(m + 1);
            rest = after;
            sums.pairs += row[..m].iter().map(|&square| f(square)).sum::<f64>();
            sums.truth += f(row[m]);
        }
        sums
    }
}

/// All squared distances of one case.
///
/// # Panics
/// If `members` or the truth is not a whole number of fields of the measure.
pub(crate) fn squares_of(
    members: &[f32],
    truth: &[f32],
    measure: &Measure,
    nan: NanPolicy,
) -> PairSquares {
    assert_eq!(truth.len(), measure.values(), "values of the truth");
    let mut squares = PairSquares::new(0, member_count(members, truth.len()));
    squares.add_fields(members, truth, measure, nan);
    squares
}

/// Weights of the values from `start` on, zero where the truth is left out; none if all are 1.
pub(crate) fn fill_weights<'a>(
    measure: &Measure,
    nan: NanPolicy,
    start: usize,
    truth: &[f32],
    weights: &'a mut [f64; BLOCK],
) -> Option<&'a [f64]> {
    let skips = nan == NanPolicy::Skip && truth.iter().any(|y| y.is_nan());
    if !skips && !measure.is_weighted() {
        return None;
    }
    let weights = &mut weights[..truth.len()];
    for (i, (weight, y)) in weights.iter_mut().zip(truth).enumerate() {
        let is_left_out = skips && y.is_nan();
        *weight = if is_left_out {
            0.0
        } else {
            measure.weight(start + i)
        };
    }
    Some(weights)
}

/// Adds one row, in one go so that the dispatch does not count.
struct AddRow<'a, 'b, F> {
    this: &'a [f32],
    member: &'b F,
    truth: &'b [f32],
    weights: Option<&'b [f64]>,
    row: &'b mut [f64],
}

impl<'a, F: Fn(usize) -> &'a [f32]> Job for AddRow<'a, '_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let others = self.row.len() - 1;
        for (m, square) in self.row.iter_mut().enumerate() {
            let other = if m < others {
                (self.member)(m)
            } else {
                self.truth
            };
            *square += match self.weights {
                None => squared_distance(self.this, other),
                Some(weights) => weighted_squared_distance(self.this, other, weights),
            };
        }
    }
}
