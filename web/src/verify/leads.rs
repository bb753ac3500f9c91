//! Spread and error by lead time.

use pno::score::spread_skill::{CURVE_BINS, SpreadBin};
use serde::{Deserialize, Serialize};

use super::Names;
use super::baselines::Beside;
use super::chance::Chance;
use super::tally::Tally;
use crate::figure::{Axis, Figure, Role, Table};
use crate::scale::short;

/// What was found in one frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// Lead time.
    pub at: f64,
    /// Root mean variance of the members, with the factor (M + 1)/M that a finite ensemble needs.
    pub spread: f64,
    /// Root mean square error of the ensemble mean.
    pub error: Chance,
    /// Fair CRPS.
    pub crps: Chance,
    /// Fair energy score.
    pub energy_score: Chance,
}

impl Lead {
    /// From the mean squares of the errors and the scores of everybody, the truth first.
    pub(super) fn new(at: f64, spread: f64, squares: &[f64], crps: &[f64], energy: &[f64]) -> Self {
        let roots: Vec<f64> = squares.iter().map(|square| square.sqrt()).collect();
        Self {
            at,
            spread,
            error: Chance::new(&roots),
            crps: Chance::new(crps),
            energy_score: Chance::new(energy),
        }
    }

    /// Spread over error.
    pub fn ratio(&self) -> f64 {
        self.spread / self.error.found
    }
}

/// Spread against error: by lead time, or by spread where there is one frame only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpreadSkill {
    /// By lead time.
    pub leads: Vec<Lead>,
    /// By spread, from the surest points to the least sure; empty where there are several frames.
    pub by_spread: Vec<SpreadBin>,
    /// What baselines score, by lead time.
    pub beside: Vec<Beside>,
}

impl SpreadSkill {
    /// From a tally.
    pub fn new(tally: &Tally) -> Self {
        Self {
            leads: tally.leads.clone(),
            by_spread: by_spread(&tally.points, tally.members),
            beside: vec![],
        }
    }

    /// Spread over error, from the means of the squares over all frames.
    pub fn ratio(&self) -> f64 {
        let sum =
            |of: fn(&Lead) -> f64| self.leads.iter().map(|lead| of(lead).powi(2)).sum::<f64>();
        (sum(|lead| lead.spread) / sum(|lead| lead.error.found)).sqrt()
    }

    /// How to read it for this forecast.
    pub fn reading(&self) -> String {
        let ratio = short(self.ratio());
        let count =
            |is: fn(&Chance) -> bool| self.leads.iter().filter(|lead| is(&lead.error)).count();
        let (all, high, low) = (
            self.leads.len(),
            count(Chance::is_high),
            count(Chance::is_low),
        );
        let enough = all.div_ceil(3);
        let grows = match (self.leads.first(), self.leads.last()) {
            (Some(first), Some(last)) if all > 1 && first.spread > 0.0 => {
                format!(
                    " From the first frame to the last the spread changes {}-fold.",
                    fold(last.spread / first.spread)
                )
            }
            _ => String::new(),
        };
        let narrow = self.ratio() < 1.0;
        if high >= enough && high > low && narrow {
            format!(
                "The spread is {ratio} of the error: members agree more with each other than with the truth, so this forecast is wrong more often than it says.{grows}"
            )
        } else if low >= enough && !narrow {
            format!(
                "The spread is {ratio} times the error: this forecast is nearer to the truth than it dares to say.{grows}"
            )
        } else if high.max(low) >= enough {
            // Too wide here and too narrow there: the ratio of all frames hides it.
            format!(
                "Over all frames the spread is {ratio} times the error, but not at the right ones: the error is larger than the members' own at {high} of {all}, and smaller at {low}.{grows}"
            )
        } else {
            format!(
                "The spread is {ratio} times the error, which is within what one case can show: this forecast errs as much as its members disagree.{grows}"
            )
        }
    }

    /// The curves.
    pub fn figure(&self, names: &Names) -> Figure {
        if self.leads.len() > 1 {
            self.by_lead(names)
        } else {
            self.by_bins(names)
        }
    }

    fn by_lead(&self, names: &Names) -> Figure {
        let of = |pick: fn(&Lead) -> f64| -> Vec<f64> { self.leads.iter().map(pick).collect() };
        let (xs, spread, error) = (of(|l| l.at), of(|l| l.spread), of(|l| l.error.found));
        let (low, high) = (of(|l| l.error.band[0]), of(|l| l.error.band[1]));
        let top = largest(&[&spread, &error, &high]);
        let x = Axis::new(names.lead_axis(), xs[0], xs[xs.len() - 1]);
        let y = Axis::around(names.value_axis("spread and error"), 0.0, top);
        let mut figure = Figure::new("spread-skill", "Spread and error by lead time", x, y);
        figure.band(
            Role::Chance,
            Some("errors of members, were they the truth (95 %)"),
            &xs,
            &low,
            &high,
        );
        figure.line(Role::Found, Some("error of the mean"), &xs, &error);
        figure.line(Role::Second, Some("spread"), &xs, &spread);
        let mut table = Table::new([
            names.lead_axis().as_str(),
            "spread",
            "error",
            "band from",
            "band to",
            "spread over error",
        ]);
        for lead in &self.leads {
            table.push([
                lead.at,
                lead.spread,
                lead.error.found,
                lead.error.band[0],
                lead.error.band[1],
                lead.ratio(),
            ]);
        }
        let (first, last) = (&self.leads[0], &self.leads[self.leads.len() - 1]);
        let words = |lead: &Lead| {
            format!(
                "spread {} and error {} at {}",
                short(lead.spread),
                short(lead.error.found),
                names.lead(lead.at)
            )
        };
        let label = format!(
            "Spread and error by lead time: {}; {}.",
            words(first),
            words(last)
        );
        figure.told(self.reading(), label).with_table(table)
    }

