//! CPU: plain Rust that vectorises, compiled for the best instruction set found at run time.

mod block;
mod mlp;
mod product;

use burn::backend::{
    Flex,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Shape, TensorData};
use burn_flex::FlexTensor;
use pulp::{Arch, Simd, WithSimd};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::{Mask, NoiseOps};
use crate::nn::gelu::{Sum, gelu, gelu_slope};
use crate::noise::{
    Key,
    mask::{self, RUN, Rate},
    normal,
};

/// Elements one task works on: a multiple of [`RUN`], large enough to hide the cost of a task.
const TASK: usize = 256 * RUN;

impl NoiseOps for Flex {
    fn bias_dropout_gelu(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self> {
        let rows = Rows::new(&x, &bias, &keys, mask);
        let mut x = contiguous(x);
        if rows.repeat == 1
            && let Some(values) = x.try_storage_mut()
        {
            // Nobody else holds the tensor, as at inference: no second full-width buffer.
            #[expect(
                clippy::redundant_closure_for_method_calls,
                reason = "the method is not general enough over the lifetime of the piece"
            )]
            rows.each(values, |piece, values| piece.forward(values));
            return x;
        }
        let shape = Shape::new([rows.keys.len(), rows.length / rows.hidden, rows.hidden]);
        let mut out = FlexTensor::empty(shape, DType::F32);
        let inputs = floats(&x);
        rows.each(out.storage_mut(), |piece, values| {
            values.copy_from_slice(piece.of_case(inputs, values.len()));
            piece.forward(values);
        });
        out
    }

    fn bias_dropout_gelu_backward(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        mask: Mask,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let rows = Rows::new(&x, &bias, &keys, mask);
        let x = contiguous(x);
        let mut grad = contiguous(grad);
        let inputs = floats(&x);
        let values: &mut [f32] = grad.storage_mut();
        rows.each(values, |piece, values| {
            piece.backward(piece.of_case(inputs, values.len()), values);
        });
        let bias_grad = TensorData::new(column_sums(values, rows.hidden), [rows.hidden]);
        let bias_grad = FlexTensor::from_data(bias_grad);
        if rows.repeat == 1 {
            return (grad, bias_grad);
        }
        let summed = rows.sum_over_rows(values);
        let summed = TensorData::new(summed, x.layout().shape().clone());
        (FlexTensor::from_data(summed), bias_grad)
    }

    fn dropout_factors(keys: IntTensor<Self>, count: usize, threshold: u32) -> FloatTensor<Self> {
        let rate = Rate::from_threshold(threshold);
        fill_rows(&keys, count, |key, row| mask::fill(key, rate, row))
    }

    fn normals(keys: IntTensor<Self>, count: usize) -> FloatTensor<Self> {
        fill_rows(&keys, count, normal::fill)
    }
}

/// The same tensor in one piece. It takes the argument, so that a buffer that nobody else holds stays that way.
fn contiguous(tensor: FlexTensor) -> FlexTensor {
    let whole = tensor.to_contiguous();
    drop(tensor);
    whole
}

fn floats(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("a contiguous f32 tensor")
}

fn keys_from(tensor: &FlexTensor) -> Vec<Key> {
    let tensor = tensor.to_contiguous();
    let words: &[i32] = tensor.as_slice().expect("keys are contiguous i32");
    words
        .chunks_exact(2)
        .map(|pair| [pair[0].cast_unsigned(), pair[1].cast_unsigned()])
        .collect()
}

fn fill_rows(keys: &FlexTensor, count: usize, fill: impl Fn(Key, &mut [f32])) -> FlexTensor {
    let keys = keys_from(keys);
    let mut out = FlexTensor::empty(Shape::new([keys.len(), count]), DType::F32);
    let values: &mut [f32] = out.storage_mut();
    for (key, row) in keys.into_iter().zip(values.chunks_mut(count.max(1))) {
        fill(key, row);
    }
    out
}

