//! What each panel shows: its words, its field, its colours.

use pno::colour::{self, Table};
use pno::pde::ks::{CELLS, WINDOW};
use pno::score::maps::absolute_error;

use crate::data::{Case, Ensemble, POINTS};
use crate::picture::{Bar, Palette, Picture};
use crate::scale::{largest, nice_above};
use crate::settings::View;

/// The six panels, in the order of the paper's figures.
pub const PANELS: [View; 6] = [
    View::Truth,
    View::Mean,
    View::Error,
    View::Member,
    View::Std,
    View::Coverage,
];

/// Share of the values that a scale of spreads must hold: a few extreme ones would darken all others.
const SCALE_SHARE: f64 = 0.99;

/// Ends of the two scales that panels share, so that they can be compared by eye.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// Fields go from minus to plus this.
    pub field: f32,
    /// Errors and spreads go from zero to this.
    pub spread: f32,
}

impl Scales {
    /// Scales of a case and the ensemble so far.
    pub fn new(case: &Case, ensemble: Option<&Ensemble>) -> Self {
        let spread = ensemble.map_or(1.0, |ensemble| {
            let mut values = absolute_error(&ensemble.mean, &case.truth);
            values.extend(&ensemble.std);
            values.sort_unstable_by(f32::total_cmp);
            values[((values.len() - 1) as f64 * SCALE_SHARE) as usize]
        });
        Self {
            field: nice_above(largest(&case.truth)),
            spread: nice_above(spread),
        }
    }
}

/// How a panel turns values into colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key {
    /// A colour table from a lower to an upper end.
    Bar(Bar),
    /// Inside, above or below the interval.
    Interval,
}

impl View {
    /// Heading of the panel.
    pub fn title(self) -> &'static str {
        match self {
            Self::All => "All panels",
            Self::Truth => "Truth",
            Self::Mean => "Ensemble mean",
            Self::Error => "Error of the mean",
            Self::Std => "Standard deviation",
            Self::Member => "One member",
            Self::Coverage => "95 % interval",
        }
    }

    /// One line below the heading.
    pub fn caption(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Truth => "what happens next",
            Self::Mean => "the best guess",
            Self::Error => "|mean − truth|",
            Self::Std => "the spread",
            Self::Member => "one possible future",
            Self::Coverage => "hit or miss",
        }
    }

    /// How the panel turns values into colours.
    pub fn key(self, scales: Scales) -> Key {
        match self {
            Self::Error | Self::Std => Key::Bar(Bar {
                lo: 0.0,
                hi: scales.spread,
                palette: Palette::Spread,
            }),
            Self::Coverage => Key::Interval,
            _ => Key::Bar(Bar {
                lo: -scales.field,
                hi: scales.field,
                palette: Palette::Diverging,
            }),
        }
    }

    /// The panel's field `[time, x]`; `None` while it is not there yet.
    ///
    /// For the interval the values are -1, 0, 1: the truth is below, inside, above.
    pub fn field(self, case: &Case, ensemble: Option<&Ensemble>, member: u32) -> Option<Vec<f32>> {
        match self {
            Self::All => None,
            Self::Truth => Some(case.truth.clone()),
            Self::Mean => Some(ensemble?.mean.clone()),
            Self::Std => Some(ensemble?.std.clone()),
            Self::Member => Some(ensemble?.member(member).to_vec()),
            Self::Error => Some(absolute_error(&ensemble?.mean, &case.truth)),
            Self::Coverage => Some(sides(&case.truth, ensemble?)),
        }
    }
}

fn sides(truth: &[f32], ensemble: &Ensemble) -> Vec<f32> {
    let bounds = ensemble.lower.iter().zip(&ensemble.upper);
    bounds
        .zip(truth)
        .map(|((&lower, &upper), &y)| match () {
            () if y <= lower => -1.0,
            () if y >= upper => 1.0,
            () => 0.0,
        })
        .collect()
}

/// A field with time upwards. Points inside an interval are transparent.
pub fn picture(field: &[f32], key: Key) -> Picture {
    let mut upwards = Vec::with_capacity(POINTS);
    for frame in (0..WINDOW).rev() {
        upwards.extend_from_slice(&field[frame * CELLS..(frame + 1) * CELLS]);
    }
    let rgba = match key {
        Key::Bar(bar) => colour::rgba(bar.palette.table(), &upwards, bar.lo, bar.hi),
        Key::Interval => upwards.iter().flat_map(|&side| side_pixel(side)).collect(),
    };
    Picture {
        width: CELLS,
        height: WINDOW,
        rgba,
    }
}

/// Colour of a side: transparent inside, blue below, red above.
pub fn side_pixel(side: f32) -> [u8; 4] {
    if side == 0.0 {
        return [0; 4];
    }
    let [red, green, blue] = colour::lookup(&colour::VIK, 0.62 * side, -1.0, 1.0);
    [red, green, blue, 255]
}

/// A colour table as a CSS gradient from left to right.
pub fn gradient(table: &Table) -> String {
    let stops: Vec<String> = (0..=16)
        .map(|i| {
            let [r, g, b] = table[(i * 16).min(255)];
            format!("rgb({r} {g} {b})")
        })
        .collect();
    format!("linear-gradient(to right, {})", stops.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tests::ramp;

    #[test]
    fn time_goes_upwards() {
        let mut field = vec![0.0; POINTS];
        field[0] = 1.0;
        let bar = Bar {
            lo: -1.0,
            hi: 1.0,
            palette: Palette::Diverging,
        };
        let pixels = picture(&field, Key::Bar(bar)).rgba;
        let first = (WINDOW - 1) * CELLS * 4;
        assert_eq!(pixels[first..first + 3], colour::VIK[255]);
        assert_eq!(pixels[..3], colour::VIK[128]);
    }

    #[test]
    fn the_interval_panel_tells_the_side() {
        let mut ensemble = ramp(2);
        ensemble.lower = vec![-1.0; POINTS];
        ensemble.upper = vec![1.0; POINTS];
        let mut truth = vec![0.0; POINTS];
        truth[1] = 2.0;
        truth[2] = -1.0;
        let case = Case {
            start: 0.0,
            input: truth.clone(),
            truth,
        };
        let sides = View::Coverage
            .field(&case, Some(&ensemble), 0)
            .expect("an ensemble");
        assert_eq!(
            sides[..4],
            [0.0, 1.0, -1.0, 0.0],
            "on the bound counts as outside"
        );
        assert_eq!(side_pixel(0.0)[3], 0);
        assert_ne!(side_pixel(1.0), side_pixel(-1.0));
    }

    #[test]
    fn every_panel_but_the_truth_waits_for_members() {
        let case = Case {
            start: 0.0,
            input: vec![0.0; POINTS],
            truth: vec![1.0; POINTS],
        };
        for panel in PANELS {
            assert_eq!(
                panel.field(&case, None, 0).is_some(),
                panel == View::Truth,
                "{panel:?}"
            );
            assert!(panel.field(&case, Some(&ramp(2)), 0).is_some());
        }
    }
}
