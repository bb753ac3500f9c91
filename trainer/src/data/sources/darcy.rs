//! Darcy flow: coefficients are drawn, pressures are solved for.

use std::ops::Range;

use anyhow::{Result, ensure};
use pno::pde::darcy::{CELLS, Law, Solver};
use pno::spec::{Experiment, Profile};
use pno::task::{Axis, Normalisation, Task};
use serde_json::json;

use super::Generated;
use crate::data::description::Description;
use crate::data::source::{Contents, Field, Line, Maker, Rows, Scales, Source};

/// Raised whenever the same seed would give other numbers.
const GENERATOR: &str = "darcy-1";

/// Coefficients and their pressures.
pub struct Darcy {
    seed: u64,
    profile: Profile,
    law: Law,
    /// Cells of the solver along each axis.
    cells: usize,
    /// Every how many of them are stored.
    stride: usize,
    contents: Contents,
}

impl Darcy {
    /// Samples on `grid` points along each axis (64, or 128 where the profile is `paper`).
    ///
    /// A grid coarser than the published 128 cells is a part of it: computed on 64 cells the pressure itself would be
    /// another one, because the border is first-order.
    pub fn new(generated: &Generated, law: Law, grid: Option<usize>) -> Result<Self> {
        let paper = generated.profile == Profile::Paper;
        let grid = grid.unwrap_or(if paper { CELLS } else { 64 });
        ensure!(
            (8..=1024).contains(&grid) && (grid >= CELLS || CELLS.is_multiple_of(grid)),
            "a Darcy grid of {grid} points: it must divide 128, or be 128 to 1024"
        );
        let cells = grid.max(CELLS);
        let stride = cells / grid;
        let task = task(generated.profile, cells, stride);
        let line = |axis: &Axis| {
            let long_name = format!("position {} of the cell's centre", axis.name);
            Line::new(&axis.name, &long_name, "1", axis.coordinates())
        };
        let coordinates = task.input.iter().map(line).collect();
        let axes: Vec<(String, usize)> = task
            .input
            .iter()
            .map(|axis| (axis.name.clone(), axis.size))
            .collect();
        let field = |name: &str, long_name: &str| Field {
            name: name.into(),
            long_name: long_name.into(),
            units: String::new(),
            axes: axes.clone(),
        };
        let mut description = Description::whole(task);
        if paper {
            // Published: trained on every second point, validated and tested on all.
            description.strides = [2, 1, 1];
        }
        let own = json!({ "law": law.name(), "cells": cells, "grid": grid });
        let contents = Contents {
            experiment: Experiment::Darcy,
            description,
            arrays: vec![
                field("a", "permeability"),
                field("u", "pressure"),
            ],
            coordinates,
            rows: Rows::Cases(generated.counts.total()),
            rows_at_once: 1,
            shares: generated.counts.shares(generated.seed),
            scales: if paper { Scales::Given } else { Scales::OfTraining },
            request: generated.request(GENERATOR, &own),
            attributes: generated.attributes(json!({
                "title": "Darcy flow through a random permeability",
                "equation": match generated.profile {
                    Profile::Fixed => "-div(a grad u) = 1 on the unit square, u = 0 around it: the steady state",
                    Profile::Paper => "du/dt = div(a grad u) + 1 on the unit square, u = 0 around it, from a random field until t = 2",
                },
                "law": law.description(),
                "solver": format!("finite volumes on {cells} x {cells} cells, of which one in {stride} along each axis is stored"),
                "generator": GENERATOR,
            })),
        };
        Ok(Self {
            seed: generated.seed,
            profile: generated.profile,
            law,
            cells,
            stride,
            contents,
        })
    }
}

/// The published task on every `stride`-th of `cells` cells.
fn task(profile: Profile, cells: usize, stride: usize) -> Task {
    let mut task = Task::darcy();
    for axes in [&mut task.input, &mut task.output] {
        for axis in axes {
            axis.size = cells / stride;
            axis.start = 0.5 / cells as f64;
            axis.step = stride as f64 / cells as f64;
        }
    }
    if profile == Profile::Fixed {
        task.outputs[0].normalisation = Normalisation::NONE;
    }
    task
}

impl Source for Darcy {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn maker(&self) -> Result<Box<dyn Maker + '_>> {
        Ok(Box::new(Samples {
            solver: Solver::new(self.cells),
            of: self,
        }))
    }
}

struct Samples<'a> {
    solver: Solver,
    of: &'a Darcy,
}

impl Maker for Samples<'_> {
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let Darcy {
            seed,
            profile,
            law,
            cells,
            stride,
            ..
        } = *self.of;
        let thinned = |field: &[f32]| -> Vec<f32> {
            let lines = field.chunks_exact(cells).step_by(stride);
            lines
                .flat_map(|line| line.iter().step_by(stride).copied())
                .collect()
        };
        let mut arrays = vec![Vec::new(), Vec::new()];
        for row in rows {
            let sample = self.solver.sample(seed, row as u64, profile, law)?;
            arrays[0].extend(thinned(&sample.coefficient));
            arrays[1].extend(thinned(&sample.solution));
        }
        Ok(arrays)
    }
}
