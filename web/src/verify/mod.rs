//! Verification of the forecast on the screen: six figures, each with a sentence that reads it for this forecast.
//!
//! | figure | asks |
//! |---|---|
//! | [`Ranks`] | does the truth fall among the members as one of them would? |
//! | [`Coverage`] | do intervals hold the truth as often as they say? |
//! | [`Reliability`] | do events happen as often as forecast? |
//! | [`SpreadSkill`] | is the error as large as the spread, at every lead time? And the scores, beside those of baselines |
//! | [`Spectrum`] | are members as rough as the truth? |
//!
//! The page has one case, whose neighbouring points depend on each other: no textbook band fits. [`Chance`] takes each
//! member for the truth in its turn instead, and what comes out is the band.
//!
//! [`Verified`] has all but the reliability, which follows a slider: it goes through everything once ([`Tally`]), so it
//! belongs into the worker, where [`Held`] keeps members as they arrive and [`Report`] is what the page is told.

mod baselines;
mod chance;
mod coverage;
mod fields;
mod held;
mod leads;
mod ranks;
mod reliability;
mod report;
mod scores;
mod spectrum;
pub mod synthetic;
mod tally;

pub use baselines::{Baseline, Beside, Reference};
pub use chance::Chance;
pub use coverage::Coverage;
pub use fields::Fields;
pub use held::{Held, Lie};
pub use leads::{Lead, SpreadSkill};
pub use ranks::Ranks;
pub use reliability::{Bin, Reliability};
pub use report::Report;
pub use spectrum::Spectrum;
pub use tally::Tally;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::scale::short;

/// Words around numbers: what is forecast, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The quantity, as `temperature`.
    pub quantity: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Unit of lead times, as `hours`; may be empty.
    pub time_unit: String,
}

impl Names {
    /// A value with its unit.
    pub fn value(&self, value: f64) -> String {
        with_unit(&short(value), &self.unit)
    }

    /// A lead time with its unit.
    pub fn lead(&self, at: f64) -> String {
        match self.time_unit.as_str() {
            "" => format!("time {}", short(at)),
            "hours" if at == 1.0 => "1 hour".to_owned(),
            unit => with_unit(&short(at), unit),
        }
    }

    /// Name of an axis of values.
    pub fn value_axis(&self, name: &str) -> String {
        axis(name, &self.unit)
    }

    /// Name of the axis of lead times.
    pub fn lead_axis(&self) -> String {
        axis("lead time", &self.time_unit)
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() {
        number.to_owned()
    } else {
        format!("{number} {unit}")
    }
}

pub(crate) fn axis(name: &str, unit: &str) -> String {
    if unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name}, {unit}")
    }
}

/// A share in whole per cent; one digit more near the ends.
fn percent(share: f64) -> String {
    let near = share > 0.0 && !(0.0095..=0.9905).contains(&share);
    let digits = usize::from(near && share < 1.0);
    format!("{:.digits$} %", 100.0 * share).replace('-', "−")
}

/// What a pass over an ensemble found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// Members.
    pub members: usize,
    /// Values of the truth that took part.
    pub values: u64,
    /// Points left out because a number was missing.
    pub skipped: u64,
    /// Rank histogram.
    pub ranks: Ranks,
    /// Coverage.
    pub coverage: Coverage,
    /// Spread, error and scores by lead time.
    pub spread_skill: SpreadSkill,
    /// Spectra.
    pub spectrum: Option<Spectrum>,
}

impl Verified {
    /// Puts together what a pass found; none if no value took part.
    pub fn new(tally: &Tally, spectrum: Option<Spectrum>) -> Option<Self> {
        (tally.values > 0).then(|| Self {
            members: tally.members,
            values: tally.values,
            skipped: tally.skipped,
            ranks: Ranks::new(tally),
            coverage: Coverage::new(tally),
            spread_skill: SpreadSkill::new(tally),
            spectrum,
        })
    }

