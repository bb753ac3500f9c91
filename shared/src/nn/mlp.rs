//! The pointwise MLP of lifting and projection (`h = A x + a`, dropout, GELU, `y = B h + b`).

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::ops::{self, Dropout};

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
    /// Both maps, so that the hidden field never exists as a whole: as one operation on the CPU, elsewhere in pieces of at
    /// most `piece` points.
    ///
    /// With dropout there may be more rows (keys) than cases: every case then serves `rows / cases` consecutive rows.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[rows, points, out]`
    pub fn forward(&self, x: Tensor<3>, dropout: Option<Dropout>, piece: usize) -> Tensor<3> {
        if is_cpu(&x.device()) {
            let hidden = (self.hidden_weight.val(), self.hidden_bias.val());
            let output = (self.output_weight.val(), self.output_bias.val());
            return ops::pointwise_mlp(x, hidden, output, dropout);
        }
        self.forward_in_pieces(x, dropout, piece)
    }

    /// The same in pieces of at most `piece` points on every device: what a GPU does.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[rows, points, out]`
    pub fn forward_in_pieces(
        &self,
        x: Tensor<3>,
        dropout: Option<Dropout>,
        piece: usize,
    ) -> Tensor<3> {
        let points = x.dims()[1];
        if piece >= points {
            return self.output(self.active(x, dropout));
        }
        let hidden = self.hidden();
        let parts = (0..points).step_by(piece).map(|first| {
            let part = x.clone().narrow(1, first, piece.min(points - first));
            let dropout = dropout.map(|whole| Dropout {
                first: whole.first + first * hidden,
                ..whole
            });
            self.output(self.active(part, dropout))
        });
        Tensor::cat(parts.collect(), 1)
    }

    /// What the second map takes, without dropout, in pieces of at most `piece` points.
    ///
    /// # Shapes
    /// - input: `[cases, points, in]`
    /// - output: `[cases, points of the piece, hidden]` each
    pub fn features(&self, x: &Tensor<3>, piece: usize) -> Vec<Tensor<3>> {
        let points = x.dims()[1];
        (0..points)
            .step_by(piece.min(points))
            .map(|first| {
                let part = x.clone().narrow(1, first, piece.min(points - first));
                self.active(part, None)
            })
            .collect()
    }

    /// Hidden width.
    pub fn hidden(&self) -> usize {
        self.hidden_bias.dims()[0]
    }

    fn active(&self, x: Tensor<3>, dropout: Option<Dropout>) -> Tensor<3> {
        let hidden = affine(x, self.hidden_weight.val());
        ops::bias_dropout_gelu(hidden, self.hidden_bias.val(), dropout)
    }

    fn output(&self, active: Tensor<3>) -> Tensor<3> {
        affine(active, self.output_weight.val()) + self.output_bias.val().unsqueeze()
    }
}

/// Whether this is the CPU, where some operations are one.
pub(crate) fn is_cpu(device: &Device) -> bool {
    device.clone().without_autodiff() == Device::flex()
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
