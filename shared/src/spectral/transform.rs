//! What a spectral convolution needs from a transform, whichever it is.

use burn::tensor::{Device, Tensor, TensorData};

use super::tables::Matrix;
use super::{Fourier, Spherical};

/// A truncated transform between a real field and its spectrum, grouped by the weight matrix that mixes its channels.
#[derive(Debug, Clone)]
pub enum Transform {
    /// Fourier modes: every kept mode has its own weights.
    Fourier(Fourier),
    /// Spherical harmonics: all orders of a degree share their weights.
    Spherical(Spherical),
}

impl From<Fourier> for Transform {
    fn from(fourier: Fourier) -> Self {
        Self::Fourier(fourier)
    }
}

impl From<Spherical> for Transform {
    fn from(spherical: Spherical) -> Self {
        Self::Spherical(spherical)
    }
}

impl Transform {
    /// Number of points of the fields it reads.
    pub fn points_in(&self) -> usize {
        match self {
            Self::Fourier(fourier) => fourier.points_in(),
            Self::Spherical(spherical) => spherical.points(),
        }
    }

    /// Number of points of the fields it writes.
    pub fn points_out(&self) -> usize {
        match self {
            Self::Fourier(fourier) => fourier.points_out(),
            Self::Spherical(spherical) => spherical.points(),
        }
    }

    /// Number of weight matrices: kept modes, or degrees on the sphere.
    pub fn weights(&self) -> usize {
        match self {
            Self::Fourier(fourier) => fourier.modes(),
            Self::Spherical(spherical) => spherical.degrees(),
        }
    }

    /// Number of coefficients that share one weight matrix: 1, or the orders on the sphere.
    pub fn orders(&self) -> usize {
        match self {
            Self::Fourier(_) => 1,
            Self::Spherical(spherical) => spherical.orders(),
        }
    }

    /// Spectrum of a real field.
    ///
    /// # Shapes
    /// - field: `[rows, points_in, channels]`
    /// - output: `[weights, rows * orders, 2 * channels]`, the channels' real parts first, then the imaginary ones
    pub fn analyse(&self, field: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Fourier(fourier) => fourier.analyse(field),
            Self::Spherical(spherical) => spherical.analyse(field),
        }
    }

    /// Real field from a spectrum; what a real field cannot carry is discarded.
    ///
    /// # Shapes
    /// - spectrum: `[weights, rows * orders, 2 * channels]`
    /// - output: `[rows, points_out, channels]`
    pub fn synthesise(&self, spectrum: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Fourier(fourier) => fourier.synthesise(spectrum),
            Self::Spherical(spherical) => spherical.synthesise(spectrum),
        }
    }
}

/// A matrix on a device, ready for [`left`].
pub(super) fn table(matrix: Matrix, device: &Device) -> Tensor<3> {
    let data = TensorData::new(matrix.values, [1, matrix.rows, matrix.columns]);
    Tensor::from_data(data, device)
}

/// The same small matrix times every block of a batch.
pub(super) fn left(matrix: &Tensor<3>, batch: Tensor<3>) -> Tensor<3> {
    matrix.clone().matmul(batch)
}
