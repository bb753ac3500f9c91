//! One step of ETDRK4 for the semi-discretised equation.

use std::f64::consts::PI;
use std::sync::Arc;

use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};

use super::etdrk4::Coefficients;
use super::loops::{Table, advect};

/// A field in Fourier space and everything a step needs, so that a step allocates nothing.
#[derive(Clone)]
pub(super) struct Stepper {
    /// Eigenvalues of `-u_xx - u_xxxx` by central differences, in the order of the transform.
    symbol: Vec<f64>,
    /// `-1/2 * 1/(2 dx)`, with the scale of the unnormalised inverse transform taken twice.
    advection: f64,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
    arrays: Arrays,
}

impl Stepper {
    pub(super) fn new(cells: usize, length: f64) -> Self {
        let dx = length / cells as f64;
        let symbol = (0..cells).map(|k| {
            // The same number for a wave and its mirror image, to the last bit.
            let angle = PI * k.min(cells - k) as f64 / cells as f64;
            let laplacian = -(2.0 / dx * angle.sin()).powi(2);
            -laplacian - laplacian * laplacian
        });
        let mut planner = FftPlanner::new();
        let forward = planner.plan_fft_forward(cells);
        let inverse = planner.plan_fft_inverse(cells);
        let scratch = forward
            .get_inplace_scratch_len()
            .max(inverse.get_inplace_scratch_len());
        Self {
            symbol: symbol.collect(),
            advection: -0.25 / (dx * (cells * cells) as f64),
            forward,
            inverse,
            arrays: Arrays::new(cells, scratch),
        }
    }

    pub(super) fn cells(&self) -> usize {
        self.symbol.len()
    }

    /// Largest rate at which a wave decays.
    pub(super) fn fastest(&self) -> f64 {
        self.symbol.iter().fold(0.0, |most, s| s.abs().max(most))
    }

    /// Coefficients of all waves for the step `h`.
    pub(super) fn table(&self, h: f64) -> Table {
        let cells = self.cells();
        let half: Vec<_> = self.symbol[..=cells / 2]
            .iter()
            .map(|&symbol| Coefficients::new(symbol, h))
            .collect();
        let waves: Vec<_> = (0..cells).map(|k| half[k.min(cells - k)]).collect();
        Table::new(&waves)
    }

    /// Takes one or two fields to Fourier space.
    pub(super) fn load(&mut self, first: &[f64], second: Option<&[f64]>) {
        for field in std::iter::once(first).chain(second) {
            assert_eq!(
                field.len(),
                self.cells(),
                "cells of a field on this KS grid"
            );
        }
        let ([state, ..], transform) = self.arrays.split();
        for (i, value) in state.iter_mut().enumerate() {
            *value = Complex64::new(first[i], second.map_or(0.0, |field| field[i]));
        }
        self.forward.process_with_scratch(state, transform);
    }

    /// The state in physical space, times the number of cells.
    pub(super) fn show(&mut self) -> &[Complex64] {
        let ([state, field, ..], transform) = self.arrays.split();
        field.copy_from_slice(state);
        self.inverse.process_with_scratch(field, transform);
        field
    }

    /// One step: Cox & Matthews (2002), equations 26-29.
    pub(super) fn step(&mut self, table: &Table) {
        // Four advection terms: at the start, at both middles, and at the end of the step.
        let ([state, stage, start, early, late, end], transform) = self.arrays.split();
        // The field is used up.
        let mut advection = |of: &mut [Complex64], to: &mut [Complex64]| {
            self.inverse.process_with_scratch(of, transform);
            advect(of, self.advection, to);
            self.forward.process_with_scratch(to, transform);
        };

        stage.copy_from_slice(state);
        advection(stage, start);
        // The last stage goes on from the first one: what it takes from there waits in `end`.
        table.first_middle(state, start, stage, end);
        advection(stage, early);
        table.second_middle(state, early, stage);
        advection(stage, late);
        table.end(end, late, stage);
        advection(stage, end);
        table.whole([start, early, late, end], state);
    }
}

/// All work space in one piece.
///
/// A power of two of cells makes arrays of whole pages, and where two arrays lie the same way in their pages, the
/// processor takes a load from one for a load of what was just stored in the other, and waits. So there is a gap between
/// them.
#[derive(Clone)]
struct Arrays {
    cells: usize,
    values: Vec<Complex64>,
}

impl Arrays {
    const COUNT: usize = 6;
    /// Nine lines of the cache.
    const GAP: usize = 36;

    fn new(cells: usize, transform: usize) -> Self {
        let length = Self::COUNT * (cells + Self::GAP) + transform;
        Self {
            cells,
            values: vec![Complex64::default(); length],
        }
    }

    /// The arrays, and the work space of the transforms.
    fn split(&mut self) -> ([&mut [Complex64]; Self::COUNT], &mut [Complex64]) {
        let mut rest = self.values.as_mut_slice();
        let arrays = std::array::from_fn(|_| {
            let (array, after) = std::mem::take(&mut rest).split_at_mut(self.cells + Self::GAP);
            rest = after;
            &mut array[..self.cells]
        });
        (arrays, rest)
    }
}
