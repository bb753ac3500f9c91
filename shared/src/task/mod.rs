//! What a model maps to what: axes, quantities, units, scales. Part of every checkpoint.
//!
//! Fields are `[points, channel]` everywhere: outside in physical units, inside the network in normalised ones.

use serde::{Deserialize, Serialize};

use crate::spec::SpecError;
use crate::sphere::Latitudes;

mod axis;
mod grid;
mod mask;
mod masked;
mod place;
mod published;
mod quantity;

pub use axis::{Axis, Coordinate};
pub use grid::{Domain, Grid};
pub use mask::{MAX_MASK_POINTS, Mask};
pub use place::point;
pub use quantity::{Normalisation, Quantity};

/// Largest number of points a task may have, so that a file cannot choose an allocation.
pub const MAX_POINTS: usize = 1 << 24;
/// Largest number of latitudes of a sphere: every 5 km, finer than any global model. Their nodes and weights take as many
/// steps as this squared, wherever a mean over the sphere is taken.
pub const MAX_LATITUDES: usize = 4096;
/// Largest number of fields on either side, and of coordinates.
pub const MAX_QUANTITIES: usize = 16;

/// Product of the lengths of a box in its coordinates: norms are its root times a root mean square, in f32 on a device.
const EXTENTS: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// Input and output of a model, in physical terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Axes of the input grid, outermost first.
    pub input: Vec<Axis>,
    /// Axes of the output grid, outermost first.
    pub output: Vec<Axis>,
    /// Fields that the network takes.
    pub inputs: Vec<Quantity>,
    /// Fields that the network gives.
    pub outputs: Vec<Quantity>,
    /// Coordinates that the network takes after the fields, in channel order.
    pub coordinates: Vec<Coordinate>,
    /// The shape of the domain.
    pub domain: Domain,
}

impl Task {
    /// Sizes of the input grid.
    pub fn input_shape(&self) -> Vec<usize> {
        self.input.iter().map(|a| a.size).collect()
    }

    /// Sizes of the output grid.
    pub fn output_shape(&self) -> Vec<usize> {
        self.output.iter().map(|a| a.size).collect()
    }

