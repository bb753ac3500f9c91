//! Backward: each hidden tile is made again and goes away with its gradients.

use burn_flex::FlexTensor;
use pulp::{Arch, Simd, WithSimd};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::super::product::{Panels, add_transposed, multiply, padded};
use super::{Call, Mask, POINTS, Weights, empty, floats, straight, tensor, transposed};
use crate::nn::gelu::{Sum, gelu_and_slope};

/// Most groups of tiles, each with sums of its own.
const GROUPS: usize = 32;

/// Gradients with respect to the input (nothing unless `wants_input`) and to the weights.
pub(super) fn backward(
    x: &FlexTensor,
    weights: Weights,
    keys: &FlexTensor,
    grad: &FlexTensor,
    mask: Mask,
    wants_input: bool,
) -> (FlexTensor, Weights) {
    let call = Call::new(x, &weights, keys, mask);
    let (x, grad, weights) = (
        x.to_contiguous(),
        grad.to_contiguous(),
        weights.contiguous(),
    );
    let cases = call.keys.len() / call.repeat;
    let back = wants_input.then(|| transposed(&weights.hidden));
    let task = Task {
        call: &call,
        first: straight(&weights.hidden),
        second: transposed(&weights.output),
        back,
        bias: floats(&weights.hidden_bias),
        inputs: floats(&x),
        grads: floats(&grad),
    };

    let mut of_input = empty(if wants_input {
        [cases, call.points, call.inputs]
    } else {
        [0, 0, 0]
    });
    let mut rest: &mut [f32] = of_input.storage_mut();
    let mut tiles = vec![];
    for case in 0..cases {
        for first in (0..call.points).step_by(POINTS) {
            let points = POINTS.min(call.points - first);
            let of_input;
            let values = if wants_input { points * call.inputs } else { 0 };
            (of_input, rest) = rest.split_at_mut(values);
            tiles.push(Tile {
                case,
                first,
                points,
                of_input,
            });
        }
    }
    let group = tiles.len().div_ceil(GROUPS).max(1);
    let work = |tiles: &mut [Tile]| Arch::new().dispatch(Group { task: &task, tiles });
    #[cfg(feature = "parallel")]
    let sums: Vec<Sums> = tiles.par_chunks_mut(group).map(work).collect();
    #[cfg(not(feature = "parallel"))]
    let sums: Vec<Sums> = tiles.chunks_mut(group).map(work).collect();
    drop(tiles);
    let total = total(&call, &sums);
    (of_input, total)
}

struct Task<'a> {
    call: &'a Call,
    first: Panels,
    /// The second map from its outputs to its inputs.
    second: Panels,
    /// The first map from its outputs to its inputs, if that gradient is wanted.
    back: Option<Panels>,
    bias: &'a [f32],
    inputs: &'a [f32],
    grads: &'a [f32],
}

struct Tile<'a> {
    case: usize,
    first: usize,
    points: usize,
    of_input: &'a mut [f32],
}

/// What a group adds up. Rows of matrices are as long as a hidden row in whole vectors.
struct Sums {
    /// `[in, hidden]`.
    hidden: Vec<f32>,
    hidden_bias: Vec<f32>,
    /// `[out, hidden]`.
    output: Vec<f32>,
    output_bias: Vec<f32>,
}

struct Group<'a, 't> {
    task: &'a Task<'a>,
    tiles: &'a mut [Tile<'t>],
}

