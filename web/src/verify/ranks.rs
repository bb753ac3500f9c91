//! Rank histogram and coverage: where the truth falls among the members.

use pno::score::pit::pit;
use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::percent;
use super::tally::Tally;
use crate::figure::{Axis, Figure, Role, Table};

/// Most bars; more ranks than these share bars.
const BARS: usize = 16;
/// Fewer members have bands that a bar leaves too easily.
const MEMBERS_TO_BLAME_BARS: usize = 20;

/// Where the truth falls among the members, from below all of them (0) to above all (1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranks {
    /// Members.
    pub members: usize,
    /// Share of the points in each of equal parts of the ranks.
    pub bars: Vec<Chance>,
    /// Mean rank from 0 to 1; one half is right.
    pub mean: Chance,
    /// Mean square distance from the middle; 1 is right, more is too narrow.
    pub width: Chance,
}

impl Ranks {
    /// From a tally.
    pub fn new(tally: &Tally) -> Self {
        let ranks = tally.members + 1;
        let bars = ranks.min(BARS);
        let shares: Vec<Vec<f64>> = everybody(tally).map(|shares| pit(&shares, bars)).collect();
        let moment = |of: fn(f64) -> f64| -> Vec<f64> {
            let middle = |rank: usize| of((rank as f64 + 0.5) / ranks as f64);
            let mean = |shares: Vec<f64>| {
                let parts = shares.iter().enumerate();
                parts.map(|(rank, share)| share * middle(rank)).sum()
            };
            everybody(tally).map(mean).collect()
        };
        let bar = |bar: usize| Chance::new(&shares.iter().map(|s| s[bar]).collect::<Vec<_>>());
        Self {
            members: tally.members,
            bars: (0..bars).map(bar).collect(),
            mean: Chance::new(&moment(|place| place)),
            width: Chance::new(&moment(|place| 12.0 * (place - 0.5).powi(2))),
        }
    }

    /// How to read it for this forecast.
    pub fn reading(&self) -> String {
        let bars = self.bars.len();
        let wanted = 1.0 / bars as f64;
        let (first, last) = (&self.bars[0], &self.bars[bars - 1]);
        let ends = percent(first.found + last.found);
        let expected = percent(2.0 * wanted);
        let both = |is: fn(&Chance) -> bool| is(first) && is(last);
        let half = |upper: bool| {
            let share: f64 = self
                .bars
                .iter()
                .map(|b| b.found)
                .enumerate()
                .map(|(i, found)| {
                    let above = ((i + 1) as f64 * wanted - 0.5).clamp(0.0, wanted) / wanted;
                    found * if upper { above } else { 1.0 - above }
                })
                .sum();
            percent(share)
        };
        if both(|bar| bar.found > bar.band[1]) && self.width.is_high() {
            format!(
                "A bowl: the truth lies in the outermost {expected} of the members at {ends} of the points, so this forecast is too sure of itself."
            )
        } else if self.mean.is_high() {
            format!(
                "A slope to the right: the truth lies in the upper half of the members at {} of the points, so this forecast is too low.",
                half(true)
            )
        } else if self.mean.is_low() {
            format!(
                "A slope to the left: the truth lies in the lower half of the members at {} of the points, so this forecast is too high.",
                half(false)
            )
        } else if self.width.is_high() {
            format!(
                "Higher at the ends: the truth lies in the outermost {expected} of the members at {ends} of the points, so this forecast is too sure of itself."
            )
        } else if self.width.is_low() {
            format!(
                "A dome: the truth keeps to the middle of the members, with {ends} of the points in their outermost {expected}, so this forecast is less sure than it could be."
            )
        } else if self.members >= MEMBERS_TO_BLAME_BARS && 3 * self.outside() >= bars {
            format!(
                "Uneven: neither the ends nor one half stand out, but {} of {bars} bars leave the band, so faults of this forecast at some points make up for those at others.",
                self.outside()
            )
        } else {
            "Flat as far as one case can show: the truth falls among the members as one of them would; nothing speaks against their spread.".to_owned()
        }
    }

    /// Bars outside the band.
    fn outside(&self) -> usize {
        let outside = |bar: &&Chance| bar.found < bar.band[0] || bar.found > bar.band[1];
        self.bars.iter().filter(outside).count()
    }

