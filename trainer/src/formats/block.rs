//! Blocks of arrays: whether one lies inside, and where its values are in a row-major array.

use std::ops::Range;

use anyhow::{Context, Result, anyhow, ensure};

use super::Variable;

/// Refuses a block that is not inside the array, and gives its number of values.
pub fn check(variable: &Variable, block: &[Range<usize>]) -> Result<usize> {
    let name = &variable.name;
    ensure!(
        block.len() == variable.shape.len(),
        "a block of `{name}` is given by {} ranges, but it has {} axes",
        block.len(),
        variable.shape.len()
    );
    for (axis, (range, &size)) in block.iter().zip(&variable.shape).enumerate() {
        ensure!(
            range.start <= range.end && range.end <= size,
            "a block of `{name}` goes from {} to {} on axis {axis}, which has {size} entries",
            range.start,
            range.end
        );
    }
    // Inside an array whose number of values fits, it fits too; zero sizes elsewhere could hide one that does not.
    values_of(block.iter().map(Range::len))
        .ok_or_else(|| anyhow!("a block of `{name}` has more values than can be counted"))
}

/// The values of a block, or which block of what could not be read.
pub fn told(
    place: &str,
    variable: &Variable,
    block: &[Range<usize>],
    values: Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let name = &variable.name;
    values.with_context(|| format!("{place}: the block {block:?} of `{name}` cannot be read"))
}

/// The number of values of a shape, unless it is too large to be counted.
pub fn values_of(shape: impl IntoIterator<Item = usize>) -> Option<usize> {
    shape.into_iter().try_fold(1_usize, usize::checked_mul)
}

/// Calls `run(first value, number of values)` for each run of neighbours of a block, in order.
///
/// Runs are as long as they can be: axes that are wanted as a whole are joined.
pub fn runs(
    shape: &[usize],
    block: &[Range<usize>],
    mut run: impl FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    if block.iter().any(Range::is_empty) {
        return Ok(());
    }
    // The last axis that is not whole; everything behind it is one run.
    let split = (0..shape.len())
        .rev()
        .find(|&axis| block[axis].len() != shape[axis])
        .unwrap_or(0);
    let below: usize = shape.iter().skip(split + 1).product();
    let length = block.get(split).map_or(1, Range::len) * below;
    let outer = &block[..split.min(block.len())];
    let mut index: Vec<usize> = outer.iter().map(|range| range.start).collect();
    loop {
        let row = index.iter().zip(shape).fold(0, |at, (&i, &n)| at * n + i);
        let first = match (shape.get(split), block.get(split)) {
            (Some(&size), Some(range)) => (row * size + range.start) * below,
            _ => 0,
        };
        run(first, length)?;
        // The next row, like the hand of a clock: the last axis moves first.
        let Some(axis) = (0..split)
            .rev()
            .find(|&axis| index[axis] + 1 < outer[axis].end)
        else {
            return Ok(());
        };
        index[axis] += 1;
        for later in axis + 1..split {
            index[later] = outer[later].start;
        }
    }
}

#[cfg(test)]
mod tests;
