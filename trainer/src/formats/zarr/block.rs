//! Which chunks a block touches, and what of each goes where.

use std::ops::Range;

/// The chunks that a block touches, in row-major order. There may be any number of them, so they are not listed.
pub struct Chunks {
    touched: Vec<Range<usize>>,
    /// How many; as many as can be counted, where there are more.
    pub count: usize,
}

impl Chunks {
    /// Those of a block of an array that is cut into chunks of this size.
    pub fn of(block: &[Range<usize>], chunk: &[usize]) -> Self {
        let touched: Vec<Range<usize>> = block
            .iter()
            .zip(chunk)
            .map(|(range, &size)| range.start / size..range.end.div_ceil(size))
            .collect();
        let count = if block.iter().any(Range::is_empty) {
            0
        } else {
            let sizes = touched.iter().map(Range::len);
            sizes.fold(1_usize, usize::saturating_mul)
        };
        Self { touched, count }
    }

    /// The position of a chunk in the grid of chunks.
    pub fn get(&self, number: usize) -> Option<Vec<usize>> {
        if number >= self.count {
            return None;
        }
        let mut rest = number;
        let mut index: Vec<usize> = self.touched.iter().map(|range| range.start).collect();
        for (at, range) in index.iter_mut().zip(&self.touched).rev() {
            *at += rest % range.len();
            rest /= range.len();
        }
        Some(index)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        (0..self.count).map_while(|number| self.get(number))
    }
}

/// Copies what a chunk has of a block. `values` gives a run of the chunk's values, counted row-major.
pub fn copy(
    block: &[Range<usize>],
    chunk: &[usize],
    index: &[usize],
    values: impl Fn(Range<usize>, &mut [f64]),
    out: &mut [f64],
) {
    // The common part, counted from the beginning of the array.
    let shared: Vec<Range<usize>> = (0..block.len())
        .map(|axis| {
            let first = index[axis] * chunk[axis];
            block[axis].start.max(first)..block[axis].end.min(first + chunk[axis])
        })
        .collect();
    // Runs lie along the last axis; an array without axes is one value.
    let (outer, run) = match shared.split_last() {
        Some((last, outer)) => (outer, last.clone()),
        None => (&shared[..], 0..1),
    };
    each(outer, |place| {
        let (mut from, mut to) = (0, 0);
        for (axis, &at) in place
            .iter()
            .chain([&run.start])
            .enumerate()
            .take(block.len())
        {
            from = from * chunk[axis] + at - index[axis] * chunk[axis];
            to = to * block[axis].len() + at - block[axis].start;
        }
        values(from..from + run.len(), &mut out[to..to + run.len()]);
    });
}

/// Calls `f` with every position in `ranges`, the last axis fastest.
fn each(ranges: &[Range<usize>], mut f: impl FnMut(&[usize])) {
    if ranges.iter().any(Range::is_empty) {
        return;
    }
    let mut position: Vec<usize> = ranges.iter().map(|range| range.start).collect();
    loop {
        f(&position);
        let Some(axis) = (0..ranges.len())
            .rev()
            .find(|&axis| position[axis] + 1 < ranges[axis].end)
        else {
            return;
        };
        position[axis] += 1;
        for later in axis + 1..ranges.len() {
            position[later] = ranges[later].start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array whose values say where they are, read block by block through its chunks.
    fn check(shape: &[usize], chunk: &[usize], block: &[Range<usize>]) {
        let value = |position: &[usize]| {
            position
                .iter()
                .fold(0.0, |sum, &at| sum * 100.0 + at as f64)
        };
        let mut wanted = Vec::new();
        each(block, |position| wanted.push(value(position)));
        let mut found = vec![f64::NAN; wanted.len()];
        for index in Chunks::of(block, chunk).iter() {
            let mut stored = Vec::new();
            let whole: Vec<Range<usize>> = index
                .iter()
                .zip(chunk)
                .map(|(&at, &size)| at * size..(at + 1) * size)
                .collect();
            each(&whole, |position| stored.push(value(position)));
            copy(
                block,
                chunk,
                &index,
                |range, out| out.copy_from_slice(&stored[range]),
                &mut found,
            );
        }
        assert_eq!(found, wanted, "{shape:?} in {chunk:?}, block {block:?}");
    }

    #[test]
    fn every_block_of_a_small_array_comes_together() {
        let (shape, chunk) = ([5, 4, 7], [2, 3, 4]);
        for a in 0..5 {
            for b in 0..4 {
                for c in 0..7 {
                    check(&shape, &chunk, &[a..5, 0..b + 1, c..7.min(c + 3)]);
                }
            }
        }
        check(&[5], &[2], std::slice::from_ref(&(1..4)));
        check(&[], &[], &[]);
    }

    #[test]
    fn only_the_chunks_of_the_block_are_named() {
        let all = |block: &[Range<usize>]| -> Vec<Vec<usize>> {
            Chunks::of(block, &[2, 2]).iter().collect()
        };
        assert_eq!(all(&[3..5, 0..2]), [[1, 0], [2, 0]]);
        assert_eq!(all(&[1..4, 1..4]), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(all(&[3..3, 0..2]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn more_chunks_than_can_be_counted_take_no_memory() {
        let chunks = Chunks::of(&[0..usize::MAX, 0..usize::MAX], &[1, 1]);
        assert_eq!(chunks.count, usize::MAX);
        assert_eq!(chunks.get(7), Some(vec![0, 7]));
    }
}
