//! Fields in the terminal: two points per character, as upper half blocks.

use std::fmt::Write;

use pno::colour;

use super::layer::Layer;
use super::shades::Shades;

/// Characters of one to eight eighths of their height, for a line as a landscape.
const EIGHTHS: [char; 9] = [
    ' ', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}',
    '\u{2588}',
];

/// Characters between two fields.
const GAP: &str = "  ";

/// Lines with fields beside each other, at most `columns` wide and `rows` high; each has its own scale.
///
/// Without colour, five grades of shading stand for the value. Points without a value are left blank.
pub fn sketch(layers: &[&Layer], (columns, rows): (usize, usize), colours: bool) -> String {
    let room = (columns + GAP.len()) / layers.len().max(1) - GAP.len();
    let fields: Vec<(Shades, usize, &Layer)> = layers
        .iter()
        .map(|layer| (Shades::of(&layer.values), width(layer, room, rows), *layer))
        .collect();
    let mut out = String::new();
    for row in 0..rows {
        for (index, (shades, width, layer)) in fields.iter().enumerate() {
            if index > 0 {
                out.push_str(GAP);
            }
            for column in 0..*width {
                if layer.up.size == 1 {
                    let height = shades.grade(value(layer, (column, *width), (0, 1)));
                    out.push(landscape(height, rows - 1 - row, rows));
                    continue;
                }
                let at = |point: usize| value(layer, (column, *width), (point, 2 * rows));
                character(&mut out, shades, at(2 * row), at(2 * row + 1), colours);
            }
            if colours && layer.up.size > 1 {
                out.push_str("\x1b[0m");
            }
        }
        out.push('\n');
    }
    out
}

/// Columns of a field: two per frame of a history, square pixels in space.
fn width(layer: &Layer, room: usize, rows: usize) -> usize {
    let wanted = if layer.is_history() {
        2 * layer.across.size
    } else {
        (2 * rows * layer.across.size / layer.up.size.max(1)).max(8)
    };
    wanted.clamp(1, room.max(1))
}

/// The point that is nearest to a column and a line from the top.
fn value(layer: &Layer, (column, columns): (usize, usize), (line, lines): (usize, usize)) -> f32 {
    let across = column * layer.across.size / columns;
    let up = (lines - 1 - line) * layer.up.size / lines;
    layer.values[across * layer.up.size + up]
}

/// What a column of the given height (0 to 1) has in line `line` of `lines`, counted from below.
fn landscape(height: f32, line: usize, lines: usize) -> char {
    let filled = height * lines as f32 - line as f32;
    EIGHTHS[(filled * 8.0).round().clamp(0.0, 8.0) as usize]
}

fn character(out: &mut String, shades: &Shades, upper: f32, lower: f32, colours: bool) {
    if colours {
        let Shades { table, lo, hi } = *shades;
        let [r, g, b] = colour::lookup(table, upper, lo, hi);
        let [s, h, c] = colour::lookup(table, lower, lo, hi);
        // A point without a value has the terminal's own background.
        let _ = match (upper.is_nan(), lower.is_nan()) {
            (false, false) => write!(out, "\x1b[38;2;{r};{g};{b};48;2;{s};{h};{c}m\u{2580}"),
            (false, true) => write!(out, "\x1b[0;38;2;{r};{g};{b}m\u{2580}"),
            (true, false) => write!(out, "\x1b[0;38;2;{s};{h};{c}m\u{2584}"),
            (true, true) => write!(out, "\x1b[0m "),
        };
    } else {
        let grade = 5.0 * shades.grade(f32::midpoint(upper, lower));
        let grade = grade.clamp(0.0, 4.0) as usize;
        out.push([' ', '\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'][grade]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::task::Axis;

    #[test]
    fn a_ramp_is_drawn_as_a_ramp() {
        // Two frames, four cells from -1 (bottom) to 1 (top).
        let values = [-1.0, -0.5, 0.5, 1.0, -1.0, -0.5, 0.5, 1.0];
        let axes = [
            Axis::new("time", 2, 0.0, 1.0, ""),
            Axis::new("x", 4, 0.0, 1.0, ""),
        ];
        let layer = Layer::of(&axes, &values, 0, 1, 0);
        let plain = sketch(&[&layer], (2, 2), false);
        assert_eq!(plain, "\u{2588}\u{2588}\n  \n");
        let coloured = sketch(&[&layer], (2, 2), true);
        assert_eq!(coloured.matches('\u{2580}').count(), 4);
        assert!(coloured.ends_with("\x1b[0m\n"));
        let line = Layer::of(&axes[1..], &values[..4], 0, 1, 0);
        assert_eq!(
            sketch(&[&line], (4, 2), false),
            "  \u{2584}\u{2588}\n \u{2584}\u{2588}\u{2588}\n"
        );
        let holes = [-1.0, f32::NAN, 0.5, f32::NAN, f32::NAN, f32::NAN, 0.5, 1.0];
        let layer_with_holes = Layer::of(&axes, &holes, 0, 1, 0);
        let coloured = sketch(&[&layer_with_holes], (2, 2), true);
        let glyphs: String = coloured
            .chars()
            .filter(|c| " \u{2580}\u{2584}".contains(*c))
            .collect();
        assert_eq!(
            glyphs, "\u{2584}\u{2580}\u{2584} ",
            "lower, both, lower, none"
        );
        assert_eq!(coloured.matches("48;2;").count(), 1, "one has two values");
        let both = sketch(&[&layer, &layer], (6, 2), false);
        assert_eq!(both, "\u{2588}\u{2588}  \u{2588}\u{2588}\n      \n");
    }
}
