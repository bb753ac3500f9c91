//! Reliability: how often an event happened where it was forecast with a probability.

use pno::score::brier::EventTable;
use pno::score::reliability::{BINS, reliability};
use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::fields::Fields;
use super::{Names, percent};
use crate::figure::{Axis, Figure, Role, Table};
use crate::scale::short;

/// One bin of forecast probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Mean forecast probability.
    pub forecast: f64,
    /// How often the event happened.
    pub observed: f64,
    /// Share of all points.
    pub share: f64,
    /// Where members are that were taken for the truth; NaN without any.
    pub band: [f64; 2],
}

/// Probabilities of exceeding a threshold, against what happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// The threshold.
    pub threshold: f32,
    /// Share of the points where the event happened.
    pub frequency: f64,
    /// Brier score, fair.
    pub brier: f64,
    /// Bins that a forecast fell into, by rising probability.
    pub bins: Vec<Bin>,
    /// By how much the event was more frequent than forecast, in the mean.
    pub excess: Chance,
    /// How much more the event follows the probability than it should; negative where forecasts are too sure.
    pub follow: Chance,
}

impl Reliability {
    /// Of all frames, or of one. `most` values are looked at (members times points); beyond that, every n-th point.
    pub fn new(fields: &Fields, frame: Option<usize>, threshold: f32, most: usize) -> Self {
        let members = fields.count();
        let frames = frame.map_or(0..fields.frames(), |frame| frame..frame + 1);
        let all = frames.len() * fields.points() * (members + 1);
        let every = all.div_ceil(most.max(1)).max(1);
        let mut tables = vec![EventTable::new(members); members + 1];
        let mut above = vec![false; members + 1];
        let mut samples = 0;
        for frame in frames {
            for point in (0..fields.points()).step_by(every) {
                let mut broken = false;
                for (who, above) in above.iter_mut().enumerate() {
                    let value = fields.value(who, frame, point);
                    broken |= value.is_nan();
                    *above = value > threshold;
                }
                if broken {
                    continue;
                }
                samples += 1;
                let count = above.iter().filter(|above| **above).count();
                let weight = fields.weight(point);
                for (table, happened) in tables.iter_mut().zip(&above) {
                    table.push(count - usize::from(*happened), *happened, weight);
                }
            }
        }
        Self::from_tables(threshold, &tables, samples)
    }

    fn from_tables(threshold: f32, tables: &[EventTable], samples: u64) -> Self {
        let diagrams: Vec<_> = tables
            .iter()
            .map(|table| reliability(table, samples))
            .collect();
        let place = |forecast: f64| ((forecast * BINS as f64) as usize).min(BINS - 1);
        let bins = diagrams[0].iter().map(|bin| {
            let same = |other: &&pno::score::reliability::ReliabilityBin| {
                place(other.forecast) == place(bin.forecast)
            };
            let members = diagrams[1..]
                .iter()
                .filter_map(|d| Some(d.iter().find(same)?.observed));
            let members: Vec<f64> = std::iter::once(bin.observed).chain(members).collect();
            let band = if members.len() > 1 {
                Chance::new(&members).band
            } else {
                [f64::NAN; 2]
            };
            Bin {
                forecast: bin.forecast,
                observed: bin.observed,
                share: bin.share,
                band,
            }
        });
        let sums: Vec<[f64; 2]> = tables.iter().map(excess_and_follow).collect();
        let brier = tables[0].brier();
        Self {
            threshold,
            frequency: brier.frequency,
            brier: brier.score_fair,
            bins: bins.collect(),
            excess: Chance::new(&sums.iter().map(|sum| sum[0]).collect::<Vec<_>>()),
            follow: Chance::new(&sums.iter().map(|sum| sum[1]).collect::<Vec<_>>()),
        }
    }

    /// How to read it for this forecast.
    pub fn reading(&self, names: &Names) -> String {
        let event = format!("“more than {}”", names.value(f64::from(self.threshold)));
        if self.bins.len() < 2 {
            let often = percent(self.frequency);
            return format!(
                "{event} has one probability everywhere, and happened at {often} of the points: another threshold tells more."
            );
        }
        let sure = self.bins.last().filter(|bin| bin.forecast > 0.5);
        let example = sure.map_or_else(String::new, |bin| {
            format!(
                " When it said {}, it happened at {} of the points.",
                percent(bin.forecast),
                percent(bin.observed)
            )
        });
        // The plainer of both faults is told.
        let turned = self.follow.deviations.abs() > self.excess.deviations.abs();
        if turned && self.follow.is_low() {
            format!(
                "Flatter than the diagonal: probabilities of {event} are too near to 0 and to 1.{example}"
            )
        } else if turned && self.follow.is_high() {
            format!(
                "Steeper than the diagonal: probabilities of {event} could be nearer to 0 and to 1.{example}"
            )
        } else if self.excess.is_high() {
            format!(
                "Above the diagonal: {event} happened more often than forecast, by {} of the points.{example}",
                percent(self.excess.found)
            )
        } else if self.excess.is_low() {
            format!(
                "Below the diagonal: {event} happened less often than forecast, by {} of the points.{example}",
                percent(-self.excess.found)
            )
        } else {
            format!(
                "Near the diagonal, no further off than chance takes one case: nothing speaks against the probabilities of {event}.{example}"
            )
        }
    }

