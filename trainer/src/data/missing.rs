//! Values that are missing: an error, or points that a field never has.
//!
//! A point is masked if it is missing in every row of what is imported. That is so if the first row is without a value at
//! the very points at which every other row is: the mask is known after one row, and every row is compared with it as it
//! is read.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, bail, ensure};
use pno::task::{MAX_MASK_POINTS, Mask};
use serde::Deserialize;

/// What is done with values that are missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// They are an error.
    #[default]
    Error,
    /// Points that are missing everywhere are masked; other missing values are an error.
    Mask,
}

impl FromStr for Missing {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "error" => Ok(Self::Error),
            "mask" => Ok(Self::Mask),
            _ => bail!("`{text}` is neither error nor mask"),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Mask => "mask",
        })
    }
}

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It is missing.
    Missing,
    /// It is there, but the mask has none: the field has no value there in the first row only.
    Present,
    /// It is infinite.
    Infinite(f32),
}

/// The first value of some rows that is not as it should be, and what is wrong with it.
pub fn fault(values: &[f32], mask: Option<&Mask>) -> Option<(usize, Fault)> {
    let all = values.iter().enumerate();
    let mut faults = all.filter_map(|(at, &value)| {
        let is_masked = mask.is_some_and(|mask| mask.is_masked(at));
        match value {
            _ if value.is_infinite() => Some((at, Fault::Infinite(value))),
            _ if value.is_nan() && !is_masked => Some((at, Fault::Missing)),
            _ if !value.is_nan() && is_masked => Some((at, Fault::Present)),
            _ => None,
        }
    });
    faults.next()
}

/// The mask of a field whose first row begins with this frame of space.
pub fn mask_of(name: &str, sizes: &[usize], frame: &[f32]) -> Result<Option<Mask>> {
    let points = frame.len();
    let mask = Mask::new(sizes, |point| frame[point].is_nan());
    if let Some(mask) = &mask {
        ensure!(
            mask.masked() < points,
            "`{name}` has no value at all in the first row, so there is nothing to learn"
        );
        ensure!(
            points <= MAX_MASK_POINTS,
            "`{name}` has {points} points, but a mask has at most {MAX_MASK_POINTS}"
        );
    }
    Ok(mask)
}

/// What to do about a missing value, if the first and the last row miss the same points. Empty otherwise.
pub fn hint(first: &[f32], last: &[f32]) -> String {
    let missing = first.iter().filter(|value| value.is_nan()).count();
    let same = first.len() == last.len()
        && first
            .iter()
            .zip(last)
            .all(|(a, b)| a.is_nan() == b.is_nan());
    if missing == 0 || missing == first.len() || !same {
        return String::new();
    }
    format!(
        "; the first and the last row miss the same {missing} of {} values: if all do, `--missing mask` leaves these points out",
        first.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f32 = f32::NAN;

    #[test]
    fn what_is_masked_must_be_missing_and_nothing_else() {
        let mask = mask_of("u", &[3], &[1.0, NONE, 2.0]).expect("a mask");
        let mask = mask.as_ref();
        assert_eq!(fault(&[1.0, NONE, 2.0, 3.0, NONE, 4.0], mask), None);
        assert_eq!(
            fault(&[1.0, NONE, 2.0, NONE, NONE, 4.0], mask),
            Some((3, Fault::Missing))
        );
        assert_eq!(fault(&[1.0, 1.0, 2.0], mask), Some((1, Fault::Present)));
        let infinite = fault(&[1.0, f32::INFINITY, 2.0], mask);
        assert_eq!(infinite, Some((1, Fault::Infinite(f32::INFINITY))));
        assert_eq!(fault(&[1.0, NONE], None), Some((1, Fault::Missing)));
        assert_eq!(mask_of("u", &[2], &[1.0, 2.0]).expect("none"), None);
        let nothing = mask_of("u", &[2], &[NONE; 2])
            .expect_err("nothing")
            .to_string();
        assert!(nothing.contains("`u` has no value at all"), "{nothing}");
    }

    #[test]
    fn the_way_out_is_named_where_there_is_one() {
        assert!(hint(&[1.0, NONE], &[3.0, NONE]).contains("same 1 of 2 values"));
        for (first, last) in [
            ([1.0, NONE], [NONE, 1.0]),
            ([1.0, 2.0], [1.0, 2.0]),
            ([NONE, NONE], [NONE, NONE]),
        ] {
            assert_eq!(hint(&first, &last), "");
        }
    }

    #[test]
    fn names_come_back() {
        for missing in [Missing::Error, Missing::Mask] {
            assert_eq!(
                missing.to_string().parse::<Missing>().expect("known"),
                missing
            );
        }
        let message = "fill".parse::<Missing>().expect_err("unknown").to_string();
        assert_eq!(message, "`fill` is neither error nor mask");
    }
}