    fn by_bins(&self, names: &Names) -> Figure {
        let spread: Vec<f64> = self.by_spread.iter().map(|bin| bin.spread).collect();
        let error: Vec<f64> = self.by_spread.iter().map(|bin| bin.error).collect();
        let top = largest(&[&spread, &error]);
        let axis = |name: &str| Axis::around(names.value_axis(name), 0.0, top);
        let mut figure = Figure::new(
            "spread-skill",
            "Error by spread",
            axis("spread"),
            axis("error"),
        );
        figure.diagonal(Some("error equals spread"));
        figure.line(Role::Found, None, &spread, &error);
        figure.dots(
            Role::Found,
            Some("points from the surest to the least sure"),
            spread.iter().copied().zip(error.iter().copied()),
        );
        let mut table = Table::new(["spread", "error", "share of points"]);
        for bin in &self.by_spread {
            table.push([bin.spread, bin.error, bin.share]);
        }
        let label = match (self.by_spread.first(), self.by_spread.last()) {
            (Some(a), Some(b)) => format!(
                "Error by spread: where the spread is {} the error is {}, where it is {} the error is {}.",
                short(a.spread),
                short(a.error),
                short(b.spread),
                short(b.error)
            ),
            _ => "Error by spread: no points.".to_owned(),
        };
        figure.told(self.reading(), label).with_table(table)
    }
}

/// Spread and error in bins of as many points each, by rising spread.
fn by_spread(points: &[[f64; 3]], members: usize) -> Vec<SpreadBin> {
    let mut sorted = points.to_vec();
    sorted.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let total: f64 = sorted.iter().map(|point| point[2]).sum();
    let finite = (members as f64 + 1.0) / members as f64;
    let size = sorted.len().div_ceil(CURVE_BINS).max(1);
    let bin = |bin: &[[f64; 3]]| {
        let sum = |of: fn(&[f64; 3]) -> f64| bin.iter().map(of).sum::<f64>();
        let weight = sum(|point| point[2]);
        SpreadBin {
            share: weight / total,
            spread: (finite * sum(|[variance, _, weight]| weight * variance) / weight).sqrt(),
            error: (sum(|[_, error, weight]| weight * error * error) / weight).sqrt(),
        }
    };
    sorted.chunks(size).map(bin).collect()
}

/// A factor in two digits.
pub(super) fn fold(factor: f64) -> String {
    let digits = usize::from(factor < 9.95) + usize::from(factor < 0.995);
    format!("{factor:.digits$}")
}

pub(super) fn largest(curves: &[&[f64]]) -> f64 {
    let all = curves.iter().flat_map(|curve| curve.iter());
    all.copied()
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::Kind;
    use crate::verify::tests::{names, tally, tally_of};

    #[test]
    fn each_fault_has_its_sentence_and_ratio() {
        for (kind, words, ratio) in [
            (Kind::Calibrated, "within what one case can show", 0.8..1.25),
            (Kind::TooNarrow, "agree more with each other", 0.25..0.5),
            (Kind::TooWide, "nearer to the truth than it dares", 2.2..4.0),
            (Kind::Biased, "agree more with each other", 0.4..0.75),
        ] {
            let found = SpreadSkill::new(&tally(kind, 40));
            assert!(
                found.reading().contains(words),
                "{kind:?}: {}",
                found.reading()
            );
            assert!(
                ratio.contains(&found.ratio()),
                "{kind:?}: {}",
                found.ratio()
            );
        }
    }

    #[test]
    fn a_right_ratio_of_wrong_frames_is_told() {
        let mut tally = tally(Kind::TooWide, 40);
        let narrow = self::tally(Kind::TooNarrow, 40);
        tally.leads.truncate(1);
        tally.leads.extend_from_slice(&narrow.leads[1..]);
        // One frame so wide that it makes up for all others.
        tally.leads[0].spread = 20.0;
        let found = SpreadSkill::new(&tally);
        assert!(found.ratio() > 1.0);
        let reading = found.reading();
        assert!(reading.contains("at 7 of 8, and smaller at 1"), "{reading}");
    }

    #[test]
    fn curves_follow_the_lead_times() {
        let found = SpreadSkill::new(&tally(Kind::Calibrated, 10));
        let figure = found.figure(&names());
        assert_eq!(figure.table.rows.len(), 8);
        assert_eq!((figure.x.lo, figure.x.hi), (6.0, 48.0));
        assert!(figure.label.contains("at 48 hours"), "{}", figure.label);
        assert!(figure.reading.contains("-fold"), "{}", figure.reading);
    }

    #[test]
    fn one_frame_is_shown_by_spread() {
        let found = SpreadSkill::new(&tally_of(Kind::Calibrated, 1, 30, 1, 4000));
        let figure = found.figure(&names());
        assert_eq!(figure.title, "Error by spread");
        assert_eq!(figure.table.rows.len(), CURVE_BINS);
    }

    #[test]
    fn points_are_put_together_by_spread_worked_by_hand() {
        // Twenty points of spread 1 and 3, errors twice as large; four members give a factor of 5/4.
        let points: Vec<[f64; 3]> = (0..20)
            .map(|i| {
                if i % 2 == 0 {
                    [1.0, 2.0, 1.0]
                } else {
                    [9.0, -6.0, 1.0]
                }
            })
            .collect();
        let bins = by_spread(&points, 4);
        assert_eq!(bins.len(), CURVE_BINS);
        assert_eq!((bins[0].error, bins[9].error), (2.0, 6.0));
        assert!((bins[9].spread - (9.0_f64 * 1.25).sqrt()).abs() < 1e-12);
        assert!((bins[4].share - 0.1).abs() < 1e-12);
    }
}