/// What all rows of one call share.
struct Rows {
    keys: Vec<Key>,
    rate: Rate,
    /// Runs of the mask before the first element.
    first_run: u32,
    /// The bias repeated so that any run of [`RUN`] elements is one slice of it.
    bias: Vec<f32>,
    hidden: usize,
    /// Elements of a row.
    length: usize,
    /// Rows that one case serves.
    repeat: usize,
}

/// A stretch of one row that starts at a run.
struct Piece<'a> {
    rows: &'a Rows,
    row: usize,
    start: usize,
}

impl Rows {
    fn new(x: &FlexTensor, bias: &FlexTensor, keys: &FlexTensor, mask: Mask) -> Self {
        let shape = x.layout().shape();
        let (cases, points, hidden) = (shape[0], shape[1], shape[2]);
        let bias = bias.to_contiguous();
        let bias = floats(&bias)
            .iter()
            .copied()
            .cycle()
            .take(hidden + RUN)
            .collect();
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
            bias,
            hidden,
            length: points * hidden,
        }
    }

    /// Calls `work` on every piece of every row, on all cores where the feature `parallel` allows.
    fn each(&self, values: &mut [f32], work: impl Fn(&Piece, &mut [f32]) + Sync) {
        if self.length == 0 {
            return;
        }
        let one = |row: usize, task: usize, values: &mut [f32]| {
            let piece = Piece {
                rows: self,
                row,
                start: task * TASK,
            };
            work(&piece, values);
        };
        #[cfg(feature = "parallel")]
        values
            .par_chunks_mut(self.length)
            .enumerate()
            .for_each(|(row, values)| {
                values
                    .par_chunks_mut(TASK)
                    .enumerate()
                    .for_each(|(task, values)| one(row, task, values));
            });
        #[cfg(not(feature = "parallel"))]
        for (row, values) in values.chunks_mut(self.length).enumerate() {
            for (task, values) in values.chunks_mut(TASK).enumerate() {
                one(row, task, values);
            }
        }
    }
}

impl Rows {
    /// Adds up the rows of each case.
    fn sum_over_rows(&self, values: &[f32]) -> Vec<f32> {
        let mut sums = Vec::with_capacity(values.len() / self.repeat);
        for case in values.chunks(self.length * self.repeat) {
            let start = sums.len();
            sums.extend_from_slice(&case[..self.length]);
            for row in case[self.length..].chunks(self.length) {
                for (sum, value) in sums[start..].iter_mut().zip(row) {
                    *sum += value;
                }
            }
        }
        sums
    }
}

impl Piece<'_> {
    /// The stretch of the case's values under this piece.
    fn of_case<'v>(&self, values: &'v [f32], len: usize) -> &'v [f32] {
        let start = self.row / self.rows.repeat * self.rows.length + self.start;
        &values[start..start + len]
    }

    /// Activates in place.
    fn forward(&self, values: &mut [f32]) {
        Arch::new().dispatch(Forward {
            piece: self,
            values,
        });
    }

    /// Multiplies gradients with the slope at `inputs`.
    fn backward(&self, inputs: &[f32], grads: &mut [f32]) {
        Arch::new().dispatch(Backward {
            piece: self,
            inputs,
            grads,
        });
    }

    /// The bias under a run, and its dropout factors.
    #[inline(always)]
    fn run(&self, index: usize) -> (&[f32; RUN], [f32; RUN]) {
        let first = self.start + index * RUN;
        let bias = self.rows.bias[first % self.rows.hidden..]
            .first_chunk()
            .expect("the bias is repeated far enough");
        let factors = if self.rows.rate.is_none() {
            [1.0; RUN]
        } else {
            mask::run_factors(
                self.rows.keys[self.row],
                self.rows.first_run.wrapping_add((first / RUN) as u32),
                self.rows.rate,
            )
        };
        (bias, factors)
    }
}

