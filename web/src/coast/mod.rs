//! Coastlines for maps of the Earth.
//!
//! They are of Natural Earth (public domain, see NOTICE), thinned by `make.mjs` to what a map of the page can show:
//! about a kilometre in Europe, seven elsewhere. The format of `lines.bin`: for each line its number of points, then for
//! each point the steps from the one before it (the first from zero) to the east and to the north, a hundredth of a
//! degree each; numbers in seven bits per byte, lowest first, signs in the lowest bit.

use std::fmt::Write;
use std::sync::OnceLock;

use crate::figure::SIDE;

/// Steps of the file in a degree.
const STEPS_PER_DEGREE: f32 = 100.0;

static FILE: &[u8] = include_bytes!("lines.bin");

/// A point: degrees east, degrees north.
pub type Point = [f32; 2];

/// A part of the Earth in degrees. Longitudes may be counted from any meridian: −12.5 to 42.5, or 0 to 360.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Western border.
    pub west: f32,
    /// Eastern border, more than the western one.
    pub east: f32,
    /// Southern border.
    pub south: f32,
    /// Northern border, more than the southern one.
    pub north: f32,
}

impl Window {
    /// The window that cells around the points of a grid fill. Steps may be negative: rows from north to south.
    pub fn around(
        [first_lat, lat_step]: [f64; 2],
        rows: usize,
        [first_lon, lon_step]: [f64; 2],
        columns: usize,
    ) -> Self {
        let borders = |first: f64, step: f64, count: usize| {
            let (a, b) = (first - 0.5 * step, first + (count as f64 - 0.5) * step);
            (a.min(b) as f32, a.max(b) as f32)
        };
        let (south, north) = borders(first_lat, lat_step, rows);
        let (west, east) = borders(first_lon, lon_step, columns);
        Self {
            west,
            east,
            south,
            north,
        }
    }

    fn meets(&self, a: Point, b: Point) -> bool {
        let apart = |u: f32, v: f32, lo: f32, hi: f32| u.max(v) < lo || u.min(v) > hi;
        !apart(a[0], b[0], self.west, self.east) && !apart(a[1], b[1], self.south, self.north)
    }
}

/// All coastlines, decoded once.
pub fn lines() -> &'static [Vec<Point>] {
    static LINES: OnceLock<Vec<Vec<Point>>> = OnceLock::new();
    LINES.get_or_init(|| decode(FILE))
}

/// Coastlines that come into a window, in its longitudes; each is cut to the segments that do.
pub fn within(window: Window) -> Vec<Vec<Point>> {
    let mut found = vec![];
    // A window of 0 to 360 shows the western half of the Earth one turn further.
    for turn in [-360.0, 0.0, 360.0] {
        for line in lines() {
            let mut part: Vec<Point> = vec![];
            for pair in line.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|[x, y]| [x + turn, y]);
                if window.meets(a, b) {
                    if part.is_empty() {
                        part.push(a);
                    }
                    part.push(b);
                } else if !part.is_empty() {
                    found.push(std::mem::take(&mut part));
                }
            }
            if !part.is_empty() {
                found.push(part);
            }
        }
    }
    found
}

/// Coastlines of a window as one path in a square of [`SIDE`], north at the top; the page stretches it.
pub fn path(window: Window) -> String {
    let across = SIDE / (window.east - window.west);
    let upwards = SIDE / (window.north - window.south);
    let mut path = String::new();
    for line in within(window) {
        for (i, [x, y]) in line.into_iter().enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            let (x, y) = ((x - window.west) * across, (window.north - y) * upwards);
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        }
    }
    path
}

/// Reads the file; what is cut short at its end is left out.
fn decode(file: &[u8]) -> Vec<Vec<Point>> {
    let mut numbers = Numbers(file.iter());
    let mut lines = vec![];
    while let Some(count) = numbers.number() {
        let (mut x, mut y) = (0_i32, 0_i32);
        let mut line = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let Some(step) = numbers.signed().zip(numbers.signed()) else {
                return lines;
            };
            (x, y) = (x + step.0, y + step.1);
            line.push([x, y].map(|steps| steps as f32 / STEPS_PER_DEGREE));
        }
        lines.push(line);
    }
    lines
}

