//! Fields as pictures, and how their values become colours.
//!
//! A picture has the pixels of the screen: values are interpolated first and coloured then, so that a colour between
//! two points is one of the table.

use pno::colour::{self, Table};

use crate::field::Shape;

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
    /// Colour of a value; nothing where there is no value.
    pub fn colour(self, value: f32) -> [u8; 4] {
        if value.is_nan() {
            return [0; 4];
        }
        let [red, green, blue] = colour::lookup(self.palette.table(), value, self.lo, self.hi);
        [red, green, blue, 255]
    }
}

/// Width in pixels of the stripes that tell a miss below from one above, for those who do not see the colours.
pub const STRIPE: usize = 4;
/// Opacity between the stripes.
pub const PALE: u8 = 110;

/// Whether a pixel on one of the picture's diagonals lies between two stripes.
pub const fn is_pale(diagonal: usize) -> bool {
    diagonal % (2 * STRIPE) >= STRIPE
}

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key {
    /// Smooth colours of a table.
    Bar(Bar),
    /// A colour of a table for every cell.
    Cells(Bar),
    /// Below, inside, above an interval: a colour for every cell.
    Interval,
}

impl Key {
    /// The colour of a value on one of the diagonals of the picture.
    fn pixel(self, value: f32, diagonal: usize) -> [u8; 4] {
        let mut pixel = self.colour(value);
        if matches!(self, Self::Interval) && value < 0.0 && is_pale(diagonal) {
            pixel[3] = PALE;
        }
        pixel
    }

    fn colour(self, value: f32) -> [u8; 4] {
        match self {
            Self::Bar(bar) | Self::Cells(bar) => bar.colour(value),
            Self::Interval => side_pixel(value),
        }
    }
}

/// Colour inside the interval: a shade on whatever the ground is, light or dark. The ground alone is what has no value.
const INSIDE: [u8; 4] = [128, 128, 128, 48];

