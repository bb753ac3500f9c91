//! One block: `GELU(spectral(v) + S v)`, with an earlier block's output beside its input where a UNO has a skip.
//!
//! A residual block adds what a pointwise MLP makes of that to its input: `v + MLP(GELU(spectral(v) + S v))`. Where a UNO
//! changes the channels, `S v` stands for the input.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::mlp::affine;
use super::ops::{self, Dropout};
use super::plan::BlockPlan;
use super::{PointwiseMlp, SpectralConv};

/// Spectral convolution plus a pointwise skip without bias.
#[derive(Module, Debug)]
pub struct Block {
    /// The spectral path.
    pub spectral: SpectralConv,
    /// The skip path, `[in, out]`.
    pub skip: Param<Tensor<2>>,
    /// The map of what comes over a horizontal skip, `[channels, channels]`.
    pub horizontal: Option<Param<Tensor<2>>>,
    /// The MLP of a residual block.
    pub mlp: Option<PointwiseMlp>,
}

/// Dropout of one block, and how much of its MLP's hidden field may exist at once.
#[derive(Debug, Clone, Copy)]
pub struct BlockOptions<'k> {
    /// On the spectral coefficients.
    pub spectral: Option<Dropout<'k>>,
    /// On the hidden activations of the MLP.
    pub hidden: Option<Dropout<'k>>,
    /// Points that the MLP may take at once.
    pub piece: usize,
}

impl Default for BlockOptions<'_> {
    fn default() -> Self {
        Self {
            spectral: None,
            hidden: None,
            piece: usize::MAX,
        }
    }
}

impl Block {
    /// Joins the output of an earlier block to the input: current first, then skip.
    ///
    /// # Shapes
    /// - v: `[rows, points, channels]`
    /// - earlier: `[rows, points of that block, its channels]`
    /// - output: `[rows, points, in]`
    pub fn join(&self, v: Tensor<3>, earlier: Tensor<3>, plan: &BlockPlan) -> Tensor<3> {
        let mapped = match &self.horizontal {
            Some(weight) => affine(earlier, weight.val()),
            None => earlier,
        };
        Tensor::cat(vec![v, plan.resized_skip(mapped)], 2)
    }

    /// # Shapes
    /// - input: `[rows, points, in]`
    /// - output: `[rows, points of the output grid, out]`
    pub fn forward(&self, v: Tensor<3>, plan: &BlockPlan, options: BlockOptions) -> Tensor<3> {
        let Some(mlp) = &self.mlp else {
            return self.spectral_part(v, plan, options.spectral);
        };
        let [inputs, outputs] = self.skip.dims();
        let kept = if inputs == outputs {
            plan.resized(v.clone())
        } else {
            plan.resized(affine(v.clone(), self.skip.val()))
        };
        let active = self.spectral_part(v, plan, options.spectral);
        kept + mlp.forward(active, options.hidden, options.piece)
    }

    /// `GELU(spectral(v) + S v)`.
    fn spectral_part(&self, v: Tensor<3>, plan: &BlockPlan, dropout: Option<Dropout>) -> Tensor<3> {
        if let Some(axes) = plan.axes(&v.device()) {
            let SpectralConv { real, imag, bias } = &self.spectral;
            return ops::spectral_block(
                v,
                (real.val(), imag.val()),
                self.skip.val(),
                bias.val(),
                (axes, plan.activates()),
                dropout,
            );
        }
        let skip = plan.resized(affine(v.clone(), self.skip.val()));
        let z = self.spectral.forward(v, plan.transform(), dropout) + skip;
        let bias = self.spectral.bias.val();
        if plan.activates() {
            ops::bias_dropout_gelu(z, bias, None)
        } else {
            z + bias.unsqueeze()
        }
    }
}
