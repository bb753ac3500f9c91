//! Backward: each row is made again, and its gradients go back the same way.

use burn::tensor::{DType, Shape, TensorData};
use burn_flex::FlexTensor;
use pulp::{Arch, Simd, WithSimd};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::super::floats;
use super::super::product::{Panels, add_transposed, multiply};
use super::walk::{Halfway, analyse, apply, drop_modes, line_out, mix};
use super::{BlockTables, Call, Weights, copy_rows};
use crate::nn::gelu::{Sum, gelu_slope};

/// Most groups of rows, each with sums of its own.
const GROUPS: usize = 16;

/// Gradients with respect to the input and the weights.
pub(super) fn backward(
    v: &FlexTensor,
    weights: Weights,
    keys: &FlexTensor,
    grad: &FlexTensor,
    tables: &BlockTables,
) -> (FlexTensor, Weights) {
    let (v, grad, weights) = (
        v.to_contiguous(),
        grad.to_contiguous(),
        weights.contiguous(),
    );
    let call = Call::new(&weights, keys, tables);
    let skip = floats(&weights.skip);
    let task = Task {
        weights: conjugate_transposed(&call, &weights),
        skip: Panels::new(call.outputs, call.inputs, |row, column| {
            skip[column * call.outputs + row]
        }),
        call: &call,
    };
    let mut of_v = FlexTensor::empty(v.layout().shape().clone(), DType::F32);
    let points = call.points();
    let values: &mut [f32] = of_v.storage_mut();
    let rows = values.chunks_exact_mut(points * call.inputs);
    let rows = rows.zip(floats(&v).chunks_exact(points * call.inputs));
    let rows = rows.zip(floats(&grad).chunks_exact(points * call.outputs));
    let mut rows: Vec<Row> = rows
        .enumerate()
        .map(|(number, ((of_v, v), grad))| Row {
            number,
            v,
            grad,
            of_v,
        })
        .collect();
    let group = rows.len().div_ceil(GROUPS).max(1);
    let work = |rows: &mut [Row]| Arch::new().dispatch(Group { task: &task, rows });
    #[cfg(feature = "parallel")]
    let sums: Vec<Sums> = rows.par_chunks_mut(group).map(work).collect();
    #[cfg(not(feature = "parallel"))]
    let sums: Vec<Sums> = rows.chunks_mut(group).map(work).collect();
    drop(rows);
    let total = total(&call, &sums);
    (of_v, total)
}

/// `[modes, out, 2, wide_in]`: what takes gradients of coefficients back.
fn conjugate_transposed(call: &Call, weights: &Weights) -> Vec<f32> {
    let (inputs, outputs, wide) = (call.inputs, call.outputs, call.wide_in);
    let (real, imag) = (floats(&weights.real), floats(&weights.imag));
    let mut packed = vec![0.0; call.axes.modes() * outputs * 2 * wide];
    for (index, row) in packed.chunks_exact_mut(2 * wide).enumerate() {
        let (mode, o) = (index / outputs, index % outputs);
        for i in 0..inputs {
            let at = (mode * inputs + i) * outputs + o;
            row[i] = real[at];
            row[wide + i] = -imag[at];
        }
    }
    packed
}

struct Task<'a> {
    call: &'a Call<'a>,
    weights: Vec<f32>,
    skip: Panels,
}

struct Row<'a> {
    number: usize,
    v: &'a [f32],
    grad: &'a [f32],
    of_v: &'a mut [f32],
}

/// What a group adds up; rows end with whole vectors.
struct Sums {
    /// `[modes, in, 2, wide_out]`.
    weights: Vec<f32>,
    /// `[in, wide_out]`.
    skip: Vec<f32>,
    bias: Vec<f32>,
}

struct Group<'a, 'r> {
    task: &'a Task<'a>,
    rows: &'a mut [Row<'r>],
}