impl WithSimd for Group<'_, '_> {
    type Output = Sums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Sums {
        let Self { task, tiles } = self;
        let call = task.call;
        let wide = padded(call.hidden);
        let mut sums = Sums {
            hidden: vec![0.0; call.inputs * wide],
            hidden_bias: vec![0.0; call.hidden],
            output: vec![0.0; call.outputs * wide],
            output_bias: vec![0.0; call.outputs],
        };
        let (mut before, mut active, mut slopes) = (call.tile(), call.tile(), call.tile());
        let mut factors = call.factors();
        let narrow = padded(call.inputs);
        let mut of_input = vec![0.0; POINTS * narrow];
        for tile in tiles {
            let points = tile.points;
            let at = tile.case * call.points + tile.first;
            let x = &task.inputs[at * call.inputs..][..points * call.inputs];
            let left = (x, call.inputs);
            multiply(simd, (&mut before, call.stride), left, points, &task.first);
            tile.of_input.fill(0.0);
            for row in tile.case * call.repeat..(tile.case + 1) * call.repeat {
                let at = row * call.points + tile.first;
                let grad = &task.grads[at * call.outputs..][..points * call.outputs];
                let left = (grad, call.outputs);
                multiply(simd, (&mut slopes, call.stride), left, points, &task.second);
                call.draw(row, tile.first, points, &mut factors);
                for point in 0..points {
                    let from = point * call.stride;
                    activate(
                        Sum::of::<S>(),
                        &before[from..][..call.hidden],
                        task.bias,
                        &factors[point * call.hidden..][..call.hidden],
                        &mut active[from..][..call.hidden],
                        &mut slopes[from..][..call.hidden],
                        &mut sums.hidden_bias,
                    );
                }
                for grad in grad.chunks_exact(call.outputs) {
                    for (sum, g) in sums.output_bias.iter_mut().zip(grad) {
                        *sum += g;
                    }
                }
                let (out, rows) = (&mut sums.output, call.outputs);
                add_transposed(simd, out, (grad, rows), (&active, call.stride), wide);
                let (out, rows) = (&mut sums.hidden, call.inputs);
                add_transposed(simd, out, (x, rows), (&slopes, call.stride), wide);
                if let Some(back) = &task.back {
                    let out = (of_input.as_mut_slice(), narrow);
                    multiply(simd, out, (&slopes, call.stride), points, back);
                    let rows = tile.of_input.chunks_exact_mut(call.inputs);
                    for (sums, row) in rows.zip(of_input.chunks_exact(narrow)) {
                        for (sum, value) in sums.iter_mut().zip(row) {
                            *sum += value;
                        }
                    }
                }
            }
        }
        sums
    }
}

/// One point: what the second map saw, and the gradient before bias and mask in place of the one after them.
#[inline(always)]
fn activate(
    fma: Sum,
    before: &[f32],
    bias: &[f32],
    factors: &[f32],
    active: &mut [f32],
    grads: &mut [f32],
    bias_sums: &mut [f32],
) {
    let inputs = before.iter().zip(bias).zip(factors);
    let outputs = active.iter_mut().zip(grads).zip(bias_sums);
    for (((z, b), factor), ((h, g), sum)) in inputs.zip(outputs) {
        let (value, slope) = gelu_and_slope((z + b) * factor, fma);
        *h = value;
        *g *= slope * factor;
        *sum += *g;
    }
}

/// Adds up the groups in their order.
fn total(call: &Call, sums: &[Sums]) -> Weights {
    let wide = padded(call.hidden);
    let add = |of: fn(&Sums) -> &Vec<f32>, len: usize| -> Vec<f32> {
        let mut total = vec![0.0_f64; len];
        for part in sums {
            for (sum, value) in total.iter_mut().zip(of(part)) {
                *sum += f64::from(*value);
            }
        }
        total.into_iter().map(|v| v as f32).collect()
    };
    let (inputs, hidden, outputs) = (call.inputs, call.hidden, call.outputs);
    let first = add(|s| &s.hidden, inputs * wide);
    let second = add(|s| &s.output, outputs * wide);
    let rows = first.chunks_exact(wide.max(1));
    let first = rows.flat_map(|row| row[..hidden].iter().copied()).collect();
    let second = (0..hidden * outputs)
        .map(|i| second[i % outputs * wide + i / outputs])
        .collect();
    Weights {
        hidden: tensor(first, [inputs, hidden]),
        hidden_bias: tensor(add(|s| &s.hidden_bias, hidden), [hidden]),
        output: tensor(second, [hidden, outputs]),
        output_bias: tensor(add(|s| &s.output_bias, outputs), [outputs]),
    }
}
