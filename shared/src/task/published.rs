//! The tasks of the paper, with the scales its networks were trained in.

use super::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};
use crate::pde::ks;
use crate::spec::Experiment;
use crate::sphere::Latitudes;

impl Task {
    /// The published task of an experiment; `None` for a user's own arrays.
    pub fn published(experiment: Experiment) -> Option<Self> {
        experiment.row().task.map(|task| task())
    }

    /// Twenty frames t = 0, 2, …, 38 to the next twenty, scores in units of the published 2.6431.
    pub fn ks() -> Self {
        let time = |start| Axis::new("time", ks::WINDOW, start, ks::FRAME_STEP, "");
        let x = Axis::new("x", ks::CELLS, 0.0, ks::LENGTH / ks::CELLS as f64, "");
        let u = Quantity::new("u", "", ks::NORMALISATION);
        Self {
            input: vec![time(0.0), x.clone()],
            output: vec![time(ks::WINDOW as f64 * ks::FRAME_STEP), x],
            inputs: vec![u.clone()],
            outputs: vec![u],
            coordinates: vec![Coordinate::unit(1), Coordinate::unit(0)],
            domain: Domain::Flat,
        }
    }

    /// One frame of the Kuramoto-Sivashinsky equation to the next, two time units later. The line is periodic and nothing on
    /// it is marked, so the network takes no coordinate.
    ///
    /// The frame is the last that a case of [`ks`](Self::ks) has as its input: a forecast of twenty steps from there is one
    /// of the published window.
    pub fn ks_step() -> Self {
        let Self {
            input,
            inputs,
            outputs,
            ..
        } = Self::ks();
        let line = vec![input[1].clone()];
        let mut outputs = outputs;
        outputs[0].increment = Some(ks::STEP_CHANGE);
        Self {
            input: line.clone(),
            output: line,
            inputs,
            outputs,
            coordinates: vec![],
            domain: Domain::Flat,
        }
    }

    /// Permeability to pressure on the 64 x 64 training grid: every second cell centre of 128.
    ///
    /// The scale of the pressure is what the authors' sums in f32 give on our replica of their data, not a printed value.
    pub fn darcy() -> Self {
        let axis = |name| Axis::new(name, 64, 0.5 / 128.0, 1.0 / 64.0, "");
        let scale = Normalisation {
            mean: 0.072,
            std: 0.138,
        };
        Self {
            input: vec![axis("x"), axis("y")],
            output: vec![axis("x"), axis("y")],
            inputs: vec![Quantity::new("a", "", Normalisation::NONE)],
            outputs: vec![Quantity::new("u", "", scale)],
            coordinates: vec![Coordinate::unit(1), Coordinate::unit(0)],
            domain: Domain::Flat,
        }
    }

    /// The state of the atmosphere in one hour: geopotential, vorticity, divergence on 128 x 256 points, poles included.
    ///
    /// The published scale is that of one random initial field; these are its expected values.
    pub fn sswe() -> Self {
        let quantity =
            |name, unit, mean, std| Quantity::new(name, unit, Normalisation { mean, std });
        let axes = vec![
            Axis::new("latitude", 128, 90.0, -180.0 / 127.0, "degrees_north"),
            Axis::new("longitude", 256, 0.0, 360.0 / 256.0, "degrees_east"),
        ];
        let state = vec![
            quantity("geopotential", "m2 s-2", 98_062.0, 617.0),
            quantity("vorticity", "s-1", 0.0, 5.17e-6),
            quantity("divergence", "s-1", 0.0, 5.16e-6),
        ];
        Self {
            input: axes.clone(),
            output: axes,
            inputs: state.clone(),
            outputs: state,
            coordinates: vec![],
            domain: Domain::Sphere(Latitudes::Equiangular),
        }
    }

    /// Ten times 2 m temperature over Europe, six hours apart, to the next ten; in the authors' scale, whose mean and
    /// standard deviation are those of sums that f32 could not hold.
    pub fn era5() -> Self {
        let time = |start| Axis::new("time", 10, start, 6.0, "hours");
        let grid = [
            Axis::new("latitude", 160, 35.0, 0.25, "degrees_north"),
            Axis::new("longitude", 220, -12.5, 0.25, "degrees_east"),
        ];
        let scale = Normalisation {
            mean: 16.704,
            std: 65.39,
        };
        let temperature = Quantity::new("2m_temperature", "K", scale);
        let with = |time: Axis| std::iter::once(time).chain(grid.clone()).collect();
        // Time is scaled over inputs and outputs together: 0 to 9/19 of twenty steps.
        let steps = Coordinate {
            axis: 0,
            first: 0.0,
            last: 9.0 / 19.0,
        };
        Self {
            input: with(time(-54.0)),
            output: with(time(6.0)),
            inputs: vec![temperature.clone()],
            outputs: vec![temperature],
            coordinates: vec![Coordinate::unit(1), steps, Coordinate::unit(2)],
            domain: Domain::Flat,
        }
    }
}
