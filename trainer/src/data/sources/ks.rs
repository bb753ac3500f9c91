//! Kuramoto-Sivashinsky: the equation is solved from white noise.

use std::ops::Range;

use anyhow::{Result, ensure};
use pno::pde::ks::{CELLS, FRAME_STEP, Solver, WINDOW, initial_condition};
use pno::spec::{Experiment, Profile};
use pno::task::Task;
use serde_json::json;

use super::Generated;
use crate::data::description::{Description, Frames};
use crate::data::source::{Contents, Field, Line, Maker, Rows, Scales, Source};

/// Raised whenever the same seed would give other numbers.
const GENERATOR: &str = "ks-etdrk4-2";
/// Time that the `fixed` task leaves out: by then the white noise is forgotten and the motion is statistically steady.
const BURN_IN: f64 = 100.0;

/// Trajectories of the equation.
pub struct Ks {
    seed: u64,
    burn_in: f64,
    /// Every how many of the cells are stored.
    stride: usize,
    contents: Contents,
}

impl Ks {
    /// The published windows from t = 0 (`paper`), or the same after a burn-in (`fixed`).
    pub fn new(generated: &Generated) -> Self {
        Self::thinned(generated, 1)
    }

    /// The same trajectories, of which a case is one step: the first from the last frame of a published input, and any
    /// other for whoever enters the trajectories elsewhere.
    #[must_use]
    pub fn in_steps(mut self) -> Self {
        let Contents {
            experiment,
            description,
            request,
            attributes,
            ..
        } = &mut self.contents;
        let mut task = Task::ks_step();
        task.input[0] = description.task.input[1].clone();
        task.output[0] = description.task.output[1].clone();
        *description = Description::of_frames(task, Frames::one(WINDOW - 1), Frames::one(WINDOW));
        *experiment = Experiment::KsStep;
        request["steps"] = json!(true);
        attributes["frames"] = json!(format!(
            "every {FRAME_STEP} time units; a case is the step from frame {} to the next, and forecasts of more steps go on from there",
            WINDOW - 1
        ));
        self
    }

    /// The same with `cells` of the 256 cells.
    ///
    /// The equation is always solved on all of them; fewer are a part of them, which holds all that there is as long as
    /// they carry the spectrum (the power is below wavenumber 25 of the 64 that 128 cells carry).
    pub fn on_cells(generated: &Generated, cells: usize) -> Result<Self> {
        ensure!(
            (64..=CELLS).contains(&cells) && CELLS.is_multiple_of(cells),
            "a Kuramoto-Sivashinsky grid of {cells} cells: it must be 64, 128 or 256"
        );
        Ok(Self::thinned(generated, CELLS / cells))
    }

    fn thinned(generated: &Generated, stride: usize) -> Self {
        let cells = CELLS / stride;
        let (burn_in, scales) = match generated.profile {
            Profile::Paper => (0.0, Scales::Given),
            Profile::Fixed => (BURN_IN, Scales::OfTraining),
        };
        let mut task = Task::ks();
        task.input[0].start += burn_in;
        task.output[0].start += burn_in;
        for axis in [&mut task.input[1], &mut task.output[1]] {
            (axis.size, axis.step) = (cells, axis.step * stride as f64);
        }
        let own = match stride {
            1 => json!({ "burn_in": burn_in }),
            _ => json!({ "burn_in": burn_in, "cells": cells }),
        };
        let times = [&task.input[0], &task.output[0]];
        let times = times.iter().flat_map(|axis| axis.coordinates()).collect();
        let coordinates = vec![
            Line::new("time", "time in model units", "1", times),
            Line::new(
                "x",
                "position in model units",
                "1",
                task.input[1].coordinates(),
            ),
        ];
        let frames = |first| Frames {
            first,
            number: WINDOW,
        };
        let thinned = match stride {
            1 => String::new(),
            _ => format!("; one in {stride} of the cells is stored"),
        };
        let contents = Contents {
            experiment: Experiment::Ks,
            description: Description::of_frames(task, frames(0), frames(WINDOW)),
            arrays: vec![Field {
                name: "u".into(),
                long_name: "velocity u of the Kuramoto-Sivashinsky equation".into(),
                units: String::new(),
                axes: vec![("time".into(), 2 * WINDOW), ("x".into(), cells)],
            }],
            coordinates,
            rows: Rows::Cases(generated.counts.total()),
            rows_at_once: 2,
            shares: generated.counts.shares(generated.seed),
            scales,
            request: generated.request(GENERATOR, &own),
            attributes: generated.attributes(json!({
                "title": "Kuramoto-Sivashinsky trajectories from white noise",
                "equation": "u_t = -1/2 u u_x - u_xx - u_xxxx, periodic on [0, 100), 256 cells, second-order central differences, integrated by ETDRK4",
                "initial_condition": "independent U(-1, 1) per cell at t = 0",
                "frames": format!("t = {}, {}, ..., {}: the first 20 are the input of a case, the next 20 its truth{}", burn_in, burn_in + FRAME_STEP, burn_in + 78.0, thinned),
                "generator": GENERATOR,
            })),
        };
        Self {
            seed: generated.seed,
            burn_in,
            stride,
            contents,
        }
    }
}

impl Source for Ks {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn maker(&self) -> Result<Box<dyn Maker + '_>> {
        Ok(Box::new(Trajectories {
            solver: Solver::default_plan(),
            of: self,
        }))
    }
}

struct Trajectories<'a> {
    solver: Solver,
    of: &'a Ks,
}

impl Maker for Trajectories<'_> {
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let start = |row: usize| initial_condition(self.of.seed, row as u64, CELLS);
        let skipped = (self.of.burn_in / FRAME_STEP).round() as usize;
        let frames = skipped + 2 * WINDOW;
        let mut values = Vec::new();
        // Two trajectories are the real and the imaginary part of one. The last of an odd number is solved with the one that
        // would follow, so that its rounding does not depend on how many there are.
        for first in rows.clone().step_by(2) {
            let starts = [start(first), start(first + 1)];
            let pair = [starts[0].as_slice(), starts[1].as_slice()];
            let both = self.solver.trajectory_pair(pair, frames, FRAME_STEP);
            for trajectory in both.iter().take(rows.end - first) {
                let kept = trajectory[skipped * CELLS..].iter();
                values.extend(kept.step_by(self.of.stride));
            }
        }
        Ok(vec![values])
    }
}