impl WithSimd for Group<'_, '_> {
    type Output = Sums;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Sums {
        let Self { task, rows } = self;
        let call = task.call;
        let (axes, wide_in, wide) = (call.axes, call.wide_in, call.wide_out);
        let (line, modes) = (call.line(), axes.modes());
        let mut sums = Sums {
            weights: vec![0.0; call.weights.len()],
            skip: vec![0.0; call.inputs * wide],
            bias: vec![0.0; wide],
        };
        let mut line_in = vec![0.0; line * wide_in];
        let mut of_line = vec![0.0; line * wide_in];
        let mut half_in = Halfway::new(axes, wide_in);
        let mut half = Halfway::new(axes, wide);
        let mut half_grad = Halfway::new(axes, wide);
        let mut half_back = Halfway::new(axes, wide_in);
        let (mut flat, mut factors) = (vec![0.0; modes * call.outputs], vec![0.0; modes * wide]);
        let mut z = vec![0.0; line * wide];
        let mut dz = vec![0.0; line * wide];
        for row in rows {
            let spectrum = analyse(simd, call, row.v, &mut line_in, &mut half_in);
            call.draw(row.number, &mut flat, &mut factors);
            if call.activate {
                let mixed = &mut half.buffer()[..2 * modes * wide];
                let x = (&*spectrum, call.inputs, wide_in);
                mix(simd, &call.weights, x, (mixed, wide));
                drop_modes(call, mixed, &factors);
                half.grow(simd, axes, wide, |axis| &axis.synthesis);
            }
            // Through the activation, and from there to the skip's gradients and to lines of the spectrum.
            let kept = 2 * axes.last.kept * wide;
            let per_line = half.buffer().chunks_exact(kept);
            let per_line = per_line.zip(half_grad.buffer().chunks_exact_mut(kept));
            let vs = row.v.chunks_exact(line * call.inputs);
            let grads = row.grad.chunks_exact(line * call.outputs);
            let outs = row.of_v.chunks_exact_mut(line * call.inputs);
            for (((v, grad), out), (half, half_grad)) in vs.zip(grads).zip(outs).zip(per_line) {
                copy_rows(grad, call.outputs, &mut dz, wide);
                if call.activate {
                    line_out(simd, call, v, half, &mut z);
                    for (dz, z) in dz.chunks_exact_mut(wide).zip(z.chunks_exact(wide)) {
                        for ((dz, z), b) in dz.iter_mut().zip(z).zip(&call.bias) {
                            *dz *= gelu_slope(z + b, Sum::of::<S>());
                        }
                    }
                }
                for dz in dz.chunks_exact(wide) {
                    for (sum, dz) in sums.bias.iter_mut().zip(dz) {
                        *sum += dz;
                    }
                }
                let skip = &mut sums.skip;
                add_transposed(simd, skip, (v, call.inputs), (&dz, wide), wide);
                let back = &mut of_line;
                multiply(simd, (back, wide_in), (&dz, wide), line, &task.skip);
                copy_rows(&of_line, wide_in, out, call.inputs);
                apply(simd, &axes.last.synthesis_back, half_grad, &dz, wide);
            }
            let of_mixed = half_grad.shrink(simd, axes, wide, |axis| &axis.synthesis_back);
            drop_modes(call, of_mixed, &factors);
            add_outer(simd, call, &mut sums.weights, spectrum, of_mixed);
            let of_spectrum = &mut half_back.buffer()[..2 * modes * wide_in];
            let x = (&*of_mixed, call.outputs, wide);
            mix(simd, &task.weights, x, (of_spectrum, wide_in));
            let halves = half_back.grow(simd, axes, wide_in, |axis| &axis.analysis_back);
            let halves = halves.chunks_exact(2 * axes.last.kept * wide_in);
            let outs = row.of_v.chunks_exact_mut(line * call.inputs);
            for (out, half) in outs.zip(halves) {
                let step = &axes.last.analysis_back;
                if call.inputs == wide_in {
                    let left = (step.left.as_slice(), step.rows);
                    add_transposed(simd, out, left, (half, wide_in), wide_in);
                    continue;
                }
                apply(simd, step, &mut of_line, half, wide_in);
                let points = out.chunks_exact_mut(call.inputs);
                for (out, more) in points.zip(of_line.chunks_exact(wide_in)) {
                    for (out, more) in out.iter_mut().zip(more) {
                        *out += more;
                    }
                }
            }
        }
        sums
    }
}

