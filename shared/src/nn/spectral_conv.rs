//! Spectral convolution: mix channels coefficient by coefficient on the kept spectrum.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::ops::{self, Dropout};
use crate::spectral::Transform;

/// `Y[o, k] = sum_i X[i, k] W[i, o, k]` on kept modes, `W[i, o, l]` for every order of a degree on the sphere;
/// the bias is added by the block, where it is fused with the activation.
#[derive(Module, Debug)]
pub struct SpectralConv {
    /// Real part, `[weights, in, out]`.
    pub real: Param<Tensor<3>>,
    /// Imaginary part, `[weights, in, out]`.
    pub imag: Param<Tensor<3>>,
    /// `[out]`.
    pub bias: Param<Tensor<1>>,
}

impl SpectralConv {
    /// Transforms, mixes, drops coefficients (one real factor per (row, coefficient, channel)), transforms back.
    ///
    /// # Shapes
    /// - input: `[rows, points_in, in]`
    /// - output: `[rows, points_out, out]`
    pub fn forward(
        &self,
        v: Tensor<3>,
        transform: &Transform,
        dropout: Option<Dropout>,
    ) -> Tensor<3> {
        let rows = v.dims()[0];
        let (weights, orders) = (transform.weights(), transform.orders());
        let (real, imag) = (self.real.val(), self.imag.val());
        let out = real.dims()[2];
        // Complex product as a real one: [re, im] [[Wr, Wi], [-Wi, Wr]].
        let weight = Tensor::cat(
            vec![
                Tensor::cat(vec![real.clone(), imag.clone()], 2),
                Tensor::cat(vec![imag.neg(), real], 2),
            ],
            1,
        );
        let mut mixed = transform.analyse(v).matmul(weight);
        if let Some(Dropout { keys, rate, .. }) = dropout.filter(|d| !d.rate.is_none()) {
            let factors = ops::dropout_factors(keys, weights * orders * out, rate)
                .reshape([rows, weights, orders, 1, out])
                .swap_dims(0, 1);
            let parts = mixed.reshape([weights, rows, orders, 2, out]);
            mixed = (parts * factors).reshape([weights, rows * orders, 2 * out]);
        }
        transform.synthesise(mixed)
    }
}
