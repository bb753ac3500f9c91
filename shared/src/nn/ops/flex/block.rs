//! A block as one operation: a row goes through transform, mixing, transform back, skip, bias and GELU while it is in the
//! cache, line by line of its last axis.
//!
//! The backward pass makes the row again instead of keeping what was between input and output. Gradients of weights are added
//! up in groups of rows whose bounds do not depend on the number of threads, so the result does not either.

mod backward;
mod forward;
mod walk;

use burn::backend::{
    Flex,
    tensor::{FloatTensor, IntTensor},
};
use burn_flex::FlexTensor;

use super::product::{Panels, padded};
use super::{floats, keys_from};
use crate::nn::ops::{BlockTables, SpectralOps};
use crate::noise::{
    Key,
    mask::{self, Rate},
};
use crate::spectral::axes::Axes;

/// Weights as they lie in tensors: `[modes, in, out]` twice, `[in, out]`, `[out]`.
struct Weights {
    /// Real part of the spectral weights.
    real: FlexTensor,
    /// Imaginary part.
    imag: FlexTensor,
    /// Pointwise skip.
    skip: FlexTensor,
    /// Added to every point.
    bias: FlexTensor,
}

impl Weights {
    fn contiguous(self) -> Self {
        Self {
            real: self.real.to_contiguous(),
            imag: self.imag.to_contiguous(),
            skip: self.skip.to_contiguous(),
            bias: self.bias.to_contiguous(),
        }
    }
}

/// One call: sizes, tables, packed weights.
struct Call<'a> {
    axes: &'a Axes,
    activate: bool,
    rate: Rate,
    keys: Vec<Key>,
    inputs: usize,
    outputs: usize,
    /// Both in whole vectors.
    wide_in: usize,
    wide_out: usize,
    /// `[modes, in, 2, wide_out]`.
    weights: Vec<f32>,
    skip: Panels,
    bias: Vec<f32>,
}

impl<'a> Call<'a> {
    fn new(weights: &Weights, keys: &FlexTensor, tables: &'a BlockTables) -> Self {
        let shape = weights.skip.layout().shape();
        let (inputs, outputs) = (shape[0], shape[1]);
        let (wide_in, wide_out) = (padded(inputs), padded(outputs));
        let (real, imag) = (floats(&weights.real), floats(&weights.imag));
        let modes = tables.axes.modes();
        let mut packed = vec![0.0; modes * inputs * 2 * wide_out];
        let rows = real.chunks_exact(outputs).zip(imag.chunks_exact(outputs));
        for (out, (real, imag)) in packed.chunks_exact_mut(2 * wide_out).zip(rows) {
            out[..outputs].copy_from_slice(real);
            out[wide_out..][..outputs].copy_from_slice(imag);
        }
        let skip = floats(&weights.skip);
        let mut bias = floats(&weights.bias).to_vec();
        bias.resize(wide_out, 0.0);
        Self {
            axes: &tables.axes,
            activate: tables.activate,
            rate: Rate::from_threshold(tables.mask.threshold),
            keys: keys_from(keys),
            inputs,
            outputs,
            wide_in,
            wide_out,
            weights: packed,
            skip: Panels::new(inputs, outputs, |row, column| skip[row * outputs + column]),
            bias,
        }
    }

    /// Points of the last axis.
    fn line(&self) -> usize {
        self.axes.last.size
    }

    fn points(&self) -> usize {
        self.axes.lines() * self.line()
    }

    /// Dropout factors of a row's coefficients, `[modes, wide_out]`.
    #[inline(always)]
    fn draw(&self, row: usize, flat: &mut [f32], factors: &mut [f32]) {
        if self.rate.is_none() {
            return;
        }
        mask::fill_from(self.keys[row], 0, self.rate, flat);
        let rows = factors.chunks_exact_mut(self.wide_out);
        for (out, row) in rows.zip(flat.chunks_exact(self.outputs)) {
            out[..self.outputs].copy_from_slice(row);
        }
    }
}

/// Rows of one length in rows of another, or the other way; what is beyond stays.
#[inline(always)]
fn copy_rows(from: &[f32], from_width: usize, to: &mut [f32], to_width: usize) {
    let width = from_width.min(to_width);
    let rows = to.chunks_exact_mut(to_width);
    for (to, from) in rows.zip(from.chunks_exact(from_width)) {
        to[..width].copy_from_slice(&from[..width]);
    }
}

impl SpectralOps for Flex {
    fn spectral_block(
        v: FloatTensor<Self>,
        real: FloatTensor<Self>,
        imag: FloatTensor<Self>,
        skip: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        tables: BlockTables,
    ) -> FloatTensor<Self> {
        let weights = Weights {
            real,
            imag,
            skip,
            bias,
        };
        forward::forward(&v, weights, &keys, &tables)
    }

    fn spectral_block_backward(
        v: FloatTensor<Self>,
        real: FloatTensor<Self>,
        imag: FloatTensor<Self>,
        skip: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        tables: BlockTables,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    ) {
        let weights = Weights {
            real,
            imag,
            skip,
            bias,
        };
        let (of_v, weights) = backward::backward(&v, weights, &keys, &grad, &tables);
        let Weights {
            real,
            imag,
            skip,
            bias,
        } = weights;
        (of_v, real, imag, skip, bias)
    }
}