    /// Coordinates along every axis of the output, with the latitudes of a sphere where they really are.
    pub fn output_coordinates(&self) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = self.output.iter().map(Axis::coordinates).collect();
        if let (Domain::Sphere(latitudes), Some(first)) = (self.domain, all.first_mut()) {
            let colatitudes = latitudes.colatitudes(first.len()).into_iter();
            *first = colatitudes.map(|theta| 90.0 - theta.to_degrees()).collect();
        }
        all
    }

    /// The grid of the input, on which the network works.
    pub fn grid(&self) -> Grid {
        Grid {
            sizes: self.input_shape(),
            domain: self.domain,
        }
    }

    /// The same task on a grid of other sizes over the same extent. Panics if the number of axes differs.
    ///
    /// Periodic and cell-centred axes keep `size * step`; latitudes with poles keep their poles. A point is masked where
    /// the nearest point of this task is, on a sphere across the meridian where longitudes begin.
    #[must_use]
    pub fn on_grid(&self, sizes: &[usize]) -> Self {
        assert_eq!(sizes.len(), self.input.len(), "one size per axis");
        let mut task = self.clone();
        let has_poles = self.domain == Domain::Sphere(Latitudes::Equiangular);
        for axes in [&mut task.input, &mut task.output] {
            for (i, (axis, &size)) in axes.iter_mut().zip(sizes).enumerate() {
                let cells = |n: usize| if has_poles && i == 0 { n.max(2) - 1 } else { n };
                axis.step *= cells(axis.size) as f64 / cells(size.max(1)) as f64;
                axis.size = size;
            }
        }
        task.resize_masks(|axis, size, of| {
            let cells = |n: usize| {
                if has_poles && axis == 0 {
                    n.max(2) - 1
                } else {
                    n
                }
            };
            let (new, old) = (cells(size).max(1) as f64, cells(of) as f64);
            let is_round = axis == 1 && self.domain != Domain::Flat;
            move |index| {
                let nearest = (index as f64 * old / new).round() as usize;
                if is_round { nearest % of } else { nearest }
            }
        });
        task
    }

    /// Whether what the network gives can be what it takes next: the same quantities on the same axes. Axes that hold
    /// times differ, so a task that maps a window of time to the next one is not of this kind.
    pub fn feeds_back(&self) -> bool {
        let same = |(a, b): (&Quantity, &Quantity)| a.name == b.name && a.unit == b.unit;
        self.input == self.output
            && self.inputs.len() == self.outputs.len()
            && self.inputs.iter().zip(&self.outputs).all(same)
    }

    /// Number of points of one output field.
    pub fn points(&self) -> usize {
        self.output_shape().iter().product()
    }

    /// Number of values of the input: all fields, all points.
    pub fn input_values(&self) -> usize {
        self.inputs.len() * self.input_shape().iter().product::<usize>()
    }

    /// Number of values of the output: all fields, all points.
    pub fn output_values(&self) -> usize {
        self.outputs.len() * self.points()
    }

    /// Shape of an output array: the grid, with a last axis of channels where there are several.
    pub fn output_array(&self) -> Vec<usize> {
        array(self.outputs.len(), self.output_shape())
    }

    /// Shape of an input array: the grid, with a last axis of channels where there are several.
    pub fn input_array(&self) -> Vec<usize> {
        array(self.inputs.len(), self.input_shape())
    }

    /// The first (often the only) quantity that is forecast.
    pub fn quantity(&self) -> &Quantity {
        &self.outputs[0]
    }

    /// Channels of the network's input: fields, then coordinates.
    pub fn network_channels(&self) -> usize {
        self.inputs.len() + self.coordinates.len()
    }

    /// The network's input `[points, channel]` from fields in physical units: the normalised fields, then the coordinates.
    /// At masked points the network sees the mean of the field, which is zero in its units, whatever is there.
    pub fn network_input(&self, fields: &[f32]) -> Vec<f32> {
        let sizes = self.input_shape();
        let mut channels =
            Vec::with_capacity(fields.len() / self.inputs.len() * self.network_channels());
        for (point, values) in fields.chunks_exact(self.inputs.len()).enumerate() {
            for (quantity, &value) in self.inputs.iter().zip(values) {
                channels.push(if quantity.is_masked(point) {
                    0.0
                } else {
                    quantity.normalisation.normalise(value)
                });
            }
            for coordinate in &self.coordinates {
                let stride: usize = sizes[coordinate.axis + 1..].iter().product();
                let size = sizes[coordinate.axis];
                channels.push(coordinate.at(point / stride % size, size));
            }
        }
        channels
    }

    /// What the network should give, in its units, from output fields of one or more cases in physical units.
    pub fn network_output(&self, fields: &[f32]) -> Vec<f32> {
        let scales = self.outputs.iter().map(|q| q.normalisation).cycle();
        let pairs = fields.iter().zip(scales);
        pairs.map(|(&v, scale)| scale.normalise(v)).collect()
    }

    /// Fields in physical units from what the network gave, in place. What it gave at masked points means nothing and
    /// becomes NaN.
    pub fn restore(&self, values: &mut [f32]) {
        let scales = self.outputs.iter().map(|q| q.normalisation).cycle();
        for (value, scale) in values.iter_mut().zip(scales) {
            *value = scale.restore(*value);
        }
        self.blank(values);
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
        if matches!(self.domain, Domain::Sphere(_)) && self.input.len() != 2 {
            let axes = self.input.len().to_string();
            return Err(range("the number of axes of a sphere", axes, "2"));
        }
        if let (Domain::Sphere(_), Some(latitudes)) = (self.domain, self.input.first())
            && latitudes.size > MAX_LATITUDES
        {
            return Err(range(
                "the number of latitudes",
                latitudes.size.to_string(),
                &format!("at most {MAX_LATITUDES}"),
            ));
        }
        for (field, quantities) in [
            ("the number of input fields", &self.inputs),
            ("the number of output fields", &self.outputs),
        ] {
            if !(1..=MAX_QUANTITIES).contains(&quantities.len()) {
                return Err(range(field, quantities.len().to_string(), "1 to 16"));
            }
        }
        for quantity in self.inputs.iter().chain(&self.outputs) {
            let Normalisation { mean, std } = quantity.normalisation;
            if !mean.is_finite() || !std.is_finite() || std <= 0.0 {
                return Err(range(
                    "the normalisation",
                    format!("mean {mean:e}, std {std:e}"),
                    "finite with a positive std",
                ));
            }
        }
        for quantity in self.inputs.iter().chain(&self.outputs) {
            if let Some(increment) = quantity.increment
                && !(increment.is_finite() && increment > 0.0)
            {
                let found = format!("{increment:e}");
                return Err(range(
                    "the scale of an increment",
                    found,
                    "finite and positive",
                ));
            }
        }
        self.validate_masks()?;
        for Coordinate { axis, first, last } in &self.coordinates {
            if *axis >= self.input.len() || !first.is_finite() || !last.is_finite() {
                return Err(range(
                    "a coordinate",
                    format!("axis {axis} from {first} to {last}"),
                    "finite, along an axis of the input grid",
                ));
            }
        }
        let extent = crate::score::measure::extent(self);
        if !EXTENTS.contains(&extent) {
            return Err(range(
                "the extent of the coordinates",
                format!("{extent:e}"),
                "1e-12 to 1e12",
            ));
        }
        Ok(())
    }
}