/// Adds `conj(X[k, i]) dY[k, o]` to every weight.
#[inline(always)]
fn add_outer<S: Simd>(simd: S, call: &Call, sums: &mut [f32], x: &[f32], dy: &[f32]) {
    let (wide_in, wide) = (call.wide_in, call.wide_out);
    let (x_real, x_imag) = x.split_at(x.len() / 2);
    let (dy_real, dy_imag) = dy.split_at(dy.len() / 2);
    let xs = x_real
        .chunks_exact(wide_in)
        .zip(x_imag.chunks_exact(wide_in));
    let dys = dy_real.chunks_exact(wide).zip(dy_imag.chunks_exact(wide));
    let modes = sums.chunks_exact_mut(call.inputs * 2 * wide);
    for ((sums, (x_real, x_imag)), (dy_real, dy_imag)) in modes.zip(xs).zip(dys) {
        let (dy_real, _) = S::as_simd_f32s(dy_real);
        let (dy_imag, _) = S::as_simd_f32s(dy_imag);
        let rows = sums.chunks_exact_mut(2 * wide);
        for ((row, &a), &b) in rows.zip(x_real).zip(x_imag) {
            let (real, imag) = row.split_at_mut(wide);
            let (real, _) = S::as_mut_simd_f32s(real);
            let (imag, _) = S::as_mut_simd_f32s(imag);
            let (a, b, minus_b) = (simd.splat_f32s(a), simd.splat_f32s(b), simd.splat_f32s(-b));
            let sums = real.iter_mut().zip(imag);
            for ((real, imag), (&dr, &di)) in sums.zip(dy_real.iter().zip(dy_imag)) {
                *real = simd.mul_add_e_f32s(a, dr, simd.mul_add_e_f32s(b, di, *real));
                *imag = simd.mul_add_e_f32s(a, di, simd.mul_add_e_f32s(minus_b, dr, *imag));
            }
        }
    }
}

/// Adds up the groups in their order.
fn total(call: &Call, sums: &[Sums]) -> Weights {
    let (inputs, outputs, wide) = (call.inputs, call.outputs, call.wide_out);
    let modes = call.axes.modes();
    let add = |of: fn(&Sums) -> &Vec<f32>, len: usize| -> Vec<f32> {
        let mut total = vec![0.0_f32; len];
        for part in sums {
            for (sum, value) in total.iter_mut().zip(of(part)) {
                *sum += value;
            }
        }
        total
    };
    let weights = add(|s| &s.weights, call.weights.len());
    let part = |first: usize| -> Vec<f32> {
        let rows = weights.chunks_exact(2 * wide);
        rows.flat_map(|row| row[first..first + outputs].iter().copied())
            .collect()
    };
    let skip = add(|s| &s.skip, inputs * wide);
    let rows = skip.chunks_exact(wide);
    let skip: Vec<f32> = rows
        .flat_map(|row| row[..outputs].iter().copied())
        .collect();
    let mut bias = add(|s| &s.bias, wide);
    bias.truncate(outputs);
    let tensor =
        |values: Vec<f32>, shape: Shape| FlexTensor::from_data(TensorData::new(values, shape));
    let shape = || Shape::new([modes, inputs, outputs]);
    Weights {
        real: tensor(part(0), shape()),
        imag: tensor(part(wide), shape()),
        skip: tensor(skip, Shape::new([inputs, outputs])),
        bias: tensor(bias, Shape::new([outputs])),
    }
}
