//! Forward: each row by itself.

use burn::tensor::{DType, Shape};
use burn_flex::FlexTensor;
use pulp::{Arch, Simd, WithSimd};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::super::floats;
use super::walk::{Halfway, analyse, drop_modes, line_out, mix};
use super::{BlockTables, Call, Weights};
use crate::nn::gelu::{Sum, gelu};

/// `gelu(synthesis(mask * (analysis(v) W)) + v skip + bias)`.
pub(super) fn forward(
    v: &FlexTensor,
    weights: Weights,
    keys: &FlexTensor,
    tables: &BlockTables,
) -> FlexTensor {
    let (v, weights) = (v.to_contiguous(), weights.contiguous());
    let call = Call::new(&weights, keys, tables);
    let rows = v.layout().shape()[0];
    let shape = Shape::new([rows, call.points(), call.outputs]);
    let mut out = FlexTensor::empty(shape, DType::F32);
    let inputs = floats(&v).chunks_exact(call.points() * call.inputs);
    let inputs: Vec<&[f32]> = inputs.collect();
    let values: &mut [f32] = out.storage_mut();
    let one = |row: usize, out: &mut [f32]| {
        Arch::new().dispatch(Row {
            call: &call,
            index: row,
            v: inputs[row],
            out,
        });
    };
    let row = call.points() * call.outputs;
    #[cfg(feature = "parallel")]
    values
        .par_chunks_exact_mut(row)
        .enumerate()
        .for_each(|(row, out)| one(row, out));
    #[cfg(not(feature = "parallel"))]
    for (row, out) in values.chunks_exact_mut(row).enumerate() {
        one(row, out);
    }
    out
}

struct Row<'a> {
    call: &'a Call<'a>,
    index: usize,
    v: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            call,
            index: row,
            v,
            out,
        } = self;
        let (axes, wide) = (call.axes, call.wide_out);
        let (line, modes) = (call.line(), axes.modes());
        let mut line_in = vec![0.0; line * call.wide_in];
        let mut half_in = Halfway::new(axes, call.wide_in);
        let spectrum = analyse(simd, call, v, &mut line_in, &mut half_in);
        let mut half = Halfway::new(axes, wide);
        let mixed = &mut half.buffer()[..2 * modes * wide];
        let x = (&*spectrum, call.inputs, call.wide_in);
        mix(simd, &call.weights, x, (mixed, wide));
        let (mut flat, mut factors) = (vec![0.0; modes * call.outputs], vec![0.0; modes * wide]);
        call.draw(row, &mut flat, &mut factors);
        drop_modes(call, mixed, &factors);
        let halves = half.grow(simd, axes, wide, |axis| &axis.synthesis);

        let mut z = vec![0.0; line * wide];
        let lines = v.chunks_exact(line * call.inputs);
        let outs = out.chunks_exact_mut(line * call.outputs);
        let halves = halves.chunks_exact(2 * axes.last.kept * wide);
        for ((v, out), half) in lines.zip(outs).zip(halves) {
            line_out(simd, call, v, half, &mut z);
            let points = out.chunks_exact_mut(call.outputs);
            for (out, z) in points.zip(z.chunks_exact(wide)) {
                let values = out.iter_mut().zip(z).zip(&call.bias);
                if call.activate {
                    values.for_each(|((out, z), b)| *out = gelu(z + b, Sum::of::<S>()));
                } else {
                    values.for_each(|((out, z), b)| *out = z + b);
                }
            }
        }
    }
}