fn array(channels: usize, mut grid: Vec<usize>) -> Vec<usize> {
    if channels > 1 {
        grid.push(channels);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method, ModelSpec, Operator, Profile};

    #[test]
    fn coordinates_follow_the_published_channel_order() {
        let task = Task::ks();
        let field: Vec<f32> = (0..task.points()).map(|i| i as f32).collect();
        let channels = task.network_input(&field);
        let at = |t: usize, x: usize| &channels[(t * 256 + x) * 3..][..3];
        assert_eq!(at(0, 255)[1..], [1.0, 0.0]);
        assert_eq!(at(19, 0)[1..], [0.0, 1.0]);
        let value = f64::from(at(3, 5)[0]) * 2.6431;
        assert!((value - f64::from(3 * 256 + 5_u16)).abs() < 1e-3, "{value}");

        let task = Task::era5();
        let channels = task.network_input(&vec![0.0; task.points()]);
        let at = |t: usize, y: usize, x: usize| &channels[((t * 160 + y) * 220 + x) * 4..][..4];
        assert_eq!(at(9, 159, 0)[1..], [1.0, (9.0_f64 / 19.0) as f32, 0.0]);
        assert_eq!(at(0, 0, 219)[1..], [0.0, 0.0, 1.0]);
    }

    #[test]
    fn published_tasks_fit_the_published_networks() {
        for (experiment, operator) in [
            (Experiment::Darcy, Operator::Fno),
            (Experiment::Darcy, Operator::Uno),
            (Experiment::Ks, Operator::Fno),
            (Experiment::Ks, Operator::Uno),
            (Experiment::Sswe, Operator::Sfno),
            (Experiment::Era5, Operator::Fno),
        ] {
            let task = Task::published(experiment).expect("published");
            task.validate().expect("valid");
            let spec = ModelSpec::paper(experiment, operator, Method::PnoR, Profile::Fixed);
            spec.expect("published").fits(&task).expect("fits");
        }
    }

    #[test]
    fn several_channels_go_in_and_come_back() {
        let task = Task::sswe();
        let points = task.points();
        let fields: Vec<f32> = (0..3 * points).map(|i| (i as f32 * 0.1).sin()).collect();
        let mut values = task.network_output(&fields);
        let second = task.outputs[1].normalisation.normalise(fields[7 * 3 + 1]);
        assert_eq!(values[7 * 3 + 1], second);
        assert_eq!(task.network_input(&fields)[7 * 3 + 1], second);
        assert_eq!(task.output_array(), [128, 256, 3]);
        task.restore(&mut values);
        for (i, (a, b)) in fields.iter().zip(&values).enumerate() {
            // Geopotential loses its decimals under a mean of 98 062.
            let tolerance = if i % 3 == 0 { 1e-2 } else { 1e-6 };
            assert!((a - b).abs() < tolerance, "{i}: {a} and {b}");
        }
    }

    #[test]
    fn only_a_state_at_one_time_can_be_fed_back() {
        assert!(Task::sswe().feeds_back());
        assert!(!Task::ks().feeds_back(), "its times move on");
        assert!(!Task::era5().feeds_back(), "its times move on");
        assert!(!Task::darcy().feeds_back(), "pressure is not permeability");
        let mut scaled = Task::sswe();
        scaled.inputs[1].normalisation.std = 7.0;
        assert!(scaled.feeds_back(), "scales can be changed");
        scaled.outputs.pop();
        assert!(!scaled.feeds_back());
    }

    #[test]
    fn another_grid_covers_the_same_extent() {
        let ks = Task::ks().on_grid(&[40, 512]);
        ks.validate().expect("valid");
        assert_eq!(ks.input_shape(), [40, 512]);
        assert_eq!(ks.input[1].step * 512.0, 100.0);
        assert_eq!(ks.output[0].start, 40.0);
        let sphere = Task::sswe().on_grid(&[33, 64]);
        let latitudes = sphere.input[0].coordinates();
        assert_eq!(latitudes[0], 90.0);
        assert!((latitudes[32] + 90.0).abs() < 1e-9);
        let mut gauss = sphere.on_grid(&[2, 4]);
        gauss.domain = Domain::Sphere(Latitudes::Gauss);
        // The nodes of two points are at sin(latitude) = 1/sqrt 3.
        let north = (1.0_f64 / 3.0).sqrt().asin().to_degrees();
        assert!((gauss.output_coordinates()[0][0] - north).abs() < 1e-9);
    }

    #[test]
    fn a_task_that_lies_about_its_size_is_refused() {
        let refused = |change: fn(&mut Task)| {
            let mut task = Task::ks();
            change(&mut task);
            task.validate().unwrap_err().to_string()
        };
        assert!(refused(|t| t.input[0].size = usize::MAX).contains("input grid"));
        assert!(refused(|t| t.outputs[0].normalisation.std = 0.0).contains("normalisation"));
        assert!(refused(|t| t.coordinates[0].axis = 2).contains("a coordinate is axis 2"));
        assert!(refused(|t| t.outputs.clear()).contains("output fields"));
        // Finite, but their product is not, or is nothing.
        for length in [1e308, 1e-200] {
            let mut task = Task::ks();
            for coordinate in &mut task.coordinates {
                (coordinate.first, coordinate.last) = (-length, length);
            }
            let message = task.validate().unwrap_err().to_string();
            assert!(message.contains("extent of the coordinates"), "{message}");
        }
    }
}
