//! A forecast in the paper's arrangement: truth, mean, absolute error, standard deviation, coverage.

use pno::colour;
use pno::score::Maps;
use pno::task::Task;

use super::Figure;
use super::layer::{Layer, at_lead, frame};
use super::panel::{Key, Panel};
use super::raster::BLANK;
use super::shades::{Shades, limit};

/// Colour of a point whose truth lies inside the interval.
pub const HIT: [u8; 3] = [0xd9, 0xe3, 0xec];
/// Colour of a point whose truth lies outside.
pub const MISS: [u8; 3] = [0xb3, 0x36, 0x1c];
/// Step that is shown of a forecast in time and two directions: the tenth, which is the last of the paper (60 h).
pub const LEAD: usize = 9;

/// The figure of one case, of its first quantity; `maps` and `truth` in physical units.
pub fn forecast(task: &Task, truth: &[f32], maps: &Maps, title: &str) -> Figure {
    let frame = frame(task, LEAD);
    let layer = |values: &[f32]| Layer::of(&task.output, values, 0, task.outputs.len(), frame);
    // A point without a truth is neither inside nor outside.
    let hits: Vec<f32> = (maps.hits.iter().zip(truth))
        .map(|(&hit, truth)| {
            if truth.is_nan() {
                return f32::NAN;
            }
            f32::from(u8::from(hit))
        })
        .collect();
    let [truth, mean] = [truth, &maps.mean].map(layer);
    let [error, std, hits] = [&maps.absolute_error, &maps.std, &hits].map(|values| layer(values));
    let known = || hits.values.iter().filter(|hit| !hit.is_nan());
    let share = known().sum::<f32>() / known().count() as f32;
    let shades = Shades::of(&truth.values);
    // Spread and error are drawn on one scale: an ensemble is right where they look alike.
    let spread = Shades {
        table: &colour::LAJOLLA,
        lo: 0.0,
        hi: limit(&std.values).max(limit(&error.values)),
    };
    let names = Key::Names(vec![
        (HIT, "inside the 95 % interval".into()),
        (MISS, "outside".into()),
    ]);
    Figure {
        title: at_lead(task, title, frame),
        rows: vec![vec![
            Panel::scaled("truth", &truth, shades),
            Panel::scaled("ensemble mean", &mean, shades),
            Panel::scaled("absolute error", &error, spread),
            Panel::scaled("standard deviation", &std, spread),
            Panel::coloured(
                &format!("coverage {:.1} %", 100.0 * share),
                &hits,
                |hit| match hit {
                    _ if hit.is_nan() => BLANK,
                    _ if hit > 0.5 => HIT,
                    _ => MISS,
                },
                names,
            ),
        ]],
    }
}
