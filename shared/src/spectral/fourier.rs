//! The truncated Fourier transform of one grid, on one device.

use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use super::axes::{Axes, Axis};
use super::tables;
use super::transform::{left, table};
use super::{Resampling, half_frequencies, signed_frequencies};

/// Transforms between fields `[rows, d1, …, dn, channel]` and their kept spectrum.
///
/// The field that comes back may be on another grid ([`resampling`](Self::resampling)).
#[derive(Debug, Clone)]
pub struct Fourier {
    sizes_in: Vec<usize>,
    sizes_out: Vec<usize>,
    kept: Vec<usize>,
    forward: Vec<Tensor<3>>,
    inverse: Vec<Tensor<3>>,
    /// The same on the host, for the CPU, if fields come back on their own grid.
    axes: Option<Arc<Axes>>,
}

impl Fourier {
    /// Tables for a grid of `sizes` points and `modes` in the paper's counting.
    pub fn new(sizes: &[usize], modes: &[usize], device: &Device) -> Self {
        Self::resampling(sizes, sizes, modes, Resampling::Signed, device)
    }

    /// Tables that read a grid of `sizes_in` points and write one of `sizes_out` points.
    pub fn resampling(
        sizes_in: &[usize],
        sizes_out: &[usize],
        modes: &[usize],
        rule: Resampling,
        device: &Device,
    ) -> Self {
        let last = sizes_in.len() - 1;
        let (mut forward, mut inverse, mut kept) = (vec![], vec![], vec![]);
        let mut axes = vec![];
        // Only operations of the CPU walk through the tables by themselves.
        let walked = sizes_in == sizes_out && crate::nn::is_cpu(device);
        for (axis, &n) in modes.iter().enumerate() {
            let (from, to) = (sizes_in[axis], sizes_out[axis]);
            let (frequencies, there, back);
            if axis == last {
                frequencies = half_frequencies(n);
                there = tables::half_spectrum_from_grid(&frequencies, from);
                back = tables::resampled_grid_from_half_spectrum(&frequencies, from, to, rule);
            } else {
                frequencies = signed_frequencies(n);
                there = tables::spectrum_from_grid(&frequencies, from);
                back = tables::resampled_grid_from_spectrum(&frequencies, from, to, rule);
            }
            if walked {
                axes.push(Axis::new(if axis == last { 1 } else { 2 }, &there, &back));
            }
            kept.push(frequencies.len());
            forward.push(table(there, device));
            inverse.push(table(back, device));
        }
        let axes = axes.pop().map(|last| Axes { outer: axes, last });
        Self {
            axes: axes.map(Arc::new),
            sizes_in: sizes_in.to_vec(),
            sizes_out: sizes_out.to_vec(),
            kept,
            forward,
            inverse,
        }
    }

    /// The tables on the host: there on the CPU alone, unless fields come back on another grid.
    pub fn axes(&self) -> Option<&Arc<Axes>> {
        self.axes.as_ref()
    }

    /// Number of points of the input grid.
    pub fn points_in(&self) -> usize {
        self.sizes_in.iter().product()
    }

    /// Number of points of the output grid.
    pub fn points_out(&self) -> usize {
        self.sizes_out.iter().product()
    }

    /// Number of kept modes.
    pub fn modes(&self) -> usize {
        self.kept.iter().product()
    }

    /// Kept spectrum of a real field.
    ///
    /// # Shapes
    /// - field: `[rows, points_in, channels]`
    /// - output: `[rows, 2, modes * channels]`, real part first, last axis fastest
    pub fn spectrum_from_grid(&self, field: Tensor<3>) -> Tensor<3> {
        let [rows, points, channels] = field.dims();
        let last = self.sizes_in.len() - 1;
        let mut outer = rows * points / self.sizes_in[last];
        let field = field.reshape([outer, self.sizes_in[last], channels]);
        let mut inner = self.kept[last] * channels;
        let mut spectrum = left(&self.forward[last], field);
        for axis in (0..last).rev() {
            let size = self.sizes_in[axis];
            outer /= size;
            let parts_first = spectrum
                .reshape([outer, size, 2, inner])
                .swap_dims(1, 2)
                .reshape([outer, 2 * size, inner]);
            spectrum = left(&self.forward[axis], parts_first);
            inner *= self.kept[axis];
        }
        spectrum.reshape([rows, 2, inner])
    }

    /// Real field from a kept spectrum; what a real field cannot carry is discarded.
    ///
    /// # Shapes
    /// - spectrum: `[rows, 2, modes * channels]`
    /// - output: `[rows, points_out, channels]`
    pub fn grid_from_spectrum(&self, spectrum: Tensor<3>) -> Tensor<3> {
        let [rows, _, mut inner] = spectrum.dims();
        let last = self.sizes_out.len() - 1;
        let channels = inner / self.modes();
        let (mut outer, mut field) = (rows, spectrum);
        for axis in 0..last {
            let (size, kept) = (self.sizes_out[axis], self.kept[axis]);
            inner /= kept;
            let parts_first = left(&self.inverse[axis], field.reshape([outer, 2 * kept, inner]));
            field = parts_first
                .reshape([outer, 2, size, inner])
                .swap_dims(1, 2)
                .reshape([outer * size, 2, inner]);
            outer *= size;
        }
        let half = field.reshape([outer, 2 * self.kept[last], channels]);
        left(&self.inverse[last], half).reshape([rows, self.points_out(), channels])
    }

    /// See [`Transform::analyse`](super::Transform::analyse).
    pub(super) fn analyse(&self, field: Tensor<3>) -> Tensor<3> {
        let [rows, _, channels] = field.dims();
        self.spectrum_from_grid(field)
            .reshape([rows, 2, self.modes(), channels])
            .permute([2, 0, 1, 3])
            .reshape([self.modes(), rows, 2 * channels])
    }

    /// See [`Transform::synthesise`](super::Transform::synthesise).
    pub(super) fn synthesise(&self, spectrum: Tensor<3>) -> Tensor<3> {
        let [modes, rows, parts] = spectrum.dims();
        let by_row = spectrum
            .reshape([modes, rows, 2, parts / 2])
            .permute([1, 2, 0, 3])
            .reshape([rows, 2, modes * parts / 2]);
        self.grid_from_spectrum(by_row)
    }
}
