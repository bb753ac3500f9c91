//! One step of ETDRK4 for the semi-discretised equation.

use std::f64::consts::PI;
use std::sync::Arc;

use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};

use super::etdrk4::Coefficients;

/// A field in Fourier space and everything a step needs, so that a step allocates nothing.
#[derive(Clone)]
pub(super) struct Stepper {
    /// Eigenvalues of `-u_xx - u_xxxx` by central differences, in the order of the transform.
    symbol: Vec<f64>,
    /// `-1/2 * 1/(2 dx)`, with the scale of the unnormalised inverse transform taken twice.
    advection: f64,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
    transform: Vec<Complex64>,
    state: Vec<Complex64>,
    stage: Vec<Complex64>,
    /// The advection term at the start, at both middles, and at the end of the step.
    terms: [Vec<Complex64>; 4],
    /// In physical space, times the number of cells.
    field: Vec<Complex64>,
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
        let zeros = vec![Complex64::default(); cells];
        Self {
            symbol: symbol.collect(),
            advection: -0.25 / (dx * (cells * cells) as f64),
            forward,
            inverse,
            transform: vec![Complex64::default(); scratch],
            state: zeros.clone(),
            stage: zeros.clone(),
            terms: std::array::from_fn(|_| zeros.clone()),
            field: zeros,
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
    pub(super) fn coefficients(&self, h: f64) -> Vec<Coefficients> {
        let cells = self.cells();
        let half: Vec<_> = self.symbol[..=cells / 2]
            .iter()
            .map(|&symbol| Coefficients::new(symbol, h))
            .collect();
        (0..cells).map(|k| half[k.min(cells - k)]).collect()
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
        for (i, value) in self.state.iter_mut().enumerate() {
            *value = Complex64::new(first[i], second.map_or(0.0, |field| field[i]));
        }
        self.forward
            .process_with_scratch(&mut self.state, &mut self.transform);
    }

    /// The state in physical space, times the number of cells.
    pub(super) fn show(&mut self) -> &[Complex64] {
        self.field.copy_from_slice(&self.state);
        self.inverse
            .process_with_scratch(&mut self.field, &mut self.transform);
        &self.field
    }

    /// One step: Cox & Matthews (2002), equations 26-29.
    pub(super) fn step(&mut self, table: &[Coefficients]) {
        // Slices of one length: the loops below need no bounds checks.
        let cells = table.len();
        let [start, early, late, end] = self.terms.each_mut().map(|term| &mut term[..cells]);
        let (state, stage) = (&mut self.state[..cells], &mut self.stage[..cells]);
        let (field, transform) = (&mut self.field, &mut self.transform);
        let mut advection = |of: &[Complex64], to: &mut [Complex64]| {
            field.copy_from_slice(of);
            self.inverse.process_with_scratch(field, transform);
            advect(field, self.advection, to);
            self.forward.process_with_scratch(to, transform);
        };

        advection(state, start);
        for (k, c) in table.iter().enumerate() {
            stage[k] = state[k] * c.half + start[k] * c.stage;
        }
        advection(stage, early);
        for (k, c) in table.iter().enumerate() {
            // The last stage goes on from the first one: what it takes from there waits in `end`.
            end[k] = stage[k] * c.half - start[k] * c.stage;
            stage[k] = state[k] * c.half + early[k] * c.stage;
        }
        advection(stage, late);
        for (k, c) in table.iter().enumerate() {
            stage[k] = end[k] + late[k] * (2.0 * c.stage);
        }
        advection(stage, end);
        for (k, c) in table.iter().enumerate() {
            state[k] = state[k] * c.whole
                + start[k] * c.first
                + (early[k] + late[k]) * c.middle
                + end[k] * c.last;
        }
    }
}

/// `factor * u[i] * (u[i+1] - u[i-1])` for the real and the imaginary part, each on its own.
fn advect(u: &[Complex64], factor: f64, to: &mut [Complex64]) {
    let last = u.len() - 1;
    let term = |left: Complex64, here: Complex64, right: Complex64| {
        let slope = (right - left) * factor;
        Complex64::new(here.re * slope.re, here.im * slope.im)
    };
    to[0] = term(u[last], u[0], u[1]);
    for (value, window) in to[1..last].iter_mut().zip(u.windows(3)) {
        *value = term(window[0], window[1], window[2]);
    }
    to[last] = term(u[last - 1], u[last], u[0]);
}