    /// Everything at once: frames at these lead times, in rows of `columns` points, `every` point (row, for spectra).
    pub fn of(fields: &Fields, lead_times: &[f64], columns: usize, every: usize) -> Option<Self> {
        let mut tally = Tally::new(fields.count());
        for (frame, &at) in lead_times.iter().enumerate().take(fields.frames()) {
            tally.push(fields, frame, at, every);
        }
        let frames: Vec<usize> = (0..fields.frames().min(lead_times.len())).collect();
        Self::new(&tally, Spectrum::new(fields, columns, &frames, every))
    }

    /// Its figures, in the order of the panel; the reliability comes third where there is one.
    pub fn figures(&self, names: &Names, reliability: Option<&Reliability>) -> Vec<Figure> {
        let mut figures = vec![self.ranks.figure(), self.coverage.figure()];
        figures.extend(reliability.map(|found| found.figure(names)));
        figures.push(self.spread_skill.figure(names));
        figures.extend(self.spread_skill.scores(names));
        figures.extend(self.spectrum.as_ref().map(Spectrum::figure));
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::synthetic::{Kind, Synthetic};
    use super::*;

    pub fn tally(kind: Kind, members: usize) -> Tally {
        tally_of(kind, 11, members, 8, 256)
    }

    pub fn tally_of(kind: Kind, seed: u64, members: usize, frames: usize, points: usize) -> Tally {
        let data = Synthetic::new(kind, seed, members, frames, points);
        let fields =
            Fields::new(&data.members, &data.truth, points, [0, 1], &[]).expect("sizes fit");
        let mut tally = Tally::new(members);
        for frame in 0..frames {
            tally.push(&fields, frame, 6.0 * (frame + 1) as f64, 1);
        }
        tally
    }

    pub fn names() -> Names {
        Names {
            quantity: "temperature".to_owned(),
            unit: "°C".to_owned(),
            time_unit: "hours".to_owned(),
        }
    }

    #[test]
    fn all_figures_have_words_paths_and_numbers() {
        let data = Synthetic::new(Kind::Biased, 2, 12, 3, 64);
        let fields = Fields::new(&data.members, &data.truth, 64, [0, 1], &[]).expect("sizes fit");
        let verified = Verified::of(&fields, &[1.0, 2.0, 3.0], 32, 1).expect("values");
        let reliability = Reliability::new(&fields, Some(2), 0.0, 1 << 20);
        let figures = verified.figures(&names(), Some(&reliability));
        let found: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
        let wanted = [
            "rank-histogram",
            "coverage",
            "reliability",
            "spread-skill",
            "scores-by-lead",
            "spectrum",
        ];
        assert_eq!(found, wanted);
        for figure in &figures {
            let sentence =
                |text: &str| text.ends_with('.') && text.len() > 40 && !text.contains("NaN");
            assert!(
                sentence(&figure.reading),
                "{}: {}",
                figure.name,
                figure.reading
            );
            assert!(sentence(&figure.label), "{}: {}", figure.name, figure.label);
            assert!(!figure.table.rows.is_empty());
            assert!(figure.legend().count() >= 2);
            for layer in &figure.layers {
                assert!(layer.path.starts_with('M'), "{}: {layer:?}", figure.name);
                assert!(
                    !layer.path.contains("NaN") && !layer.path.contains("inf"),
                    "{layer:?}"
                );
            }
        }
        // What the worker sends is what the page gets.
        let bytes = postcard::to_allocvec(&verified).expect("plain data");
        assert_eq!(
            postcard::from_bytes::<Verified>(&bytes).as_ref(),
            Ok(&verified)
        );
    }

    #[test]
    fn a_broken_ensemble_has_no_figures() {
        let members = vec![f32::NAN; 60];
        let fields = Fields::new(&members, &[0.0; 20], 20, [0, 1], &[]).expect("sizes fit");
        assert_eq!(Verified::of(&fields, &[0.0], 10, 1), None);
    }

    #[test]
    fn shares_are_told_in_per_cent() {
        assert_eq!(percent(0.5), "50 %");
        assert_eq!(percent(0.004), "0.4 %");
        assert_eq!(percent(0.995), "99.5 %");
        assert_eq!(
            (percent(0.0), percent(1.0)),
            ("0 %".to_owned(), "100 %".to_owned())
        );
    }
}