struct Numbers<'a>(std::slice::Iter<'a, u8>);

impl Numbers<'_> {
    fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in (0..32).step_by(7) {
            let byte = *self.0.next()?;
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i32> {
        let value = self.number()?;
        Some((value >> 1) as i32 ^ -((value & 1) as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        // Two points: (1.00, -0.50), then 2.00 further east.
        let file = [2, 0xC8, 0x01, 99, 0x90, 0x03, 0];
        assert_eq!(decode(&file), [vec![[1.0, -0.5], [3.0, -0.5]]]);
        assert_eq!(decode(&file[..6]), Vec::<Vec<Point>>::new());
        assert_eq!(decode(&[255; 9]), Vec::<Vec<Point>>::new());
    }

    #[test]
    fn the_file_holds_the_coasts_of_the_earth_and_is_small() {
        assert!(FILE.len() < 60_000, "{} bytes", FILE.len());
        let points = || lines().iter().flatten();
        assert!(points().all(|[x, y]| x.abs() <= 180.0 && y.abs() <= 90.0));
        let near = |[x, y]: Point| {
            let apart = |p: &&Point| (p[0] - x).hypot(p[1] - y);
            points().map(|p| apart(&p)).fold(f32::INFINITY, f32::min)
        };
        // Land's End, Gibraltar, the Cape of Good Hope, the North Cape; and no coast in the middle of two oceans and a desert.
        for cape in [
            [-5.7, 50.07],
            [-5.35, 36.1],
            [18.47, -34.36],
            [25.78, 71.17],
        ] {
            assert!(near(cape) < 0.35, "{cape:?}: {}", near(cape));
        }
        for inland in [[-35.0, 30.0], [-140.0, 5.0], [5.0, 23.0]] {
            assert!(near(inland) > 5.0, "{inland:?}: {}", near(inland));
        }
    }

    #[test]
    fn no_line_follows_the_date_line_or_the_pole() {
        for pair in lines().iter().flat_map(|line| line.windows(2)) {
            let along =
                pair.iter().all(|p| p[0].abs() > 179.95) || pair.iter().all(|p| p[1] < -89.5);
            assert!(!along, "{pair:?}");
            assert!((pair[0][0] - pair[1][0]).abs() < 180.0, "{pair:?}");
        }
    }

    #[test]
    fn the_window_of_a_grid_reaches_half_a_cell_beyond_its_points() {
        let window = Window::around([35.0, 0.25], 160, [-12.5, 0.25], 220);
        let wanted = [-12.625, 42.375, 34.875, 74.875];
        assert_eq!(
            [window.west, window.east, window.south, window.north],
            wanted
        );
        let down = Window::around([74.75, -0.25], 160, [-12.5, 0.25], 220);
        assert_eq!(down, window);
    }

    #[test]
    fn a_window_of_other_meridians_shows_the_same_coasts() {
        let west = Window {
            west: -10.0,
            east: 5.0,
            south: 49.0,
            north: 60.0,
        };
        let turned = Window {
            west: 350.0,
            east: 365.0,
            ..west
        };
        let (here, there) = (within(west), within(turned));
        assert!(here.len() > 5);
        assert_eq!(here.len(), there.len());
        assert!((here[0][0][0] + 360.0 - there[0][0][0]).abs() < 1e-3);
        assert_eq!(path(west).matches('M').count(), here.len());
    }

    #[test]
    fn segments_outside_the_window_are_left_out() {
        let window = Window {
            west: -6.0,
            east: -5.0,
            south: 49.8,
            north: 50.4,
        };
        let all: usize = lines().iter().map(Vec::len).sum();
        let found: usize = within(window).iter().map(Vec::len).sum();
        assert!((3..all / 100).contains(&found), "{found} of {all}");
    }
}
