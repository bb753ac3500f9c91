//! Axes of a grid and what is fed of them.

use serde::{Deserialize, Serialize};

/// One axis of a grid: equally spaced points, or latitudes of a sphere (then `start` and `step` describe the mean spacing).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name as in the data set (`time`, `x`).
    pub name: String,
    /// Number of points.
    pub size: usize,
    /// Coordinate of the first point.
    pub start: f64,
    /// Spacing.
    pub step: f64,
    /// Unit of the coordinate (empty for model units).
    pub unit: String,
}

impl Axis {
    /// An axis from its parts.
    pub fn new(name: &str, size: usize, start: f64, step: f64, unit: &str) -> Self {
        Self {
            name: name.into(),
            size,
            start,
            step,
            unit: unit.into(),
        }
    }

    /// Coordinates of all points.
    pub fn coordinates(&self) -> Vec<f64> {
        (0..self.size)
            .map(|i| self.start + self.step * i as f64)
            .collect()
    }
}

/// A coordinate that the network sees as a channel of its own: `first` to `last` along one axis of the input grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Coordinate {
    /// Which axis, counted from the outermost.
    pub axis: usize,
    /// Value at the first point.
    pub first: f64,
    /// Value at the last point.
    pub last: f64,
}

impl Coordinate {
    /// From 0 to 1 along an axis.
    pub fn unit(axis: usize) -> Self {
        Self {
            axis,
            first: 0.0,
            last: 1.0,
        }
    }

    /// The value at point `index` of `size`.
    pub fn at(&self, index: usize, size: usize) -> f32 {
        let part = index as f64 / (size.max(2) - 1) as f64;
        (self.first + (self.last - self.first) * part) as f32
    }
}