/// Colour of a side: [`INSIDE`], blue below (in stripes, see [`STRIPE`]), red above; nothing where there is no value.
pub fn side_pixel(side: f32) -> [u8; 4] {
    if side.is_nan() {
        return [0; 4];
    }
    if side == 0.0 {
        return INSIDE;
    }
    let [red, green, blue] = colour::lookup(&colour::VIK, 0.62 * side, -1.0, 1.0);
    [red, green, blue, 255]
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

/// Where pixels take their values along one direction: two points and the share of the second.
fn weights(pixels: usize, points: usize, periodic: bool) -> Vec<(usize, usize, f32)> {
    let place = |pixel: usize| {
        let at = (pixel as f64 + 0.5) / pixels as f64 * points as f64 - 0.5;
        let below = at.floor();
        let share = (at - below) as f32;
        let last = points as i64 - 1;
        let index = |i: i64| {
            if periodic {
                i.rem_euclid(points as i64) as usize
            } else {
                i.clamp(0, last) as usize
            }
        };
        (index(below as i64), index(below as i64 + 1), share)
    };
    (0..pixels).map(place).collect()
}

/// A field `[point]` as a picture of the given pixels; columns go round where `periodic`.
pub fn picture(
    field: &[f32],
    shape: &Shape,
    periodic: bool,
    [width, height]: [usize; 2],
    key: Key,
) -> Picture {
    let smooth = matches!(key, Key::Bar(_));
    let columns = weights(width, shape.columns, periodic);
    // Rows are counted from below, pixels from the top.
    let mut rows = weights(height, shape.rows, false);
    rows.reverse();
    let mut rgba = Vec::with_capacity(4 * width * height);
    let mut line = Vec::with_capacity(shape.columns);
    let nearest = |&(a, b, share): &(usize, usize, f32)| if share < 0.5 { a } else { b };
    for (y, row) in rows.iter().enumerate() {
        if !smooth {
            let row = nearest(row);
            let cells = columns.iter().map(|c| field[shape.point(row, nearest(c))]);
            rgba.extend(
                cells
                    .enumerate()
                    .flat_map(|(x, value)| key.pixel(value, x + y)),
            );
            continue;
        }
        // Upwards once for every point of the row, then across for every pixel.
        let &(below, above, up) = row;
        line.clear();
        line.extend((0..shape.columns).map(|column| {
            let value = |row| field[shape.point(row, column)];
            mix(value(below), value(above), up)
        }));
        for &(left, right, across) in &columns {
            rgba.extend_from_slice(&key.colour(mix(line[left], line[right], across)));
        }
    }
    Picture {
        width,
        height,
        rgba,
    }
}

/// Between two values; beside a point without a value the nearer of the two, so that a coast lies halfway.
pub(crate) fn mix(a: f32, b: f32, share: f32) -> f32 {
    let between = a + (b - a) * share;
    if !between.is_nan() {
        between
    } else if share < 0.5 {
        a
    } else {
        b
    }
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
    use crate::field::Order;

    fn shape(order: Order) -> Shape {
        Shape {
            frames: 1,
            rows: 2,
            columns: 3,
            channels: 1,
            order,
        }
    }

    const BAR: Bar = Bar {
        lo: 0.0,
        hi: 1.0,
        palette: Palette::Sequential,
    };

    #[test]
    fn up_is_up_in_every_order() {
        // One point is high: the top left one.
        for (order, at) in [
            (Order::Upwards, 3),
            (Order::Downwards, 0),
            (Order::Columns, 1),
        ] {
            let mut field = vec![0.0; 6];
            field[at] = 1.0;
            for key in [Key::Bar(BAR), Key::Cells(BAR)] {
                let picture = picture(&field, &shape(order), false, [3, 2], key);
                assert_eq!(picture.rgba[..3], colour::BATLOW[255], "{order:?}");
                assert_eq!(picture.rgba[4..7], colour::BATLOW[0]);
                assert_eq!(picture.rgba[12..15], colour::BATLOW[0]);
            }
        }
    }

    #[test]
    fn between_points_the_value_is_interpolated_and_then_coloured() {
        let field = [0.0, 0.5, 1.0, 0.0, 0.5, 1.0];
        let picture = picture(&field, &shape(Order::Upwards), false, [6, 2], Key::Bar(BAR));
        // Pixel centres at a quarter and three quarters between the points.
        assert_eq!(picture.rgba[4..8], BAR.colour(0.125));
        assert_eq!(picture.rgba[8..12], BAR.colour(0.375));
        assert_eq!(picture.rgba[..4], BAR.colour(0.0), "the border holds");
    }

    #[test]
    fn a_point_without_a_value_is_transparent_up_to_halfway() {
        let field = [0.0, f32::NAN, 1.0, 0.0, f32::NAN, 1.0];
        for key in [Key::Bar(BAR), Key::Cells(BAR)] {
            let picture = picture(&field, &shape(Order::Upwards), false, [12, 4], key);
            for row in picture.rgba.chunks_exact(4 * 12) {
                let opaque: Vec<u8> = row.iter().skip(3).step_by(4).copied().collect();
                let (seen, blank) = ([255; 4], [0; 4]);
                assert_eq!(opaque, [seen, blank, seen].concat(), "{key:?}");
                assert_eq!(row[..4], BAR.colour(0.0));
            }
        }
    }

    #[test]
    fn a_periodic_line_has_no_seam() {
        let field = [0.0, 0.5, 1.0, 0.0, 0.5, 1.0];
        let picture = picture(&field, &shape(Order::Upwards), true, [6, 2], Key::Bar(BAR));
        assert_eq!(
            picture.rgba[..4],
            BAR.colour(0.25),
            "between the last and the first"
        );
    }

    #[test]
    fn misses_differ_in_more_than_their_colour() {
        let opacities = |side: f32| {
            let picture = picture(
                &[side; 6],
                &shape(Order::Upwards),
                false,
                [9, 2],
                Key::Interval,
            );
            let mut found: Vec<u8> = picture.rgba.iter().skip(3).step_by(4).copied().collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(opacities(1.0), [255]);
        assert_eq!(opacities(-1.0), [PALE, 255]);
    }

    #[test]
    fn a_point_without_a_value_is_blank_and_a_hit_is_not() {
        assert_eq!(BAR.colour(f32::NAN), [0; 4]);
        assert_ne!(side_pixel(1.0), side_pixel(-1.0));
        let picture = picture(
            &[0.0, 1.0, f32::NAN, 0.0, 0.0, 0.0],
            &shape(Order::Upwards),
            false,
            [3, 2],
            Key::Interval,
        );
        assert_eq!(picture.rgba[12..16], INSIDE);
        assert_eq!(picture.rgba[16..20], side_pixel(1.0));
        assert_eq!(picture.rgba[20..24], [0; 4]);
    }
}
