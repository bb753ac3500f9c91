//! A field in the terminal: two points per character, as upper half blocks.

use std::fmt::Write;

use pno::colour;

use super::forecast::limit;

/// Lines of a field `[time, x]` with time to the right and position upwards, at most `columns` wide and `rows` high.
///
/// Without colour, five grades of shading stand for the value.
pub fn sketch(
    values: &[f32],
    cells: usize,
    (columns, rows): (usize, usize),
    colours: bool,
) -> String {
    let frames = values.len() / cells;
    let (columns, points) = (columns.min(frames * 2), rows * 2);
    let limit = limit(values);
    let at = |column: usize, point: usize| {
        let frame = column * frames / columns;
        let cell = (points - 1 - point) * cells / points;
        values[frame * cells + cell]
    };
    let mut out = String::new();
    for row in 0..rows {
        for column in 0..columns {
            let (upper, lower) = (at(column, 2 * row), at(column, 2 * row + 1));
            if colours {
                let [r, g, b] = colour::lookup(&colour::VIK, upper, -limit, limit);
                let [s, h, c] = colour::lookup(&colour::VIK, lower, -limit, limit);
                let _ = write!(out, "\x1b[38;2;{r};{g};{b};48;2;{s};{h};{c}m\u{2580}");
            } else {
                // From 0 at -limit to 5 at +limit.
                let grade = 2.5 + 2.5 * f32::midpoint(upper, lower) / limit;
                let grade = grade.clamp(0.0, 4.0) as usize;
                out.push([' ', '\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'][grade]);
            }
        }
        out.push_str(if colours { "\x1b[0m\n" } else { "\n" });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_drawn_as_a_ramp() {
        // Two frames, four cells from -1 (bottom) to 1 (top).
        let field = [-1.0, -0.5, 0.5, 1.0, -1.0, -0.5, 0.5, 1.0];
        assert_eq!(sketch(&field, 4, (2, 2), false), "\u{2588}\u{2588}\n  \n");
        let coloured = sketch(&field, 4, (2, 2), true);
        assert_eq!(coloured.matches('\u{2580}').count(), 4);
        assert!(coloured.ends_with("\x1b[0m\n"));
    }
}
