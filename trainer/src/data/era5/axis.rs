//! Latitudes and longitudes of a file, and which of them a box has.

#![expect(
    clippy::single_range_in_vec_init,
    reason = "a part of an axis is one range or two"
)]

use std::ops::Range;

use anyhow::{Result, bail, ensure};

use super::region::Region;

/// Part of a step by which a coordinate may be off: they are often stored as f32.
const TOLERANCE: f64 = 0.01;
/// Places after the point that coordinates are cut to, so that f32 in a file does not show.
const PLACES: f64 = 1e6;

/// Entries of an axis that a box has.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where they are in the file; two ranges where the box crosses the seam of the globe.
    pub ranges: Vec<Range<usize>>,
    /// Whether they are to be turned around.
    pub reversed: bool,
    /// Their degrees, ascending.
    pub degrees: Vec<f64>,
}

/// An axis with equal steps.
struct Axis {
    first: f64,
    step: f64,
    length: usize,
}

impl Axis {
    /// Checks that the steps are equal. `what` is the file and the axis, for sentences.
    fn new(what: &str, values: &[f64]) -> Result<Self> {
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
            bail!("{what} is empty");
        };
        if let Some(i) = values.iter().position(|value| !value.is_finite()) {
            bail!(
                "{what} is {} at entry {i}, but a number of degrees is wanted",
                values[i]
            );
        }
        let length = values.len();
        let step = (last - first) / (length.max(2) - 1) as f64;
        for (i, &value) in values.iter().enumerate() {
            let wanted = first + i as f64 * step;
            let fits = (value - wanted).abs() <= TOLERANCE * step.abs();
            ensure!(
                fits,
                "{what} has unequal steps: entry {i} is {value}, but {} is wanted between {first} and {last}",
                rounded(wanted)
            );
        }
        ensure!(
            length == 1 || step != 0.0,
            "{what} does not change: entries 0 and 1 are both {first}"
        );
        let step = if length == 1 { 1.0 } else { step };
        Ok(Self {
            first,
            step,
            length,
        })
    }

    /// Positions from the first at or above `low` to the last at or below `high`; they may lie beyond the axis.
    fn within(&self, low: f64, high: f64) -> Range<i64> {
        let position = |degrees: f64| (degrees - self.first) / self.step;
        let from = (position(low) - TOLERANCE).ceil() as i64;
        let to = (position(high) + TOLERANCE).floor() as i64;
        from..to + 1
    }

    fn degrees(&self, position: i64) -> f64 {
        rounded(self.first + position as f64 * self.step)
    }
}

/// The latitudes of a box, ascending whichever way the file has them.
pub fn latitudes(what: &str, values: &[f64], region: Option<&Region>) -> Result<Part> {
    let mut axis = Axis::new(what, values)?;
    let length = axis.length as i64;
    let reversed = axis.step < 0.0;
    if reversed {
        axis.first += (length - 1) as f64 * axis.step;
        axis.step = -axis.step;
    }
    let chosen = match region {
        Some(region) => axis.within(region.south, region.north),
        None => 0..length,
    };
    if let Some(region) = region {
        ensure!(
            chosen.start >= 0 && chosen.end <= length,
            "{what} has {}..{}, but the box wants {}..{}",
            axis.degrees(0),
            axis.degrees(length - 1),
            region.south,
            region.north
        );
        ensure!(
            !chosen.is_empty(),
            "{what} has no entry between {} and {}",
            region.south,
            region.north
        );
    }
    let (from, to) = (chosen.start as usize, chosen.end as usize);
    let range = if reversed {
        axis.length - to..axis.length - from
    } else {
        from..to
    };
    Ok(Part {
        ranges: vec![range],
        reversed,
        degrees: chosen.map(|i| axis.degrees(i)).collect(),
    })
}

/// The longitudes of a box, ascending; the file may count from -180 or from 0, and be the whole globe or a part of it.
pub fn longitudes(what: &str, values: &[f64], region: Option<&Region>) -> Result<Part> {
    let mut going_east = values.to_vec();
    // A file that was cut across the seam jumps back by a turn.
    for i in 1..going_east.len() {
        if going_east[i] < going_east[i - 1] - 180.0 {
            going_east[i] += 360.0;
        }
    }
    if let [first, second, ..] = values {
        ensure!(
            first < second || going_east[1] > *first,
            "{what} runs from east to west ({first}, {second}, …), but west to east is wanted"
        );
    }
    let axis = Axis::new(what, &going_east)?;
    let length = axis.length as i64;
    let Some(region) = region else {
        return Ok(Part {
            ranges: vec![0..axis.length],
            reversed: false,
            degrees: (0..length).map(|i| axis.degrees(i)).collect(),
        });
    };
    let turn = 360.0 / axis.step;
    let whole_globe = (turn - length as f64).abs() < TOLERANCE;
    let mut chosen = axis.within(region.west, region.east);
    let mut shift = 0.0;
    if whole_globe {
        // 0 and 360 are one place.
        chosen.end = chosen.end.min(chosen.start + length);
    } else {
        let fits = |chosen: &Range<i64>| chosen.start >= 0 && chosen.end <= length;
        let found = [0.0, 360.0, -360.0]
            .into_iter()
            .map(|shift| (shift, axis.within(region.west + shift, region.east + shift)))
            .find(|(_, chosen)| fits(chosen));
        let Some((by, inside)) = found else {
            bail!(
                "{what} has {}..{}, but the box wants {}..{}",
                axis.degrees(0),
                axis.degrees(length - 1),
                region.west,
                region.east
            );
        };
        (shift, chosen) = (by, inside);
    }
    ensure!(
        !chosen.is_empty(),
        "{what} has no entry between {} and {}",
        region.west,
        region.east
    );
    let degrees = chosen
        .clone()
        .map(|i| rounded(axis.degrees(i) - shift))
        .collect();
    Ok(Part {
        ranges: wrapped(&chosen, length),
        reversed: false,
        degrees,
    })
}

/// Positions of a ring of `length` entries as ranges of the file: one, or two across its seam.
fn wrapped(chosen: &Range<i64>, length: i64) -> Vec<Range<usize>> {
    let from = chosen.start.rem_euclid(length);
    let to = from + chosen.end - chosen.start;
    if to <= length {
        return vec![from as usize..to as usize];
    }
    vec![from as usize..length as usize, 0..(to - length) as usize]
}

fn rounded(degrees: f64) -> f64 {
    // No negative zero: it would be written as -0.
    (degrees * PLACES).round() / PLACES + 0.0
}

#[cfg(test)]
mod tests;
