//! Which chunks a block touches, and what of each goes where.

use std::ops::Range;

/// Positions in the grid of chunks that a block touches, in row-major order.
pub fn chunks_of(block: &[Range<usize>], chunk: &[usize]) -> Vec<Vec<usize>> {
    if block.iter().any(Range::is_empty) {
        return Vec::new();
    }
    let touched: Vec<Range<usize>> = block
        .iter()
        .zip(chunk)
        .map(|(range, &size)| range.start / size..range.end.div_ceil(size))
        .collect();
    let mut all = Vec::new();
    each(&touched, |index| all.push(index.to_vec()));
    all
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
        for index in chunks_of(block, chunk) {
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
        assert_eq!(chunks_of(&[3..5, 0..2], &[2, 2]), [[1, 0], [2, 0]]);
        assert_eq!(chunks_of(&[3..3, 0..2], &[2, 2]), Vec::<Vec<usize>>::new());
    }
}