    /// The histogram.
    pub fn figure(&self) -> Figure {
        let count = self.bars.len();
        let edge = |i: usize| i as f64 / count as f64;
        let top = self
            .bars
            .iter()
            .map(|bar| bar.found.max(bar.band[1]))
            .fold(0.0, f64::max);
        let x = Axis::new("rank of the truth among the members", 0.0, 1.0).with_ticks([
            (0.0, "lowest".to_owned()),
            (0.5, "middle".to_owned()),
            (1.0, "highest".to_owned()),
        ]);
        let y = Axis::around("share of points, %", 0.0, 100.0 * top);
        let mut figure = Figure::new("rank-histogram", "Rank histogram", x, y);
        let gap = 0.08 / count as f64;
        let bars: Vec<_> = self
            .bars
            .iter()
            .enumerate()
            .map(|(i, bar)| [edge(i) + gap, edge(i + 1) - gap, 0.0, 100.0 * bar.found])
            .collect();
        let bands: Vec<_> = self
            .bars
            .iter()
            .enumerate()
            .map(|(i, bar)| {
                [
                    edge(i),
                    edge(i + 1),
                    100.0 * bar.band[0],
                    100.0 * bar.band[1],
                ]
            })
            .collect();
        let flat = 100.0 / count as f64;
        figure.boxes(Role::Found, Some("truth"), &bars);
        figure.boxes(
            Role::Chance,
            Some("where members themselves lie (95 %)"),
            &bands,
        );
        figure.line(Role::Ideal, Some("flat"), &[0.0, 1.0], &[flat, flat]);
        let mut table = Table::new([
            "rank from",
            "rank to",
            "share of points",
            "band from",
            "band to",
        ]);
        for (i, bar) in self.bars.iter().enumerate() {
            table.push([edge(i), edge(i + 1), bar.found, bar.band[0], bar.band[1]]);
        }
        let outside = self.outside();
        let label = format!(
            "Rank histogram of {} members in {count} bars: {} lowest, {} highest, {} expected; {outside} of {count} bars are outside the band.",
            self.members,
            percent(self.bars[0].found),
            percent(self.bars[count - 1].found),
            percent(1.0 / count as f64),
        );
        figure.told(self.reading(), label).with_table(table)
    }
}

/// Shares of the ranks of everybody, the truth first.
pub(super) fn everybody(tally: &Tally) -> impl Iterator<Item = Vec<f64>> {
    tally.ranks.chunks_exact(tally.members + 1).map(|weights| {
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::Kind;
    use crate::verify::tests::tally;

    #[test]
    fn each_fault_has_its_shape_and_sentence() {
        for (kind, words, ending) in [
            (Kind::Calibrated, "Flat", "against their spread."),
            (Kind::TooNarrow, "A bowl", "too sure of itself."),
            (Kind::TooWide, "A dome", "less sure than it could be."),
            (Kind::Biased, "A slope to the left", "too high."),
        ] {
            let ranks = Ranks::new(&tally(kind, 40));
            let reading = ranks.reading();
            assert!(
                reading.starts_with(words) && reading.ends_with(ending),
                "{kind:?}: {reading}"
            );
            let sum: f64 = ranks.bars.iter().map(|bar| bar.found).sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_right_forecast_is_rarely_blamed() {
        // Smooth fields: bands of independent points would blame almost every one.
        let blamed = (0..40)
            .filter(|&seed| {
                let tally = crate::verify::tests::tally_of(Kind::Calibrated, seed, 20, 2, 64);
                !Ranks::new(&tally).reading().starts_with("Flat")
            })
            .count();
        // Two tests at 5 % each: four in forty, more than ten once in a thousand.
        assert!(blamed <= 10, "{blamed}");
    }

    #[test]
    fn faults_that_make_up_for_each_other_are_told() {
        let mut ranks = Ranks::new(&tally(Kind::Calibrated, 40));
        // As many as before at both ends and on both sides of the middle.
        for (i, bar) in ranks.bars[2..14].iter_mut().enumerate() {
            bar.found = if i % 4 < 2 { 0.0 } else { bar.band[1] + 0.01 };
        }
        let reading = ranks.reading();
        assert!(
            reading.starts_with("Uneven") && reading.contains("12 of 16"),
            "{reading}"
        );
    }

    #[test]
    fn few_members_have_a_bar_for_each_rank() {
        let figure = Ranks::new(&tally(Kind::Calibrated, 4)).figure();
        assert_eq!(figure.table.rows.len(), 5);
        assert_eq!(figure.layers[0].path.matches('M').count(), 5);
        assert!(figure.label.contains("20 % expected"), "{}", figure.label);
    }
}
