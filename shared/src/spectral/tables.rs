//! The matrices of the truncated DFT, row-major f32 made in f64.
//!
//! A spectrum keeps its real and imaginary parts as two blocks of rows: `[re; im]`.

use std::f64::consts::TAU;

use super::resampling::{Resampling, Target};
use super::usable;

/// A row-major matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// `rows * columns` values.
    pub values: Vec<f32>,
}

impl Matrix {
    pub(crate) fn from_fn(
        rows: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let values = (0..rows * columns)
            .map(|i| value(i / columns, i % columns) as f32)
            .collect();
        Self {
            rows,
            columns,
            values,
        }
    }
}

/// Cosine and sine of every part `0 .. size` of a turn, made once for a whole table.
///
/// A product of frequency and place is reduced exactly before it meets a float.
pub(crate) struct Phases(Vec<(f64, f64)>);

impl Phases {
    pub fn new(size: usize) -> Self {
        let phase = |part: usize| {
            let (sin, cos) = (TAU * (part as f64 / size as f64)).sin_cos();
            (cos, sin)
        };
        Self((0..size).map(phase).collect())
    }

    /// Cosine and sine of `2 pi k x / size`.
    pub fn at(&self, k: i64, x: usize) -> (f64, f64) {
        self.0[(k * x as i64).rem_euclid(self.0.len() as i64) as usize]
    }
}

/// Real field to half spectrum: `[2K, size]`, rows `cos` then `-sin`.
pub fn half_spectrum_from_grid(frequencies: &[i64], size: usize) -> Matrix {
    let k = frequencies.len();
    let usable = usable(frequencies, size, true);
    let phases = Phases::new(size);
    Matrix::from_fn(2 * k, size, |row, x| {
        let frequency = frequencies[row % k];
        if !usable[row % k] {
            return 0.0;
        }
        let (cos, sin) = phases.at(frequency, x);
        if row < k { cos } else { -sin }
    })
}

/// Half spectrum to real field: `[size, 2K]`, with `1/size` and the weight 2 of frequencies that stand for a conjugate pair.
pub fn grid_from_half_spectrum(frequencies: &[i64], size: usize) -> Matrix {
    resampled_grid_from_half_spectrum(frequencies, size, size, Resampling::Signed)
}

/// Half spectrum of a grid of `n_in` points to a real field of `n_out` points: `[n_out, 2K]`.
pub fn resampled_grid_from_half_spectrum(
    frequencies: &[i64],
    n_in: usize,
    n_out: usize,
    rule: Resampling,
) -> Matrix {
    let k = frequencies.len();
    let targets = rule.targets(frequencies, n_in, n_out, true);
    let phases = Phases::new(n_out);
    Matrix::from_fn(n_out, 2 * k, |x, column| {
        let Some(Target { frequency, divisor }) = targets[column % k] else {
            return 0.0;
        };
        let alone = frequency == 0 || 2 * frequency == n_out as i64;
        let weight = if alone { 1.0 } else { 2.0 } / divisor;
        let (cos, sin) = phases.at(frequency, x);
        weight * if column < k { cos } else { -sin }
    })
}

/// Complex field to spectrum along a non-last axis: `[2K, 2 size]`, blocks `[[cos, sin], [-sin, cos]]`.
pub fn spectrum_from_grid(frequencies: &[i64], size: usize) -> Matrix {
    let k = frequencies.len();
    let usable = usable(frequencies, size, false);
    let phases = Phases::new(size);
    Matrix::from_fn(2 * k, 2 * size, |row, column| {
        let frequency = frequencies[row % k];
        if !usable[row % k] {
            return 0.0;
        }
        let (cos, sin) = phases.at(frequency, column % size);
        match (row < k, column < size) {
            (true, true) | (false, false) => cos,
            (true, false) => sin,
            (false, true) => -sin,
        }
    })
}

/// Spectrum to complex field along a non-last axis: `[2 size, 2K]`, blocks `[[cos, -sin], [sin, cos]] / size`.
pub fn grid_from_spectrum(frequencies: &[i64], size: usize) -> Matrix {
    resampled_grid_from_spectrum(frequencies, size, size, Resampling::Signed)
}

/// Spectrum of a grid of `n_in` points to a complex field of `n_out` points along a non-last axis: `[2 n_out, 2K]`.
pub fn resampled_grid_from_spectrum(
    frequencies: &[i64],
    n_in: usize,
    n_out: usize,
    rule: Resampling,
) -> Matrix {
    let k = frequencies.len();
    let targets = rule.targets(frequencies, n_in, n_out, false);
    let phases = Phases::new(n_out);
    Matrix::from_fn(2 * n_out, 2 * k, |row, column| {
        let Some(Target { frequency, divisor }) = targets[column % k] else {
            return 0.0;
        };
        let (cos, sin) = phases.at(frequency, row % n_out);
        let value = match (row < n_out, column < k) {
            (true, true) | (false, false) => cos,
            (true, false) => -sin,
            (false, true) => sin,
        };
        value / divisor
    })
}
