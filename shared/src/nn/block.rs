//! One FNO block: `GELU(spectral(v) + S v)`, the last block without the GELU.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::mlp::affine;
use super::ops::{self, Keys};
use super::spectral_conv::SpectralConv;
use crate::noise::mask::Rate;
use crate::spectral::Plan;

/// Spectral convolution plus a pointwise skip without bias.
#[derive(Module, Debug)]
pub struct Block {
    /// The spectral path.
    pub spectral: SpectralConv,
    /// The skip path, `[in, out]`.
    pub skip: Param<Tensor<2>>,
}

impl Block {
    /// # Shapes
    /// - input: `[rows, points, width]`
    /// - output: `[rows, points, width]`
    pub fn forward(
        &self,
        v: Tensor<3>,
        plan: &Plan,
        noise: Option<(&Keys, Rate)>,
        activate: bool,
    ) -> Tensor<3> {
        let z = self.spectral.forward(v.clone(), plan, noise) + affine(v, self.skip.val());
        let bias = self.spectral.bias.val();
        if activate {
            ops::bias_dropout_gelu(z, bias, None)
        } else {
            z + bias.unsqueeze()
        }
    }
}