    /// The diagram.
    pub fn figure(&self, names: &Names) -> Figure {
        let share = |name: &str| Axis::new(name, 0.0, 100.0);
        let mut figure = Figure::new(
            "reliability",
            "Reliability",
            share("probability forecast, %"),
            share("happened, %"),
        );
        let of = |pick: fn(&Bin) -> f64| -> Vec<f64> {
            self.bins.iter().map(|b| 100.0 * pick(b)).collect()
        };
        let (xs, ys) = (of(|b| b.forecast), of(|b| b.observed));
        let bars: Vec<_> = self
            .bins
            .iter()
            .map(|bin| {
                let left = 10.0 * (bin.forecast * 10.0 - 1e-9).floor().clamp(0.0, 9.0);
                [left + 0.7, left + 9.3, 0.0, 100.0 * bin.share]
            })
            .collect();
        figure.boxes(Role::Outer, Some("share of forecasts"), &bars);
        figure.band(
            Role::Chance,
            Some("where members themselves lie (95 %)"),
            &xs,
            &of(|b| b.band[0]),
            &of(|b| b.band[1]),
        );
        figure.diagonal(Some("perfect"));
        figure.line(Role::Found, None, &xs, &ys);
        figure.dots(
            Role::Found,
            Some("truth"),
            xs.iter().copied().zip(ys.iter().copied()),
        );
        let mut table = Table::new([
            "probability forecast",
            "happened",
            "share of points",
            "band from",
            "band to",
        ]);
        for bin in &self.bins {
            table.push([
                bin.forecast,
                bin.observed,
                bin.share,
                bin.band[0],
                bin.band[1],
            ]);
        }
        let label = format!(
            "Reliability of “more than {}”: it happened at {} of the points, Brier score {}.",
            names.value(f64::from(self.threshold)),
            percent(self.frequency),
            short(self.brier)
        );
        figure.told(self.reading(names), label).with_table(table)
    }
}

/// `mean (o - p)` and `mean (p - mean p) (o - p)`.
fn excess_and_follow(table: &EventTable) -> [f64; 2] {
    let total: f64 = table.rows().map(|(_, n, _)| n).sum();
    let mean = table.rows().map(|(p, n, _)| n * p).sum::<f64>() / total;
    let excess = table.rows().map(|(p, n, o)| o - n * p).sum::<f64>();
    let follow = table
        .rows()
        .map(|(p, n, o)| (p - mean) * (o - n * p))
        .sum::<f64>();
    [excess / total, follow / total]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::{Kind, Synthetic};
    use crate::verify::tests::names;

    fn found(kind: Kind, threshold: f32, most: usize) -> Reliability {
        let data = Synthetic::new(kind, 11, 40, 8, 256);
        let fields = Fields::new(&data.members, &data.truth, 256, [0, 1], &[]).expect("sizes fit");
        Reliability::new(&fields, None, threshold, most)
    }

    #[test]
    fn each_fault_has_its_sentence() {
        for (kind, words) in [
            (Kind::Calibrated, "Near the diagonal"),
            (Kind::TooNarrow, "Flatter"),
            (Kind::TooWide, "Steeper"),
            (Kind::Biased, "Below the diagonal"),
        ] {
            let reading = found(kind, 0.5, usize::MAX).reading(&names());
            assert!(reading.starts_with(words), "{kind:?}: {reading}");
        }
    }

    #[test]
    fn the_diagram_is_that_of_the_program() {
        let data = Synthetic::new(Kind::Calibrated, 11, 40, 8, 256);
        let options = pno::score::Options {
            events: vec![pno::score::Event::above(0.5)],
            ..pno::score::Options::pointwise()
        };
        let mut program =
            pno::score::Verification::new(pno::score::Measure::flat(8 * 256), options);
        program
            .push(&data.members, &data.truth)
            .expect("fields of the grid");
        let wanted = &program.finish().0.events[0];
        let found = found(Kind::Calibrated, 0.5, usize::MAX);
        assert!((found.brier - wanted.brier.score_fair).abs() < 1e-12);
        assert_eq!(found.bins.len(), wanted.reliability.len());
        for (a, b) in found.bins.iter().zip(&wanted.reliability) {
            assert_eq!(
                (a.forecast, a.observed, a.share),
                (b.forecast, b.observed, b.share)
            );
        }
    }

    #[test]
    fn an_event_that_never_happens_is_told() {
        let reliability = found(Kind::Calibrated, 1e6, 10_000);
        assert!(
            reliability
                .reading(&names())
                .contains("one probability everywhere")
        );
        assert_eq!(reliability.frequency, 0.0);
        assert!(reliability.figure(&names()).label.contains("0 %"));
    }
}
