//! Coverage: how often intervals hold the truth, against how often they should.
//!
//! The central interval of a level is cut out of the ranks: a right forecast covers each level exactly, whatever its
//! number of members. (The score of the same name has the published rule, whose target is less than its level.)

use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::percent;
use super::ranks::everybody;
use super::tally::Tally;
use crate::figure::{Axis, Figure, Role, Table};

/// Levels, as far as the members can tell them apart.
const LEVELS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/// Coverage of central intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Level, and share of the points whose truth is inside.
    pub levels: Vec<(f64, Chance)>,
}

impl Coverage {
    /// From a tally.
    pub fn new(tally: &Tally) -> Self {
        let shares: Vec<Vec<f64>> = everybody(tally).collect();
        // The outermost interval lies between the lowest and the highest member.
        let widest = (tally.members as f64 - 1.0) / (tally.members as f64 + 1.0);
        let levels = LEVELS.into_iter().filter(|level| *level <= widest + 1e-9);
        let mut levels: Vec<f64> = levels.collect();
        if levels.is_empty() {
            levels.push(widest);
        }
        let achieved = |level: f64| {
            let inside = |shares: &Vec<f64>| {
                let up_to = |place: f64| below(shares, place);
                up_to(f64::midpoint(1.0, level)) - up_to(0.5 - 0.5 * level)
            };
            Chance::new(&shares.iter().map(inside).collect::<Vec<_>>())
        };
        Self {
            levels: levels
                .into_iter()
                .map(|level| (level, achieved(level)))
                .collect(),
        }
    }

    /// The level that is talked about: 80 %, or the widest.
    fn told(&self) -> (f64, Chance) {
        let fits = |(level, _): &&(f64, Chance)| *level <= 0.81;
        let last = self.levels.iter().rfind(fits);
        *last.unwrap_or(&self.levels[0])
    }

    /// How to read it for this forecast.
    pub fn reading(&self) -> String {
        let (level, chance) = self.told();
        let (level, found) = (percent(level), percent(chance.found));
        if chance.is_low() {
            format!(
                "Below the diagonal: intervals that should hold the truth at {level} of the points hold it at {found}, so they are too narrow or beside it."
            )
        } else if chance.is_high() {
            format!(
                "Above the diagonal: intervals that should hold the truth at {level} of the points hold it at {found}, so they are wider than they need be."
            )
        } else {
            format!(
                "Near the diagonal: intervals meant for {level} of the points hold the truth at {found}, no further off than chance takes one case."
            )
        }
    }

    /// The curve.
    pub fn figure(&self) -> Figure {
        let share = |name: &str| Axis::new(name, 0.0, 100.0);
        let mut figure = Figure::new(
            "coverage",
            "Coverage of intervals",
            share("level of the interval, %"),
            share("truth inside, %"),
        );
        let ends = |end: f64| {
            (
                end,
                Chance {
                    found: end,
                    band: [end; 2],
                    deviations: 0.0,
                    unusual: 1.0,
                },
            )
        };
        let mut all = vec![ends(0.0)];
        all.extend(&self.levels);
        let of = |pick: fn(&(f64, Chance)) -> f64| -> Vec<f64> {
            all.iter().map(|row| 100.0 * pick(row)).collect()
        };
        let (xs, found) = (of(|r| r.0), of(|r| r.1.found));
        figure.band(
            Role::Chance,
            Some("where members themselves lie (95 %)"),
            &xs,
            &of(|r| r.1.band[0]),
            &of(|r| r.1.band[1]),
        );
        figure.diagonal(Some("perfect"));
        figure.line(Role::Found, None, &xs, &found);
        figure.dots(
            Role::Found,
            Some("truth"),
            xs[1..].iter().copied().zip(found[1..].iter().copied()),
        );
        let mut table = Table::new(["level", "truth inside", "band from", "band to"]);
        for (level, chance) in &self.levels {
            table.push([*level, chance.found, chance.band[0], chance.band[1]]);
        }
        let (talked, _) = self.told();
        let parts = self
            .levels
            .iter()
            .filter(|(level, _)| [0.5, talked, 0.95].contains(level));
        let parts: Vec<_> = parts
            .map(|(level, chance)| {
                format!(
                    "{} of the {} intervals",
                    percent(chance.found),
                    percent(*level)
                )
            })
            .collect();
        let label = format!(
            "Nominal against achieved coverage: the truth is inside {}.",
            parts.join(", ")
        );
        figure.told(self.reading(), label).with_table(table)
    }
}

/// Share of the ranks below a place from 0 to 1; a rank is spread evenly over its part.
fn below(shares: &[f64], place: f64) -> f64 {
    let at = place * shares.len() as f64;
    let whole = (at as usize).min(shares.len());
    let part = shares
        .get(whole)
        .map_or(0.0, |share| share * (at - whole as f64));
    shares[..whole].iter().sum::<f64>() + part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::Kind;
    use crate::verify::tests::tally;

    #[test]
    fn ranks_below_a_place_worked_by_hand() {
        let shares = [0.5, 0.3, 0.2, 0.0];
        for (place, wanted) in [
            (0.0, 0.0),
            (0.125, 0.25),
            (0.25, 0.5),
            (0.5, 0.8),
            (0.625, 0.9),
            (1.0, 1.0),
        ] {
            assert!((below(&shares, place) - wanted).abs() < 1e-12, "{place}");
        }
    }

    #[test]
    fn each_fault_has_its_sentence() {
        for (kind, words) in [
            (Kind::Calibrated, "Near the diagonal"),
            (Kind::TooNarrow, "Below the diagonal"),
            (Kind::TooWide, "Above the diagonal"),
            (Kind::Biased, "Below the diagonal"),
        ] {
            let coverage = Coverage::new(&tally(kind, 40));
            assert!(
                coverage.reading().starts_with(words),
                "{kind:?}: {}",
                coverage.reading()
            );
            let (levels, shares): (Vec<f64>, Vec<f64>) = coverage
                .levels
                .iter()
                .map(|(level, chance)| (*level, chance.found))
                .unzip();
            assert!(shares.is_sorted() && levels.len() == 10);
        }
    }

    #[test]
    fn members_tell_only_the_levels_that_they_can() {
        let coverage = Coverage::new(&tally(Kind::Calibrated, 9));
        // Between the lowest and the highest of nine lie 80 %.
        assert_eq!(coverage.levels.last().map(|(level, _)| *level), Some(0.8));
        let two = Coverage::new(&tally(Kind::Calibrated, 2));
        assert!(two.levels.last().is_some_and(|(level, _)| *level < 0.34));
        assert!(two.figure().label.starts_with("Nominal"));
    }
}
