//! One row through the transform, and its coefficients through the weights.

use pulp::Simd;

use super::super::product::{add_transposed, multiply};
use super::{Call, copy_rows};
use crate::spectral::axes::{Axes, Axis, Step};

/// `out = stepᵀ right`, with `width` values (whole vectors) in a row of both.
#[inline(always)]
pub fn apply<S: Simd>(simd: S, step: &Step, out: &mut [f32], right: &[f32], width: usize) {
    let out = &mut out[..step.rows * width];
    out.fill(0.0);
    let left = (step.left.as_slice(), step.rows);
    add_transposed(simd, out, left, (right, width), width);
}

/// Buffers for what is between grid and spectrum of one row.
pub struct Halfway {
    here: Vec<f32>,
    there: Vec<f32>,
}

impl Halfway {
    /// For fields of `width` channels.
    pub fn new(axes: &Axes, width: usize) -> Self {
        // Along one axis after the other the field shrinks, so the first is the largest; in fields of many modes any is.
        let mut most = axes.lines() * 2 * axes.last.kept;
        let (mut outer, mut inner) = (axes.lines(), axes.last.kept);
        for axis in axes.outer.iter().rev() {
            outer /= axis.size;
            inner *= axis.kept;
            most = most.max(outer * 2 * inner);
        }
        Self {
            here: vec![0.0; most * width],
            there: vec![0.0; most * width],
        }
    }

    /// Where the walk begins: `[lines, 2 kept, width]` before [`shrink`](Self::shrink), `[2, modes, width]` before
    /// [`grow`](Self::grow).
    pub fn buffer(&mut self) -> &mut [f32] {
        &mut self.here
    }

    /// From lines to spectrum, `[2, modes, width]`, by the products that `step` takes from each axis: the analysis, or the
    /// synthesis backwards.
    #[inline(always)]
    pub fn shrink<S: Simd>(
        &mut self,
        simd: S,
        axes: &Axes,
        width: usize,
        step: impl Fn(&Axis) -> &Step,
    ) -> &mut [f32] {
        let (mut outer, mut inner) = (axes.lines(), axes.last.kept * width);
        for axis in axes.outer.iter().rev() {
            outer /= axis.size;
            let (from, to) = (axis.size * 2 * inner, 2 * axis.kept * inner);
            for place in 0..outer {
                let right = &self.here[place * from..][..from];
                let out = &mut self.there[place * to..][..to];
                apply(simd, step(axis), out, right, inner);
            }
            std::mem::swap(&mut self.here, &mut self.there);
            inner *= axis.kept;
        }
        &mut self.here[..2 * inner]
    }

    /// From spectrum to lines, `[lines, 2 kept, width]`: the synthesis, or the analysis backwards.
    #[inline(always)]
    pub fn grow<S: Simd>(
        &mut self,
        simd: S,
        axes: &Axes,
        width: usize,
        step: impl Fn(&Axis) -> &Step,
    ) -> &mut [f32] {
        let (mut outer, mut inner) = (1, axes.modes() * width);
        for axis in &axes.outer {
            inner /= axis.kept;
            let (from, to) = (2 * axis.kept * inner, axis.size * 2 * inner);
            for place in 0..outer {
                let right = &self.here[place * from..][..from];
                let out = &mut self.there[place * to..][..to];
                apply(simd, step(axis), out, right, inner);
            }
            std::mem::swap(&mut self.here, &mut self.there);
            outer *= axis.size;
        }
        &mut self.here[..outer * 2 * inner]
    }
}

/// The spectrum of a row, left in `half`. `line` holds `[points of a line, wide_in]`, zero beyond the channels.
#[inline(always)]
pub fn analyse<'h, S: Simd>(
    simd: S,
    call: &Call,
    v: &[f32],
    line: &mut [f32],
    half: &'h mut Halfway,
) -> &'h mut [f32] {
    let (axes, width) = (call.axes, call.wide_in);
    let lines = v.chunks_exact(call.line() * call.inputs);
    let halves = half.here.chunks_exact_mut(2 * axes.last.kept * width);
    for (v, out) in lines.zip(halves) {
        let right = if call.inputs == width {
            v
        } else {
            copy_rows(v, call.inputs, line, width);
            &*line
        };
        apply(simd, &axes.last.analysis, out, right, width);
    }
    half.shrink(simd, axes, width, |axis| &axis.analysis)
}

