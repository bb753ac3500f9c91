//! The pointwise MLP of lifting and projection (`h = A x + a`, dropout, GELU, `y = B h + b`).

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::ops::{self, Keys};
use crate::noise::mask::Rate;

/// Two affine maps on the channel axis with one hidden layer.
///
/// The paper's "weight dropout" is the dropout here: on hidden *activations*, before the GELU,
/// independent for every (row, point, hidden channel).
#[derive(Module, Debug)]
pub struct PointwiseMlp {
    /// `[in, hidden]`.
    pub hidden_weight: Param<Tensor<2>>,
    /// `[hidden]`.
    pub hidden_bias: Param<Tensor<1>>,
    /// `[hidden, out]`.
    pub output_weight: Param<Tensor<2>>,
    /// `[out]`.
    pub output_bias: Param<Tensor<1>>,
}

impl PointwiseMlp {
    /// The part before the first noise, shared by all members of a case.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[cases, points, hidden]`
    pub fn hidden(&self, x: Tensor<3>) -> Tensor<3> {
        affine(x, self.hidden_weight.val())
    }

    /// The rest: bias, dropout with one key per row, GELU, output map.
    ///
    /// With noise there may be more rows (keys) than cases: every case then serves `rows / cases` consecutive rows.
    ///
    /// # Shapes
    /// - hidden: `[cases, points, hidden]`
    /// - output: `[rows, points, out]`
    pub fn output(&self, hidden: Tensor<3>, noise: Option<(&Keys, Rate)>) -> Tensor<3> {
        let active = ops::bias_dropout_gelu(hidden, self.hidden_bias.val(), noise);
        affine(active, self.output_weight.val()) + self.output_bias.val().unsqueeze()
    }
}

/// `x W` on the channel axis, as one matrix product over all rows and points.
///
/// # Shapes
/// - input: `[rows, points, in]`
/// - output: `[rows, points, out]`
pub(crate) fn affine(x: Tensor<3>, weight: Tensor<2>) -> Tensor<3> {
    let [rows, points, channels] = x.dims();
    let out = weight.dims()[1];
    x.reshape([rows * points, channels])
        .matmul(weight)
        .reshape([rows, points, out])
}
