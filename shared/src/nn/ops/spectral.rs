//! A block with a Fourier transform as one operation, where that pays: on the CPU.

use std::sync::Arc;

use burn::backend::{
    Backend, Dispatch, backend_extension,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::Tensor;

use super::{Dropout, Mask, noise};
use crate::spectral::axes::Axes;

/// What a block has besides tensors.
#[derive(Debug, Clone)]
pub struct BlockTables {
    /// The transform.
    pub axes: Arc<Axes>,
    /// Which coefficients are dropped.
    pub mask: Mask,
    /// Whether a GELU follows.
    pub activate: bool,
}

/// A block: spectral convolution, pointwise skip, bias, activation.
#[backend_extension(Flex, Autodiff: cfg(feature = "autodiff"))]
pub trait SpectralOps: Backend {
    /// `gelu(synthesis(mask * (analysis(v) W)) + v skip + bias)` for `v` of `[rows, points, in]`, `W` of
    /// `[modes, in, out]` in two parts, `skip` of `[in, out]`, `keys` of `[rows, 2]`.
    fn spectral_block(
        v: FloatTensor<Self>,
        real: FloatTensor<Self>,
        imag: FloatTensor<Self>,
        skip: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        tables: BlockTables,
    ) -> FloatTensor<Self>;

    /// Gradients of [`spectral_block`](SpectralOps::spectral_block) with respect to its first five arguments.
    #[allow(
        clippy::too_many_arguments,
        reason = "a backend takes tensors, not structs of them"
    )]
    #[allow(
        clippy::type_complexity,
        reason = "a backend gives tensors, not structs of them"
    )]
    fn spectral_block_backward(
        v: FloatTensor<Self>,
        real: FloatTensor<Self>,
        imag: FloatTensor<Self>,
        skip: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        tables: BlockTables,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    );
}

/// A whole block, one row at a time while it is in the cache. On the CPU only.
///
/// # Shapes
/// - v: `[rows, points, in]`
/// - weights: real and imaginary part, `[modes, in, out]` each
/// - skip: `[in, out]`
/// - bias: `[out]`
/// - output: `[rows, points, out]`
pub fn spectral_block(
    v: Tensor<3>,
    weights: (Tensor<3>, Tensor<3>),
    skip: Tensor<2>,
    bias: Tensor<1>,
    (axes, activate): (&Arc<Axes>, bool),
    dropout: Option<Dropout>,
) -> Tensor<3> {
    let (keys, mask) = noise(&v, dropout);
    let tables = BlockTables {
        axes: Arc::clone(axes),
        mask,
        activate,
    };
    Tensor::from_dispatch(Dispatch::spectral_block(
        v.into_dispatch(),
        weights.0.into_dispatch(),
        weights.1.into_dispatch(),
        skip.into_dispatch(),
        bias.into_dispatch(),
        keys.0.into_dispatch(),
        tables,
    ))
}