/// One line before the activation and without bias, `[points of the line, wide_out]`.
#[inline(always)]
pub fn line_out<S: Simd>(simd: S, call: &Call, v: &[f32], half: &[f32], z: &mut [f32]) {
    let (width, synthesis) = (call.wide_out, &call.axes.last.synthesis);
    let line = call.line();
    multiply(simd, (z, width), (v, call.inputs), line, &call.skip);
    let left = (synthesis.left.as_slice(), line);
    add_transposed(simd, z, left, (half, width), width);
}

/// Multiplies both parts of coefficients `[2, modes, wide]` with factors `[modes, wide]`.
#[inline(always)]
pub fn drop_modes(call: &Call, spectrum: &mut [f32], factors: &[f32]) {
    if call.rate.is_none() {
        return;
    }
    for part in spectrum.chunks_exact_mut(factors.len()) {
        for (value, factor) in part.iter_mut().zip(factors) {
            *value *= factor;
        }
    }
}

/// `Y[k, o] = Σ_i X[k, i] W[k, i, o]` for `x` of `[2, modes, wide_in]`, `weights` of `[modes, in, 2, wide_out]`.
#[inline(always)]
pub fn mix<S: Simd>(
    simd: S,
    weights: &[f32],
    (x, inputs, wide_in): (&[f32], usize, usize),
    (y, wide_out): (&mut [f32], usize),
) {
    let (weights, _) = S::as_simd_f32s(weights);
    let wide = wide_out / S::F32_LANES;
    let (x_real, x_imag) = x.split_at(x.len() / 2);
    let half = y.len() / 2;
    let (y_real, y_imag) = y.split_at_mut(half);
    let (y_real, _) = S::as_mut_simd_f32s(y_real);
    let (y_imag, _) = S::as_mut_simd_f32s(y_imag);
    let rows = y_real
        .chunks_exact_mut(wide)
        .zip(y_imag.chunks_exact_mut(wide));
    let xs = x_real
        .chunks_exact(wide_in)
        .zip(x_imag.chunks_exact(wide_in));
    let matrices = weights.chunks_exact(inputs * 2 * wide);
    for (((y_real, y_imag), (x_real, x_imag)), matrix) in rows.zip(xs).zip(matrices) {
        let mut o = 0;
        while o < wide {
            if wide - o >= 2 {
                mix_vectors::<S, 2>(simd, matrix, [x_real, x_imag], y_real, y_imag, o);
                o += 2;
            } else {
                mix_vectors::<S, 1>(simd, matrix, [x_real, x_imag], y_real, y_imag, o);
                o += 1;
            }
        }
    }
}

#[inline(always)]
fn mix_vectors<S: Simd, const V: usize>(
    simd: S,
    matrix: &[S::f32s],
    [x_real, x_imag]: [&[f32]; 2],
    y_real: &mut [S::f32s],
    y_imag: &mut [S::f32s],
    o: usize,
) {
    let wide = y_real.len();
    let zero = simd.splat_f32s(0.0);
    let (mut real, mut imag) = ([zero; V], [zero; V]);
    let rows = matrix.chunks_exact(2 * wide);
    for ((row, &a), &b) in rows.zip(x_real).zip(x_imag) {
        let (a, b, minus_b) = (simd.splat_f32s(a), simd.splat_f32s(b), simd.splat_f32s(-b));
        let (w_real, w_imag) = (&row[o..][..V], &row[wide + o..][..V]);
        for v in 0..V {
            real[v] = simd.mul_add_e_f32s(a, w_real[v], real[v]);
            imag[v] = simd.mul_add_e_f32s(a, w_imag[v], imag[v]);
            real[v] = simd.mul_add_e_f32s(minus_b, w_imag[v], real[v]);
            imag[v] = simd.mul_add_e_f32s(b, w_real[v], imag[v]);
        }
    }
    y_real[o..][..V].copy_from_slice(&real);
    y_imag[o..][..V].copy_from_slice(&imag);
}