/// The two loops as types, so that their bodies are compiled inside the dispatcher with its instruction set.
struct Forward<'a> {
    piece: &'a Piece<'a>,
    values: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (index, run) in self.values.chunks_mut(RUN).enumerate() {
            let (bias, factors) = self.piece.run(index);
            for ((value, b), factor) in run.iter_mut().zip(bias).zip(factors) {
                *value = gelu((*value + b) * factor, Sum::of::<S>());
            }
        }
    }
}

struct Backward<'a> {
    piece: &'a Piece<'a>,
    inputs: &'a [f32],
    grads: &'a mut [f32],
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let runs = self.inputs.chunks(RUN).zip(self.grads.chunks_mut(RUN));
        for (index, (run, grad)) in runs.enumerate() {
            let (bias, factors) = self.piece.run(index);
            for (((x, g), b), factor) in run.iter().zip(grad).zip(bias).zip(factors) {
                *g *= gelu_slope((x + b) * factor, Sum::of::<S>()) * factor;
            }
        }
    }
}

/// Sum over all points for each channel, in blocks so that f32 stays accurate.
fn column_sums(values: &[f32], hidden: usize) -> Vec<f32> {
    let add = |block: &[f32]| {
        let mut sums = vec![0.0_f32; hidden];
        for point in block.chunks_exact(hidden) {
            for (sum, value) in sums.iter_mut().zip(point) {
                *sum += value;
            }
        }
        sums
    };
    let block = 1024 * hidden.max(1);
    #[cfg(feature = "parallel")]
    let partial: Vec<Vec<f32>> = values.par_chunks(block).map(add).collect();
    #[cfg(not(feature = "parallel"))]
    let partial: Vec<Vec<f32>> = values.chunks(block).map(add).collect();
    let mut total = vec![0.0_f64; hidden];
    for sums in partial {
        for (sum, value) in total.iter_mut().zip(sums) {
            *sum += f64::from(value);
        }
    }
    total.into_iter().map(|v| v as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: Mask = Mask {
        threshold: 0,
        first_run: 0,
    };

    fn field() -> FlexTensor {
        let values: Vec<f32> = (0..24).map(|i| 0.1 * i as f32 - 1.0).collect();
        FlexTensor::from_data(TensorData::new(values, [2, 4, 3]))
    }

    fn bias_and_keys() -> (FlexTensor, FlexTensor) {
        (
            FlexTensor::from_data(TensorData::new(vec![0.5_f32, 0.0, -0.5], [3])),
            FlexTensor::from_data(TensorData::new(vec![1_i32, 2, 3, 4], [2, 2])),
        )
    }

    #[test]
    fn a_field_that_nobody_else_holds_is_activated_where_it_lies() {
        let (bias, keys) = bias_and_keys();
        let alone = field();
        let place = floats(&alone).as_ptr();
        let in_place = Flex::bias_dropout_gelu(alone, bias.clone(), keys.clone(), MASK);
        assert_eq!(floats(&in_place).as_ptr(), place, "no second buffer");

        let held = field();
        let copied = Flex::bias_dropout_gelu(held.clone(), bias, keys, MASK);
        assert_ne!(floats(&copied).as_ptr(), floats(&held).as_ptr());
        assert_eq!(floats(&held), floats(&field()), "what is held stays");
        assert_eq!(floats(&copied), floats(&in_place));
    }

    #[test]
    fn a_gradient_that_nobody_else_holds_is_multiplied_where_it_lies() {
        let (bias, keys) = bias_and_keys();
        let (x, alone) = (field(), field());
        let place = floats(&alone).as_ptr();
        let (in_place, _) =
            Flex::bias_dropout_gelu_backward(x.clone(), bias.clone(), keys.clone(), alone, MASK);
        assert_eq!(floats(&in_place).as_ptr(), place, "no second buffer");

        let held = field();
        let (copied, _) = Flex::bias_dropout_gelu_backward(x, bias, keys, held.clone(), MASK);
        assert_eq!(floats(&held), floats(&field()), "what is held stays");
        assert_eq!(floats(&copied), floats(&in_place));
    }
}
