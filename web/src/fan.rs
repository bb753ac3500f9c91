//! Fan charts: quantile bands of an ensemble along a line, and the paths that draw them.

use std::fmt::Write;

use pno::ensemble::quantiles::sorted_quantile;

/// Side of the square in which paths are drawn; the page stretches it.
pub const SIDE: f32 = 1000.0;

/// Quantiles at each position along a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Fan {
    /// Bounds of the central 95 %.
    pub outer: (Vec<f32>, Vec<f32>),
    /// Bounds of the central 50 %.
    pub inner: (Vec<f32>, Vec<f32>),
    /// Median.
    pub median: Vec<f32>,
}

impl Fan {
    /// The fan of members `[member, length]`.
    pub fn new(members: &[f32], length: usize) -> Self {
        let mut bands = [0.025, 0.25, 0.5, 0.75, 0.975].map(|q| (q, Vec::with_capacity(length)));
        for position in 0..length {
            let mut column: Vec<f32> = members
                .iter()
                .skip(position)
                .step_by(length)
                .copied()
                .collect();
            column.sort_unstable_by(f32::total_cmp);
            for (q, band) in &mut bands {
                band.push(if column.is_empty() {
                    f32::NAN
                } else {
                    sorted_quantile(&column, *q)
                });
            }
        }
        let [q025, q25, median, q75, q975] = bands.map(|(_, band)| band);
        Self {
            outer: (q025, q975),
            inner: (q25, q75),
            median,
        }
    }
}

/// Where values lie in the square: `x` and `y` ranges of the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// First and last position.
    pub x: (f64, f64),
    /// Lowest and highest value.
    pub y: (f32, f32),
}

impl Window {
    /// Position as a share of the width.
    pub fn across(&self, x: f64) -> f64 {
        (x - self.x.0) / (self.x.1 - self.x.0)
    }

    fn point(&self, x: f64, y: f32) -> (f32, f32) {
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        (self.across(x) as f32 * SIDE, (1.0 - up) * SIDE)
    }

    /// Path of a line through `(x, y)`.
    pub fn line(&self, xs: &[f64], ys: &[f32]) -> String {
        let mut path = String::with_capacity(12 * xs.len());
        self.extend(&mut path, 'M', xs.iter().copied().zip(ys.iter().copied()));
        path
    }

    /// Path of several lines `[line, xs]` in one.
    pub fn lines(&self, xs: &[f64], ys: &[f32]) -> String {
        let mut path = String::with_capacity(12 * ys.len());
        for line in ys.chunks_exact(xs.len()) {
            self.extend(&mut path, 'M', xs.iter().copied().zip(line.iter().copied()));
        }
        path
    }

    /// Path around the area between two lines.
    pub fn band(&self, xs: &[f64], (lower, upper): &(Vec<f32>, Vec<f32>)) -> String {
        let mut path = String::with_capacity(24 * xs.len());
        self.extend(
            &mut path,
            'M',
            xs.iter().copied().zip(lower.iter().copied()),
        );
        self.extend(
            &mut path,
            'L',
            xs.iter().copied().zip(upper.iter().copied()).rev(),
        );
        path.push('Z');
        path
    }

    fn extend(&self, path: &mut String, first: char, points: impl Iterator<Item = (f64, f32)>) {
        let mut command = first;
        for (x, y) in points {
            let (x, y) = self.point(x, y);
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{x:.1} {y:.1}");
            command = 'L';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fan_of_a_hundred_and_one_ranked_members_is_their_ranks() {
        let members: Vec<f32> = (0..101_u16)
            .flat_map(|m| [f32::from(m), -f32::from(m)])
            .collect();
        let fan = Fan::new(&members, 2);
        assert_eq!(fan.median, [50.0, -50.0]);
        assert_eq!(fan.inner, (vec![25.0, -75.0], vec![75.0, -25.0]));
        assert_eq!(fan.outer, (vec![2.5, -97.5], vec![97.5, -2.5]));
    }

    #[test]
    fn paths_fill_the_square_with_up_as_up() {
        let window = Window {
            x: (0.0, 10.0),
            y: (-1.0, 1.0),
        };
        assert_eq!(
            window.line(&[0.0, 10.0], &[-1.0, 1.0]),
            "M0.0 1000.0L1000.0 0.0"
        );
        assert_eq!(
            window
                .lines(&[0.0, 10.0], &[0.0, 0.0, 1.0, 1.0])
                .matches('M')
                .count(),
            2
        );
        let band = window.band(&[0.0, 10.0], &(vec![-1.0, -1.0], vec![0.0, 1.0]));
        assert_eq!(band, "M0.0 1000.0L1000.0 1000.0L1000.0 0.0L0.0 500.0Z");
    }
}
