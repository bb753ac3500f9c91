//! The years for training, for validation and for the final scores.

use std::fmt;

use anyhow::{Context, Result, ensure};
use pno::spec::Profile;

use crate::formats::cf::{format_date, parse_date};

/// Seconds from the beginning of a day to its last second.
const DAY_END: i64 = 86_399;

/// From one time to another, both included, in seconds since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first second.
    pub first: i64,
    /// The last second.
    pub last: i64,
}

impl Period {
    /// Reads `2011-01-01..2020-12-31`.
    ///
    /// A last day without a clock is meant as a whole, but in `paper` until its midnight at the beginning, as published.
    pub fn parse(text: &str, profile: Profile) -> Result<Self> {
        let (first, last) = text
            .split_once("..")
            .with_context(|| format!("`{text}` is not a period like 2011-01-01..2020-12-31"))?;
        let has_clock = last.trim().contains(['T', ' ']);
        let extra = if has_clock || profile == Profile::Paper {
            0
        } else {
            DAY_END
        };
        let first = parse_date(first.trim()).with_context(|| format!("the period `{text}`"))?;
        let last = parse_date(last.trim()).with_context(|| format!("the period `{text}`"))? + extra;
        ensure!(first <= last, "the period `{text}` ends before it begins");
        Ok(Self { first, last })
    }

    /// Whether a time lies in it.
    pub fn contains(&self, time: i64) -> bool {
        (self.first..=self.last).contains(&time)
    }

    /// Whether the two have a time in common.
    pub fn touches(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} to {}",
            format_date(self.first),
            format_date(self.last)
        )
    }
}

/// The three periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periods {
    /// What the network learns from.
    pub train: Period,
    /// What decides when to stop.
    pub valid: Period,
    /// What the scores are of.
    pub test: Period,
}

impl Periods {
    /// The years of the paper: 2011 to 2020, 2021, 2022.
    pub fn published(profile: Profile) -> Result<Self> {
        Ok(Self {
            train: Period::parse("2011-01-01..2020-12-31", profile)?,
            valid: Period::parse("2021-01-01..2021-12-31", profile)?,
            test: Period::parse("2022-01-01..2022-12-31", profile)?,
        })
    }

    /// With their names.
    pub fn named(&self) -> [(&'static str, Period); 3] {
        [
            ("train", self.train),
            ("valid", self.valid),
            ("test", self.test),
        ]
    }

    /// Whether times from `first` to `last`, one every `step` seconds, have all of it.
    pub fn are_within(&self, first: i64, last: i64, step: i64) -> bool {
        self.named()
            .iter()
            .all(|(_, period)| period.first >= first && period.last < last + step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_day_is_whole_or_as_published() {
        let fixed = Period::parse("2011-01-01..2020-12-31", Profile::Fixed).expect("a period");
        let paper = Period::parse("2011-01-01..2020-12-31", Profile::Paper).expect("a period");
        assert_eq!(fixed.to_string(), "2011-01-01T00:00 to 2020-12-31T23:59:59");
        assert_eq!(paper.to_string(), "2011-01-01T00:00 to 2020-12-31T00:00");
        let clock =
            Period::parse("2011-01-01T06..2020-12-31T18", Profile::Fixed).expect("a period");
        assert_eq!(clock.to_string(), "2011-01-01T06:00 to 2020-12-31T18:00");
    }

    #[test]
    fn what_is_not_a_period_is_refused() {
        for text in [
            "2011",
            "2011-01-01..x",
            "2012-01-01..2011-01-01",
            "2011-13-01..2012-01-01",
        ] {
            let message = format!("{:#}", Period::parse(text, Profile::Fixed).expect_err(text));
            assert!(message.contains(text), "{message}");
        }
    }
}
