//! The tables of one grid, on one device.

use burn::tensor::{Device, Tensor, TensorData};

use super::tables::{self, Matrix};
use super::{half_frequencies, signed_frequencies};

/// Transforms between fields `[rows, d1, …, dn, channel]` and their kept spectrum, for one grid.
#[derive(Debug, Clone)]
pub struct Plan {
    sizes: Vec<usize>,
    kept: Vec<usize>,
    forward: Vec<Tensor<3>>,
    inverse: Vec<Tensor<3>>,
}

impl Plan {
    /// Tables for a grid of `sizes` points and `modes` in the paper's counting.
    pub fn new(sizes: &[usize], modes: &[usize], device: &Device) -> Self {
        let last = sizes.len() - 1;
        let put = |matrix: Matrix| {
            let data = TensorData::new(matrix.values, [1, matrix.rows, matrix.columns]);
            Tensor::<3>::from_data(data, device)
        };
        let (mut forward, mut inverse, mut kept) = (vec![], vec![], vec![]);
        for (axis, (&size, &n)) in sizes.iter().zip(modes).enumerate() {
            let frequencies = if axis == last {
                half_frequencies(n)
            } else {
                signed_frequencies(n)
            };
            kept.push(frequencies.len());
            if axis == last {
                forward.push(put(tables::half_spectrum_from_grid(&frequencies, size)));
                inverse.push(put(tables::grid_from_half_spectrum(&frequencies, size)));
            } else {
                forward.push(put(tables::spectrum_from_grid(&frequencies, size)));
                inverse.push(put(tables::grid_from_spectrum(&frequencies, size)));
            }
        }
        Self {
            sizes: sizes.to_vec(),
            kept,
            forward,
            inverse,
        }
    }

    /// Number of grid points.
    pub fn points(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Number of kept modes.
    pub fn modes(&self) -> usize {
        self.kept.iter().product()
    }

    /// Kept spectrum of a real field.
    ///
    /// # Shapes
    /// - field: `[rows, points, channels]`
    /// - output: `[rows, 2, modes * channels]`, real part first, last axis fastest
    pub fn spectrum_from_grid(&self, field: Tensor<3>) -> Tensor<3> {
        let [rows, points, channels] = field.dims();
        let last = self.sizes.len() - 1;
        let mut outer = rows * points / self.sizes[last];
        let field = field.reshape([outer, self.sizes[last], channels]);
        let mut inner = self.kept[last] * channels;
        let mut spectrum = left(&self.forward[last], field);
        for axis in (0..last).rev() {
            let size = self.sizes[axis];
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
    /// - output: `[rows, points, channels]`
    pub fn grid_from_spectrum(&self, spectrum: Tensor<3>) -> Tensor<3> {
        let [rows, _, mut inner] = spectrum.dims();
        let last = self.sizes.len() - 1;
        let channels = inner / self.modes();
        let (mut outer, mut field) = (rows, spectrum);
        for axis in 0..last {
            let (size, kept) = (self.sizes[axis], self.kept[axis]);
            inner /= kept;
            let parts_first = left(&self.inverse[axis], field.reshape([outer, 2 * kept, inner]));
            field = parts_first
                .reshape([outer, 2, size, inner])
                .swap_dims(1, 2)
                .reshape([outer * size, 2, inner]);
            outer *= size;
        }
        let half = field.reshape([outer, 2 * self.kept[last], channels]);
        left(&self.inverse[last], half).reshape([rows, self.points(), channels])
    }
}

/// The same small matrix times every block of a batch.
fn left(matrix: &Tensor<3>, batch: Tensor<3>) -> Tensor<3> {
    matrix.clone().matmul(batch)
}
