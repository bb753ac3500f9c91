//! What a model maps to what: axes, units, normalisation. Part of every checkpoint.

use serde::{Deserialize, Serialize};

use crate::pde::ks;
use crate::spec::{Experiment, SpecError};

/// Largest number of points a task may have, so that a file cannot choose an allocation.
pub const MAX_POINTS: usize = 1 << 24;

/// One axis of a grid: equally spaced points.
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
    /// Coordinates of all points.
    pub fn coordinates(&self) -> Vec<f64> {
        (0..self.size)
            .map(|i| self.start + self.step * i as f64)
            .collect()
    }
}

/// `physical = mean + std * normalised`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Normalisation {
    /// Mean that is subtracted.
    pub mean: f64,
    /// Standard deviation that is divided by.
    pub std: f64,
}

impl Normalisation {
    /// Network units from physical units.
    pub fn normalise(&self, value: f32) -> f32 {
        ((f64::from(value) - self.mean) / self.std) as f32
    }

    /// Physical units from network units.
    pub fn restore(&self, value: f32) -> f32 {
        (f64::from(value) * self.std + self.mean) as f32
    }
}

/// Input and output of a model, in physical terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Axes of the input field, outermost first.
    pub input: Vec<Axis>,
    /// Axes of the output field, outermost first.
    pub output: Vec<Axis>,
    /// Name of the quantity.
    pub quantity: String,
    /// Unit of the quantity (empty for model units).
    pub unit: String,
    /// Scale shared by input and output.
    pub normalisation: Normalisation,
}

impl Task {
    /// The paper's Kuramoto-Sivashinsky task: twenty frames t = 0, 2, …, 38 to the next twenty, scores in units of the published 2.6431.
    pub fn ks() -> Self {
        let time = |start: f64| Axis {
            name: "time".into(),
            size: ks::WINDOW,
            start,
            step: ks::FRAME_STEP,
            unit: String::new(),
        };
        let x = Axis {
            name: "x".into(),
            size: ks::CELLS,
            start: 0.0,
            step: ks::LENGTH / ks::CELLS as f64,
            unit: String::new(),
        };
        Self {
            input: vec![time(0.0), x.clone()],
            output: vec![time(ks::WINDOW as f64 * ks::FRAME_STEP), x],
            quantity: "u".into(),
            unit: String::new(),
            normalisation: ks::NORMALISATION,
        }
    }

    /// The task of an experiment, where it is known without a data set.
    pub fn of(experiment: Experiment) -> Option<Self> {
        match experiment {
            Experiment::Ks => Some(Self::ks()),
            _ => None,
        }
    }

    /// Sizes of the input grid.
    pub fn input_shape(&self) -> Vec<usize> {
        self.input.iter().map(|a| a.size).collect()
    }

    /// Sizes of the output grid.
    pub fn output_shape(&self) -> Vec<usize> {
        self.output.iter().map(|a| a.size).collect()
    }

    /// Number of points of the output field.
    pub fn points(&self) -> usize {
        self.output_shape().iter().product()
    }

    /// Channels of the network's input: the field and one coordinate per axis.
    pub fn network_channels(&self) -> usize {
        1 + self.input.len()
    }

    /// The network's input `[points, channel]` from a field in physical units: the normalised field, then one coordinate
    /// per axis, each from 0 to 1, in the order of the published models (2D: last axis, first axis; 3D: 1, 0, 2).
    pub fn network_input(&self, field: &[f32]) -> Vec<f32> {
        let sizes = self.input_shape();
        let order: &[usize] = match sizes.len() {
            1 => &[0],
            2 => &[1, 0],
            _ => &[1, 0, 2],
        };
        let mut channels = Vec::with_capacity(field.len() * self.network_channels());
        for (point, &value) in field.iter().enumerate() {
            channels.push(self.normalisation.normalise(value));
            for &axis in order {
                let stride: usize = sizes[axis + 1..].iter().product();
                let index = point / stride % sizes[axis];
                channels.push(index as f32 / (sizes[axis].max(2) - 1) as f32);
            }
        }
        channels
    }

    /// Checks every value against its limits. Call it on anything that came from outside.
    pub fn validate(&self) -> Result<(), SpecError> {
        let range = |field: &'static str, found: String, wanted: &str| SpecError::Range {
            field,
            found,
            wanted: wanted.to_owned(),
        };
        for (field, axes) in [
            ("the input grid", &self.input),
            ("the output grid", &self.output),
        ] {
            let points = axes
                .iter()
                .try_fold(1_usize, |n, axis| n.checked_mul(axis.size))
                .filter(|n| (1..=MAX_POINTS).contains(n));
            if points.is_none() {
                let sizes: Vec<usize> = axes.iter().map(|a| a.size).collect();
                return Err(range(field, format!("{sizes:?}"), "1 to 2^24 points"));
            }
            if axes
                .iter()
                .any(|a| !a.start.is_finite() || !a.step.is_finite())
            {
                return Err(range(field, "not finite".into(), "finite coordinates"));
            }
        }
        if self.input_shape() != self.output_shape() {
            return Err(range(
                "the output grid",
                format!("{:?}", self.output_shape()),
                &format!("the input grid's {:?}", self.input_shape()),
            ));
        }
        let Normalisation { mean, std } = self.normalisation;
        if !mean.is_finite() || !std.is_finite() || std <= 0.0 {
            return Err(range(
                "the normalisation",
                format!("mean {mean:e}, std {std:e}"),
                "finite with a positive std",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_follow_the_published_channel_order() {
        let task = Task::ks();
        task.validate().expect("valid");
        let field: Vec<f32> = (0..task.points()).map(|i| i as f32).collect();
        let channels = task.network_input(&field);
        let at = |t: usize, x: usize| &channels[(t * 256 + x) * 3..][..3];
        assert_eq!(at(0, 255)[1..], [1.0, 0.0]);
        assert_eq!(at(19, 0)[1..], [0.0, 1.0]);
        let value = f64::from(at(3, 5)[0]) * 2.6431;
        assert!((value - f64::from(3 * 256 + 5_u16)).abs() < 1e-3, "{value}");
    }

    #[test]
    fn a_task_that_lies_about_its_size_is_refused() {
        let mut task = Task::ks();
        task.input[0].size = usize::MAX;
        assert!(
            task.validate()
                .unwrap_err()
                .to_string()
                .contains("input grid")
        );
        let mut task = Task::ks();
        task.normalisation.std = 0.0;
        assert!(
            task.validate()
                .unwrap_err()
                .to_string()
                .contains("normalisation")
        );
    }
}
