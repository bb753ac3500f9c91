//! Fields as pictures, and how their values become colours.

use pno::colour::{self, Table};

use crate::live::Place;
use crate::scale::{largest, nice_above};

/// Which colour table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Around a middle: blue to white to red.
    Diverging,
    /// Errors and spreads: dark to pale yellow.
    Spread,
    /// Quantities from small to large: dark blue to pale pink.
    Sequential,
}

impl Palette {
    /// Its colours.
    pub fn table(self) -> &'static Table {
        match self {
            Self::Diverging => &colour::VIK,
            Self::Spread => &colour::LAJOLLA,
            Self::Sequential => &colour::BATLOW,
        }
    }
}

/// A colour table from a lower to an upper end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Lower end.
    pub lo: f32,
    /// Upper end.
    pub hi: f32,
    /// The colours between.
    pub palette: Palette,
}

impl Bar {
    /// From zero to a round number above the largest value.
    pub fn from_zero(field: &[f32]) -> Self {
        Self {
            lo: 0.0,
            hi: nice_above(largest(field)),
            palette: Palette::Sequential,
        }
    }

    /// A round number to both sides of a middle.
    pub fn around(middle: f32, field: &[f32]) -> Self {
        let away: Vec<f32> = field.iter().map(|value| value - middle).collect();
        let reach = nice_above(largest(&away));
        Self {
            lo: middle - reach,
            hi: middle + reach,
            palette: Palette::Diverging,
        }
    }

    /// Colour of a value.
    pub fn colour(self, value: f32) -> [u8; 4] {
        let [red, green, blue] = colour::lookup(self.palette.table(), value, self.lo, self.hi);
        [red, green, blue, 255]
    }
}

/// Pixels as a canvas takes them: rows from the top, four bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// A square field `[x, y]`: x to the right, y upwards.
    pub fn square(n: usize, field: &[f32], colour: impl Fn(f32) -> [u8; 4]) -> Self {
        let cells = (0..n * n).map(|at| field[at % n * n + n - 1 - at / n]);
        Self {
            width: n,
            height: n,
            rgba: cells.flat_map(colour).collect(),
        }
    }

    /// A map `[lat, lon]`: north at the top, eastwards to the right.
    pub fn map([height, width]: [usize; 2], field: &[f32], bar: Bar) -> Self {
        Self {
            width,
            height,
            rgba: colour::rgba(bar.palette.table(), field, bar.lo, bar.hi),
        }
    }
}

/// Where a place is in a square field `[x, y]`.
pub fn square_index(n: usize, place: Place) -> usize {
    let (column, row) = place.cell(n, n);
    column * n + row
}

/// Where a place is in a map `[lat, lon]` from north to south.
pub fn map_index([rows, columns]: [usize; 2], place: Place) -> usize {
    let (column, row) = place.cell(columns, rows);
    (rows - 1 - row) * columns + column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_goes_right_and_y_upwards() {
        // The value tells its cell: 10 x + y.
        let field: Vec<f32> = (0..9).map(|at| (at / 3 * 10 + at % 3) as f32).collect();
        let picture = Picture::square(3, &field, |value| [value as u8, 0, 0, 255]);
        let reds: Vec<u8> = picture.rgba.iter().step_by(4).copied().collect();
        assert_eq!(reds, [2, 12, 22, 1, 11, 21, 0, 10, 20]);
        let right_below = Place {
            across: 0.99,
            upwards: 0.01,
        };
        assert_eq!(field[square_index(3, right_below)], 20.0);
    }

    #[test]
    fn north_is_at_the_top() {
        let field = [1.0, 1.0, 0.0, -1.0];
        let bar = Bar::around(0.0, &field);
        let picture = Picture::map([2, 2], &field, bar);
        assert_eq!(picture.rgba[..4], bar.colour(1.0));
        assert_eq!(picture.rgba[12..], bar.colour(-1.0));
        let below_right = Place {
            across: 0.9,
            upwards: 0.1,
        };
        assert_eq!(field[map_index([2, 2], below_right)], -1.0);
    }

    #[test]
    fn scales_are_round_and_hold_the_field() {
        let bar = Bar::from_zero(&[0.02, 0.21]);
        assert_eq!((bar.lo, bar.hi), (0.0, 0.3));
        let bar = Bar::around(98_000.0, &[97_300.0, 98_100.0]);
        assert_eq!((bar.lo, bar.hi), (97_200.0, 98_800.0));
        assert_eq!(bar.colour(98_000.0)[..3], colour::VIK[128]);
    }
}
