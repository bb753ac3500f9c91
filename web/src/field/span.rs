//! An axis of a picture: coordinates, their words, and ticks.

use pno::task::Axis;
use serde::{Deserialize, Serialize};

use crate::experiments::Step;
use crate::ticks;

/// A tick: its place as a share of the axis, and its words.
pub type Tick = (f64, String);

/// Coordinates along one direction of a picture, from below or from the left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// What it is called.
    pub name: String,
    /// Unit as the data set has it.
    pub unit: String,
    /// Coordinate of every point.
    pub coordinates: Vec<f64>,
    /// Whether the last point lies beside the first.
    pub periodic: bool,
}

impl Span {
    /// An axis of a task, turned so that coordinates rise.
    pub fn of(axis: &Axis, coordinates: &[f64]) -> Self {
        let mut coordinates = coordinates.to_vec();
        if coordinates.first() > coordinates.last() {
            coordinates.reverse();
        }
        Self {
            name: axis.name.clone(),
            unit: axis.unit.clone(),
            coordinates,
            periodic: false,
        }
    }

    /// Whole numbers from `first` on.
    pub fn counted(name: &str, unit: &str, first: usize, count: usize) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            coordinates: (first..first + count).map(|n| n as f64).collect(),
            periodic: false,
        }
    }

    /// The ends of so many steps.
    pub fn stepped(step: Step, count: usize) -> Self {
        Self {
            name: step.name.to_owned(),
            unit: step.unit.to_owned(),
            coordinates: (1..=count).map(|n| n as f64 * step.length).collect(),
            periodic: false,
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The coordinate of a point in words, with its unit.
    pub fn words(&self, index: usize) -> String {
        let index = index.min(self.len().saturating_sub(1));
        let value = self.coordinates.get(index).copied().unwrap_or_default();
        ticks::words(&self.unit, value)
    }

    /// `x 37.5`, `49.4° N`.
    pub fn place(&self, index: usize) -> String {
        match self.unit.as_str() {
            "degrees_north" | "degrees_east" => self.words(index),
            _ => format!("{} {}", self.name, self.words(index)),
        }
    }

    /// Coordinates of both borders of a picture: half a step beyond the outermost points.
    pub fn borders(&self) -> (f64, f64) {
        match self.coordinates.as_slice() {
            [] => (0.0, 1.0),
            [only] => (only - 0.5, only + 0.5),
            [first, second, ..] => {
                let last = self.coordinates[self.len() - 1];
                let before = self.coordinates[self.len() - 2];
                (first - 0.5 * (second - first), last + 0.5 * (last - before))
            }
        }
    }

    /// Round coordinates between the borders.
    pub fn ticks(&self) -> Vec<Tick> {
        let (first, last) = self.borders();
        let ticks = ticks::between(&self.unit, first, last).into_iter();
        ticks
            .map(|(value, words)| ((value - first) / (last - first), words))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(unit: &str, first: f64, step: f64, size: usize) -> Span {
        let axis = Axis::new("axis", size, first, step, unit);
        Span::of(&axis, &axis.coordinates())
    }

    #[test]
    fn coordinates_rise_and_are_read_out_with_their_side() {
        let north = span("degrees_north", 90.0, -60.0, 4);
        assert_eq!(north.coordinates, [-90.0, -30.0, 30.0, 90.0]);
        assert_eq!(north.place(0), "90° S");
        assert_eq!(span("degrees_east", -12.5, 0.25, 3).words(1), "12.2° W");
        assert_eq!(span("degrees_east", 200.0, 2.5, 3).words(1), "157.5° W");
        assert_eq!(span("hours", 6.0, 6.0, 10).words(9), "60 h");
        assert_eq!(span("", 0.0, 0.5, 3).place(1), "axis 0.5");
        assert_eq!(span("", 0.0, 0.5, 3).place(9), "axis 1", "the last");
    }

    #[test]
    fn ticks_are_round_and_few_and_where_their_coordinate_is() {
        for span in [
            span("", 0.0, 100.0 / 256.0, 256),
            span("", 40.0, 2.0, 20),
            span("", 0.5 / 128.0, 1.0 / 64.0, 64),
            span("degrees_north", 90.0, -180.0 / 31.0, 32),
            span("degrees_east", 0.0, 360.0 / 64.0, 64),
            span("degrees_north", 35.0, 0.25, 160),
        ] {
            let ticks = span.ticks();
            assert!((3..=7).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|(at, _)| (0.0..=1.0).contains(at)));
        }
        let ticks = span("", 0.5, 1.0, 10).ticks();
        assert_eq!(ticks[0], (0.0, "0".to_owned()));
        assert_eq!(ticks[1], (0.2, "2".to_owned()));
        let globe = span("degrees_east", 0.0, 90.0, 4).ticks();
        let words: Vec<&str> = globe.iter().map(|(_, words)| words.as_str()).collect();
        assert_eq!(words, ["0°", "90° E", "180°", "90° W"]);
        assert_eq!(span("", 3.0, 1.0, 1).ticks()[0].1, "2.6");
    }
}
