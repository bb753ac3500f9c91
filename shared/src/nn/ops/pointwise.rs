//! The pointwise MLP as one operation, where that pays: on the CPU.

use burn::backend::{
    Backend, Dispatch, backend_extension,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::Tensor;

use super::{Dropout, Mask, noise};

/// Both maps of a pointwise MLP with what is between them.
#[backend_extension(Flex, Autodiff: cfg(feature = "autodiff"))]
pub trait PointwiseOps: Backend {
    /// `gelu(mask * (x hidden + hidden_bias)) output + output_bias` for `x` of `[cases, points, in]` and `keys` of
    /// `[rows, 2]`; every case serves `rows / cases` consecutive rows.
    fn pointwise_mlp(
        x: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        hidden_bias: FloatTensor<Self>,
        output: FloatTensor<Self>,
        output_bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self>;

    /// Gradients of [`pointwise_mlp`](PointwiseOps::pointwise_mlp) with respect to its first five arguments; that of `x` is
    /// empty unless `wants_input`.
    #[allow(
        clippy::too_many_arguments,
        reason = "a backend takes tensors, not structs of them"
    )]
    #[allow(
        clippy::type_complexity,
        reason = "a backend gives tensors, not structs of them"
    )]
    fn pointwise_mlp_backward(
        x: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        hidden_bias: FloatTensor<Self>,
        output: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        mask: Mask,
        wants_input: bool,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    );
}

/// `gelu(x A + a) B + b`, with the hidden activations of each row dropped before the GELU when there are keys. The hidden
/// field never exists as a whole, neither here nor in the backward pass. On the CPU only.
///
/// # Shapes
/// - x: `[cases, points, in]`
/// - hidden: weight `[in, hidden]` and bias `[hidden]`
/// - output: weight `[hidden, out]` and bias `[out]`
/// - output: `[rows, points, out]`
pub fn pointwise_mlp(
    x: Tensor<3>,
    hidden: (Tensor<2>, Tensor<1>),
    output: (Tensor<2>, Tensor<1>),
    dropout: Option<Dropout>,
) -> Tensor<3> {
    let (keys, mask) = noise(&x, dropout);
    Tensor::from_dispatch(Dispatch::pointwise_mlp(
        x.into_dispatch(),
        hidden.0.into_dispatch(),
        hidden.1.into_dispatch(),
        output.0.into_dispatch(),
        output.1.into_dispatch(),
        keys.0.into_dispatch(),
        mask,
    ))
}
