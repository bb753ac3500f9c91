//! Spectral convolution: mix channels mode by mode on the kept frequencies.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::ops::{self, Keys};
use crate::noise::mask::Rate;
use crate::spectral::Plan;

/// `Y[o, k] = sum_i X[i, k] W[i, o, k]` on kept modes; the bias is added by the block, where it is fused with the activation.
#[derive(Module, Debug)]
pub struct SpectralConv {
    /// Real part, `[modes, in, out]`.
    pub real: Param<Tensor<3>>,
    /// Imaginary part, `[modes, in, out]`.
    pub imag: Param<Tensor<3>>,
    /// `[out]`.
    pub bias: Param<Tensor<1>>,
}

impl SpectralConv {
    /// Transforms, mixes, drops coefficients (one real factor per (row, mode, channel)), transforms back.
    ///
    /// # Shapes
    /// - input: `[rows, points, in]`
    /// - output: `[rows, points, out]`
    pub fn forward(&self, v: Tensor<3>, plan: &Plan, noise: Option<(&Keys, Rate)>) -> Tensor<3> {
        let [rows, _, channels] = v.dims();
        let modes = plan.modes();
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
        let by_mode = plan
            .spectrum_from_grid(v)
            .reshape([rows, 2, modes, channels])
            .permute([2, 0, 1, 3])
            .reshape([modes, rows, 2 * channels]);
        let mut mixed = by_mode.matmul(weight).reshape([modes, rows, 2, out]);
        if let Some((keys, rate)) = noise.filter(|(_, rate)| !rate.is_none()) {
            let factors = ops::dropout_factors(keys, modes * out, rate)
                .reshape([rows, modes, 1, out])
                .swap_dims(0, 1);
            mixed = mixed * factors;
        }
        let by_row = mixed.permute([1, 2, 0, 3]).reshape([rows, 2, modes * out]);
        plan.grid_from_spectrum(by_row)
    }
}
