//! Forward: two maps with mask and GELU between them, tile by tile.

use burn_flex::FlexTensor;
use pulp::{Arch, Simd, WithSimd};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::super::product::{Panels, dot, multiply, padded};
use super::{Call, FEW, Mask, POINTS, Weights, empty, floats, straight};
use crate::nn::gelu::{Sum, gelu};

/// Tiles that one task works on.
const TILES: usize = 16;

/// `B gelu(mask (A x + a)) + b`.
pub(super) fn forward(
    x: &FlexTensor,
    weights: Weights,
    keys: &FlexTensor,
    mask: Mask,
) -> FlexTensor {
    let call = Call::new(x, &weights, keys, mask);
    let (x, weights) = (x.to_contiguous(), weights.contiguous());
    let mut out = empty([call.keys.len(), call.points, call.outputs]);
    if call.points * call.outputs == 0 {
        return out;
    }
    let task = Task {
        first: straight(&weights.hidden),
        second: Second::new(&weights.output, call.stride),
        bias: floats(&weights.hidden_bias),
        output_bias: floats(&weights.output_bias),
        inputs: floats(&x),
        call: &call,
    };
    let values: &mut [f32] = out.storage_mut();
    let one = |row: usize, part: usize, values: &mut [f32]| {
        Arch::new().dispatch(Part {
            task: &task,
            row,
            first: part * TILES * POINTS,
            values,
        });
    };
    let (row, part) = (call.points * call.outputs, TILES * POINTS * call.outputs);
    #[cfg(feature = "parallel")]
    values
        .par_chunks_mut(row)
        .enumerate()
        .for_each(|(row, values)| {
            let parts = values.par_chunks_mut(part).enumerate();
            parts.for_each(|(part, values)| one(row, part, values));
        });
    #[cfg(not(feature = "parallel"))]
    for (row, values) in values.chunks_mut(row).enumerate() {
        for (part, values) in values.chunks_mut(part).enumerate() {
            one(row, part, values);
        }
    }
    out
}

struct Task<'a> {
    call: &'a Call,
    first: Panels,
    second: Second,
    bias: &'a [f32],
    output_bias: &'a [f32],
    inputs: &'a [f32],
}

/// The second map.
enum Second {
    /// Of many outputs.
    Panels(Panels),
    /// Of few: the weights of each of them, as long as a point of a tile.
    Rows(Vec<Vec<f32>>),
}

impl Second {
    fn new(weight: &FlexTensor, stride: usize) -> Self {
        let (_, outputs) = super::sizes(weight);
        if outputs > FEW {
            return Self::Panels(straight(weight));
        }
        let row = |o: usize| {
            let mut row: Vec<f32> = floats(weight)[o..]
                .iter()
                .step_by(outputs)
                .copied()
                .collect();
            row.resize(stride, 0.0);
            row
        };
        Self::Rows((0..outputs).map(row).collect())
    }
}

/// Some tiles of one row.
struct Part<'a> {
    task: &'a Task<'a>,
    row: usize,
    first: usize,
    values: &'a mut [f32],
}

impl WithSimd for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            task,
            row,
            first: begin,
            values,
        } = self;
        let Task {
            call,
            first,
            second,
            bias,
            output_bias,
            inputs,
        } = task;
        let (mut hidden, mut factors) = (call.tile(), call.factors());
        let wide = padded(call.outputs);
        let mut outputs = vec![0.0; POINTS * wide];
        for (tile, values) in values.chunks_mut(POINTS * call.outputs).enumerate() {
            let from = begin + tile * POINTS;
            let points = values.len() / call.outputs;
            let x = &inputs[(row / call.repeat * call.points + from) * call.inputs..];
            let out = (hidden.as_mut_slice(), call.stride);
            multiply(simd, out, (x, call.inputs), points, first);
            call.draw(row, from, points, &mut factors);
            activate(Sum::of::<S>(), call, &mut hidden, bias, &factors, points);
            match second {
                Second::Rows(rows) => {
                    let points = hidden.chunks_exact(call.stride);
                    for (values, point) in values.chunks_exact_mut(call.outputs).zip(points) {
                        for ((value, row), bias) in values.iter_mut().zip(rows).zip(*output_bias) {
                            *value = dot(simd, point, row) + bias;
                        }
                    }
                }
                Second::Panels(panels) => {
                    let out = (outputs.as_mut_slice(), wide);
                    multiply(simd, out, (&hidden, call.stride), points, panels);
                    let points = outputs.chunks_exact(wide);
                    for (values, sums) in values.chunks_exact_mut(call.outputs).zip(points) {
                        for ((value, sum), bias) in values.iter_mut().zip(sums).zip(*output_bias) {
                            *value = sum + bias;
                        }
                    }
                }
            }
        }
    }
}

/// Bias, mask and GELU in place.
#[inline(always)]
fn activate(
    sum: Sum,
    call: &Call,
    hidden: &mut [f32],
    bias: &[f32],
    factors: &[f32],
    points: usize,
) {
    let factors = factors.chunks_exact(call.hidden);
    let rows = hidden.chunks_exact_mut(call.stride).take(points);
    for (row, factors) in rows.zip(factors) {
        for ((value, b), factor) in row.iter_mut().zip(bias).zip(factors) {
            *value = gelu((*value + b) * factor, sum);
        }
    }
}
