//! Where values lie: sizes, orientation, axes, units. All of it is derived from a model's task.
//!
//! A frame is one picture: rows are counted from below, columns from the left, whatever the order in memory.

mod earth;
mod scene;
mod span;
mod stack;
mod unit;

pub use scene::{Lead, Line, Scene};
pub use span::{Span, Tick};
pub use unit::Unit;

use serde::{Deserialize, Serialize};

/// What a picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// Space to the right, time upwards.
    SpaceTime,
    /// Two directions of a plane.
    Map,
    /// Latitude and longitude of a whole sphere.
    Sphere,
}

/// How the points of a frame lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Row by row, the lowest first.
    Upwards,
    /// Row by row, the topmost first.
    Downwards,
    /// Column by column, the leftmost first, each upwards: `[x, y]`.
    Columns,
}

/// Sizes of a run's fields: `[frame, point, channel]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Pictures.
    pub frames: usize,
    /// Rows of a picture.
    pub rows: usize,
    /// Columns of a picture.
    pub columns: usize,
    /// Quantities at every point.
    pub channels: usize,
    /// How the points of a frame lie in memory.
    pub order: Order,
}

impl Shape {
    /// Points of a frame.
    pub fn points(&self) -> usize {
        self.rows * self.columns
    }

    /// Values of a frame.
    pub fn values(&self) -> usize {
        self.points() * self.channels
    }

    /// Where a point of a frame is in memory.
    pub fn point(&self, row: usize, column: usize) -> usize {
        match self.order {
            Order::Upwards => row * self.columns + column,
            Order::Downwards => (self.rows - 1 - row) * self.columns + column,
            Order::Columns => column * self.rows + row,
        }
    }

    /// One channel of a frame: `[point]`.
    pub fn channel(&self, frame: &[f32], channel: usize) -> Vec<f32> {
        let values = frame.iter().skip(channel);
        values.step_by(self.channels).copied().collect()
    }
}

/// Where a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Which picture.
    pub frame: usize,
    /// Row, from below.
    pub row: usize,
    /// Column, from the left.
    pub column: usize,
    /// Which quantity.
    pub channel: usize,
}

impl Probe {
    /// Where its value is in a frame.
    pub fn value(&self, shape: &Shape) -> usize {
        shape.point(self.row, self.column) * shape.channels + self.channel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_counts_rows_from_below_and_columns_from_the_left() {
        let shape = |order| Shape {
            frames: 1,
            rows: 2,
            columns: 3,
            channels: 2,
            order,
        };
        // The last row from below and the first column: top left.
        assert_eq!(shape(Order::Upwards).point(1, 0), 3);
        assert_eq!(shape(Order::Downwards).point(1, 0), 0);
        assert_eq!(shape(Order::Columns).point(1, 0), 1);
        assert_eq!(shape(Order::Columns).point(0, 2), 4);
        let frame: Vec<f32> = (0..12).map(|v| v as f32).collect();
        let found = shape(Order::Upwards).channel(&frame, 1);
        assert_eq!(found, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]);
        let probe = Probe {
            frame: 0,
            row: 1,
            column: 2,
            channel: 1,
        };
        assert_eq!(frame[probe.value(&shape(Order::Upwards))], 11.0);
    }
}
