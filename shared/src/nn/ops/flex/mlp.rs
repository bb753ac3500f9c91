//! The pointwise MLP as one operation: tiles of points go through both maps while they are in the cache.
//!
//! The hidden field is the largest of a network (eight times its width), and it never exists: the backward pass makes each
//! tile of it again. What is added up over points is added in groups of tiles whose bounds do not depend on the number of
//! threads, so the result does not either.

mod backward;
mod forward;

use burn::backend::{
    Flex,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Shape, TensorData};
use burn_flex::FlexTensor;

use super::product::{Panels, lanes, padded};
use super::{Mask, floats, keys_from};
use crate::nn::ops::PointwiseOps;
use crate::noise::{
    Key,
    mask::{self, RUN, Rate},
};

/// Points of a tile: a multiple of [`RUN`], so that the mask of a tile begins at a run whatever the width.
const POINTS: usize = RUN;
/// Up to so many outputs are dot products; a panel would be mostly empty.
const FEW: usize = 4;

/// Weights as they lie in tensors: `[in, hidden]`, `[hidden]`, `[hidden, out]`, `[out]`.
struct Weights {
    /// Of the first map.
    hidden: FlexTensor,
    /// Of the first map.
    hidden_bias: FlexTensor,
    /// Of the second map.
    output: FlexTensor,
    /// Of the second map.
    output_bias: FlexTensor,
}

/// Sizes and noise of one call.
struct Call {
    keys: Vec<Key>,
    rate: Rate,
    first_run: u32,
    /// Rows that one case serves.
    repeat: usize,
    points: usize,
    inputs: usize,
    hidden: usize,
    outputs: usize,
    /// Values from one point of a hidden tile to the next.
    stride: usize,
}

impl Call {
    fn new(x: &FlexTensor, weights: &Weights, keys: &FlexTensor, mask: Mask) -> Self {
        let shape = x.layout().shape();
        let (cases, points, inputs) = (shape[0], shape[1], shape[2]);
        let shape = weights.output.layout().shape();
        let (hidden, outputs) = (shape[0], shape[1]);
        let keys = keys_from(keys);
        assert!(
            cases > 0 && keys.len().is_multiple_of(cases),
            "{} rows of keys for {cases} cases",
            keys.len()
        );
        Self {
            repeat: keys.len() / cases,
            keys,
            rate: Rate::from_threshold(mask.threshold),
            first_run: mask.first_run,
            points,
            inputs,
            hidden,
            outputs,
            // Powers of two would put every point of a column into the same few places of the cache.
            stride: padded(hidden) + 2 * lanes(),
        }
    }

    /// A hidden tile.
    fn tile(&self) -> Vec<f32> {
        vec![0.0; POINTS * self.stride]
    }

    /// Factors of a tile that holds nothing yet: those without a mask.
    fn factors(&self) -> Vec<f32> {
        vec![1.0; POINTS * self.hidden]
    }

    /// Dropout factors of `points` points of a row.
    #[inline(always)]
    fn draw(&self, row: usize, first: usize, points: usize, factors: &mut [f32]) {
        if self.rate.is_none() {
            return;
        }
        let first = self
            .first_run
            .wrapping_add((first * self.hidden / RUN) as u32);
        let factors = &mut factors[..points * self.hidden];
        mask::fill_from(self.keys[row], first, self.rate, factors);
    }
}

/// The matrix as it is.
fn straight(matrix: &FlexTensor) -> Panels {
    let (rows, columns) = sizes(matrix);
    let values = floats(matrix);
    Panels::new(rows, columns, |row, column| values[row * columns + column])
}

/// Its transpose.
fn transposed(matrix: &FlexTensor) -> Panels {
    let (columns, rows) = sizes(matrix);
    let values = floats(matrix);
    Panels::new(rows, columns, |row, column| values[column * rows + row])
}

fn sizes(matrix: &FlexTensor) -> (usize, usize) {
    let shape = matrix.layout().shape();
    (shape[0], shape[1])
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

fn empty<const D: usize>(shape: [usize; D]) -> FlexTensor {
    FlexTensor::empty(Shape::new(shape), DType::F32)
}

impl Weights {
    /// The same, each in one piece.
    fn contiguous(self) -> Self {
        Self {
            hidden: self.hidden.to_contiguous(),
            hidden_bias: self.hidden_bias.to_contiguous(),
            output: self.output.to_contiguous(),
            output_bias: self.output_bias.to_contiguous(),
        }
    }
}

impl PointwiseOps for Flex {
    fn pointwise_mlp(
        x: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        hidden_bias: FloatTensor<Self>,
        output: FloatTensor<Self>,
        output_bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self> {
        let weights = Weights {
            hidden,
            hidden_bias,
            output,
            output_bias,
        };
        forward::forward(&x, weights, &keys, mask)
    }

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
    ) {
        let weights = Weights {
            hidden,
            hidden_bias,
            // Its values do not matter to any gradient.
            output_bias: empty([0]),
            output,
        };
        let (input, weights) = backward::backward(&x, weights, &keys, &grad, mask, wants_input);
        let Weights {
            hidden,
            hidden_bias,
            output,
            output_bias,
        } = weights;
        (input, hidden, hidden_bias, output, output_bias)
    }
}
