//! A forecast in the paper's arrangement: truth, mean, absolute error, standard deviation, coverage.

use pno::colour;
use pno::score::Maps;
use pno::task::Task;

use super::Figure;
use super::panel::{Key, Panel, Span};
use super::raster::Image;

/// Colour of a point whose truth lies inside the interval.
const HIT: [u8; 3] = [0xd9, 0xe3, 0xec];
/// Colour of a point whose truth lies outside.
const MISS: [u8; 3] = [0xb3, 0x36, 0x1c];

/// The figure of one case; `maps` and `truth` in physical units.
pub fn forecast(task: &Task, truth: &[f32], maps: &Maps, title: &str) -> Figure {
    let time = [&task.output[0]];
    let axes = (&time[..], &task.output[1]);
    let hits: Vec<f32> = maps
        .hits
        .iter()
        .map(|&hit| f32::from(u8::from(hit)))
        .collect();
    let share = hits.iter().sum::<f32>() / hits.len() as f32;
    let bound = limit(truth);
    // Spread and error are drawn on one scale: an ensemble is right where they look alike.
    let spread = limit(&maps.std).max(limit(&maps.absolute_error));
    let signed = |title: &str, values: &[f32]| {
        Panel::scaled(title, values, axes, &colour::VIK, (-bound, bound))
    };
    let positive = |title: &str, values: &[f32]| {
        Panel::scaled(title, values, axes, &colour::LAJOLLA, (0.0, spread))
    };
    Figure {
        title: title.to_owned(),
        panels: vec![
            signed("truth", truth),
            signed("ensemble mean", &maps.mean),
            positive("absolute error", &maps.absolute_error),
            positive("standard deviation", &maps.std),
            Panel {
                title: format!("coverage {:.1} %", 100.0 * share),
                image: Image::field(&hits, axes.1.size, |hit| if hit > 0.5 { HIT } else { MISS }),
                time: Span::of(axes.0),
                x: Span::of(&[axes.1]),
                key: Key::Names(vec![
                    (HIT, "inside the 95 % interval".into()),
                    (MISS, "outside".into()),
                ]),
                rule: None,
            },
        ],
    }
}

/// The end of a colour scale for a field: its largest absolute value but for one point in a thousand, so that one spike does not
/// bleach the rest.
pub fn limit(values: &[f32]) -> f32 {
    let mut sizes: Vec<f32> = values
        .iter()
        .filter(|v| v.is_finite())
        .map(|v| v.abs())
        .collect();
    if sizes.is_empty() {
        return 1.0;
    }
    let at = (sizes.len() - 1) * 999 / 1000;
    let (_, size, _) = sizes.select_nth_unstable_by(at, f32::total_cmp);
    if *size > 0.0 { *size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_ignores_a_spike_and_a_broken_point() {
        let mut values: Vec<f32> = (0..2000).map(|i| i as f32 / 1000.0 - 1.0).collect();
        values[7] = 1e6;
        values[8] = f32::NAN;
        let found = limit(&values);
        assert!((0.99..=1.0).contains(&found), "{found}");
        assert_eq!(limit(&[0.0; 4]), 1.0);
        assert_eq!(limit(&[]), 1.0);
    }
}
