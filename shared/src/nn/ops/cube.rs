//! Every GPU runtime (WebGPU, Vulkan, Metal, CUDA): one kernel source, the same bits as the CPU.

mod launch;

use burn::backend::{
    TensorMetadata,
    ops::FloatTensorOps,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Shape};
use burn_cubecl::{
    CubeBackend, kernel::into_contiguous, ops::numeric::empty_device_contiguous_dtype,
    tensor::CubeTensor,
};
use cubecl::prelude::*;
use cubecl::std::tensor::layout::linear::{LinearView, LinearViewMut};

use launch::geometry;

use super::{Mask, NoiseOps};
use crate::nn::gelu::{ERF_DENOMINATOR, ERF_NUMERATOR, INV_SQRT_TAU};
use crate::noise::{
    PARITY,
    mask::{RUN, Rate},
    normal::{CENTRE, TAIL},
};

/// Blocks of a run: one unit works on the four elements of one block.
const UNITS_PER_RUN: usize = RUN / 4;

#[derive(CubeType, Clone, Copy)]
struct Block {
    a: u32,
    b: u32,
}

#[cube]
fn mix(block: Block, #[comptime] rotation: u32) -> Block {
    let a = block.a + block.b;
    let rotated = (block.b << rotation) | (block.b >> comptime!(32 - rotation));
    Block { a, b: rotated ^ a }
}

#[cube]
fn even_rounds(block: Block) -> Block {
    mix(mix(mix(mix(block, 13u32), 15u32), 26u32), 6u32)
}

#[cube]
fn odd_rounds(block: Block) -> Block {
    mix(mix(mix(mix(block, 17u32), 29u32), 16u32), 24u32)
}

#[cube]
fn inject(block: Block, k0: u32, k1: u32, #[comptime] group: u32) -> Block {
    Block {
        a: block.a + k0,
        b: block.b + k1 + group,
    }
}

/// [`crate::noise::threefry`] with counter `(counter, 0)`.
#[cube]
fn threefry(k0: u32, k1: u32, counter: u32) -> Block {
    let k2 = PARITY ^ k0 ^ k1;
    let block = Block {
        a: counter + k0,
        b: k1,
    };
    let block = inject(even_rounds(block), k1, k2, 1u32);
    let block = inject(odd_rounds(block), k2, k0, 2u32);
    let block = inject(even_rounds(block), k0, k1, 3u32);
    let block = inject(odd_rounds(block), k1, k2, 4u32);
    inject(even_rounds(block), k2, k0, 5u32)
}

/// The 16 bits of lane 0 to 3 of a block.
#[cube]
fn lane_bits(a: u32, b: u32, #[comptime] lane: usize) -> u32 {
    let word = if comptime!(lane < 2) { a } else { b };
    if comptime!(lane.is_multiple_of(2)) {
        word & 0xffffu32
    } else {
        word >> 16u32
    }
}

#[cube]
fn polynomial<const N: usize>(x: f32, #[comptime] coefficients: [f32; N]) -> f32 {
    let mut sum = f32::new(coefficients[0]);
    #[unroll]
    for i in 1..comptime!(N) {
        sum = sum * x + comptime!(coefficients[i]);
    }
    sum
}

/// `1 + erf(x / sqrt 2)`, the formula of [`crate::nn::gelu`].
#[cube]
fn one_plus_erf(x: f32) -> f32 {
    let x = clamp(
        x * f32::new(std::f32::consts::FRAC_1_SQRT_2),
        -4.0f32,
        4.0f32,
    );
    let s = x * x;
    1.0f32
        + x * polynomial::<7>(s, comptime!(ERF_NUMERATOR))
            / polynomial::<5>(s, comptime!(ERF_DENOMINATOR))
}

#[cube]
fn slope(x: f32) -> f32 {
    let power = max(-0.5f32 * x * x, -87.0f32);
    0.5f32 * one_plus_erf(x) + x * f32::new(INV_SQRT_TAU) * power.exp()
}

/// Walks the four elements of one block of one row. `backward` multiplies `out` (a gradient) instead of replacing it.
/// `repeat` consecutive rows share one case of `x`; the mask begins at its block `first_unit`.
#[cube(launch)]
fn bias_dropout_gelu_kernel(
    x: LinearView<'_, f32>,
    bias: LinearView<'_, f32>,
    keys: LinearView<'_, i32>,
    mut out: LinearViewMut<'_, f32>,
    hidden: u32,
    length: u32,
    units_per_row: u32,
    repeat: u32,
    first_unit: u32,
    threshold: u32,
    scale: f32,
    #[comptime] masked: bool,
    #[comptime] backward: bool,
) {
    let unit = ABSOLUTE_POS as u32;
    let row = unit / units_per_row;
    if (row * length) as usize >= out.shape() {
        terminate!();
    }
    let in_row = unit % units_per_row;
    let per_run = comptime!(UNITS_PER_RUN as u32);
    let first = (in_row / per_run) * comptime!(RUN as u32) + in_row % per_run;
    let mut a = 0u32;
    let mut b = 0u32;
    if comptime!(masked) {
        let k0 = u32::cast_from(keys.read((row * 2) as usize));
        let k1 = u32::cast_from(keys.read((row * 2 + 1) as usize));
        let block = threefry(k0, k1, first_unit + in_row);
        a = block.a;
        b = block.b;
    }
    #[unroll]
    for lane in 0..4usize {
        let position = first + comptime!((lane * UNITS_PER_RUN) as u32);
        if position < length {
            let index = (row * length + position) as usize;
            let source = (row / repeat * length + position) as usize;
            let mut z = x.read(source) + bias.read((position % hidden) as usize);
            let mut factor = f32::new(1.0);
            if comptime!(masked) {
                factor = select(lane_bits(a, b, lane) < threshold, 0.0f32, scale);
                z *= factor;
            }
            if comptime!(backward) {
                out.write(index, out.read(index) * slope(z) * factor);
            } else {
                out.write(index, 0.5f32 * z * one_plus_erf(z));
            }
        }
    }
}

#[cube(launch)]
fn dropout_factors_kernel(
    keys: LinearView<'_, i32>,
    mut out: LinearViewMut<'_, f32>,
    count: u32,
    units_per_row: u32,
    threshold: u32,
    scale: f32,
) {
    let unit = ABSOLUTE_POS as u32;
    let row = unit / units_per_row;
    if (row * count) as usize >= out.shape() {
        terminate!();
    }
    let in_row = unit % units_per_row;
    let per_run = comptime!(UNITS_PER_RUN as u32);
    let first = (in_row / per_run) * comptime!(RUN as u32) + in_row % per_run;
    let k0 = u32::cast_from(keys.read((row * 2) as usize));
    let k1 = u32::cast_from(keys.read((row * 2 + 1) as usize));
    let block = threefry(k0, k1, in_row);
    let a = block.a;
    let b = block.b;
    #[unroll]
    for lane in 0..4usize {
        let position = first + comptime!((lane * UNITS_PER_RUN) as u32);
        if position < count {
            let factor = select(lane_bits(a, b, lane) < threshold, 0.0f32, scale);
            out.write((row * count + position) as usize, factor);
        }
    }
}

/// [`crate::noise::normal::normal_from_bits`].
#[cube]
fn normal_from_bits(bits: u32) -> f32 {
    let odd = ((bits >> 9u32) << 1u32) | 1u32;
    let x = f32::cast_from(odd) * f32::new(1.0 / 8_388_608.0) - 1.0f32;
    let w = -((1.0f32 - x) * (1.0f32 + x)).ln();
    let centre = polynomial::<9>(w - 2.5f32, comptime!(CENTRE));
    let tail = polynomial::<9>(w.sqrt() - 3.0f32, comptime!(TAIL));
    f32::new(std::f32::consts::SQRT_2) * select(w < 5.0f32, centre, tail) * x
}

#[cube(launch)]
fn normals_kernel(
    keys: LinearView<'_, i32>,
    mut out: LinearViewMut<'_, f32>,
    count: u32,
    units_per_row: u32,
) {
    let unit = ABSOLUTE_POS as u32;
    let row = unit / units_per_row;
    if (row * count) as usize >= out.shape() {
        terminate!();
    }
    let in_row = unit % units_per_row;
    let k0 = u32::cast_from(keys.read((row * 2) as usize));
    let k1 = u32::cast_from(keys.read((row * 2 + 1) as usize));
    let block = threefry(k0, k1, in_row);
    let position = in_row * 2;
    let index = (row * count + position) as usize;
    out.write(index, normal_from_bits(block.a));
    if position + 1 < count {
        out.write(index + 1, normal_from_bits(block.b));
    }
}

impl NoiseOps for CubeBackend {
    fn bias_dropout_gelu(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        mask: Mask,
    ) -> FloatTensor<Self> {
        let [_, points, hidden] = x.shape().dims();
        let out = empty_like(&x, Shape::new([keys.shape()[0], points, hidden]));
        launch_gelu(x, bias, keys, out, mask, false)
    }

    fn bias_dropout_gelu_backward(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        keys: IntTensor<Self>,
        grad: FloatTensor<Self>,
        mask: Mask,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        // The kernel multiplies in place, so a gradient that somebody else holds is copied.
        let grad = into_contiguous(grad);
        let grad = if grad.can_mut() { grad } else { grad.copy() };
        let [cases, points, hidden] = x.shape().dims();
        let repeat = keys.shape()[0] / cases;
        let grad = launch_gelu(x, bias, keys, into_contiguous(grad), mask, true);
        let sums = Self::float_sum_dim(Self::float_sum_dim(grad.clone(), 0), 1);
        let bias_grad = Self::float_reshape(sums, Shape::new([hidden]));
        let per_case = Self::float_reshape(grad, Shape::new([cases, repeat, points * hidden]));
        let grad = Self::float_sum_dim(per_case, 1);
        (
            Self::float_reshape(grad, Shape::new([cases, points, hidden])),
            bias_grad,
        )
    }

    fn dropout_factors(keys: IntTensor<Self>, count: usize, threshold: u32) -> FloatTensor<Self> {
        let keys = into_contiguous(keys);
        let rows = keys.shape()[0];
        let out = empty_like(&keys, Shape::new([rows, count]));
        let units_per_row = count.div_ceil(RUN) * UNITS_PER_RUN;
        let (cubes, dim) = geometry(&out, rows, units_per_row, count);
        dropout_factors_kernel::launch(
            &out.client,
            cubes,
            dim,
            keys.into_linear_view(),
            out.clone().into_linear_view(),
            count as u32,
            units_per_row as u32,
            threshold,
            Rate::from_threshold(threshold).scale(),
        );
        out
    }

    fn normals(keys: IntTensor<Self>, count: usize) -> FloatTensor<Self> {
        let keys = into_contiguous(keys);
        let rows = keys.shape()[0];
        let out = empty_like(&keys, Shape::new([rows, count]));
        let units_per_row = count.div_ceil(2);
        let (cubes, dim) = geometry(&out, rows, units_per_row, count);
        normals_kernel::launch(
            &out.client,
            cubes,
            dim,
            keys.into_linear_view(),
            out.clone().into_linear_view(),
            count as u32,
            units_per_row as u32,
        );
        out
    }
}

fn launch_gelu(
    x: CubeTensor,
    bias: CubeTensor,
    keys: CubeTensor,
    out: CubeTensor,
    mask: Mask,
    backward: bool,
) -> CubeTensor {
    let [cases, points, hidden] = x.shape().dims();
    let rows = keys.shape()[0];
    let length = points * hidden;
    let units_per_row = length.div_ceil(RUN) * UNITS_PER_RUN;
    let (cubes, dim) = geometry(&out, rows, units_per_row, length);
    bias_dropout_gelu_kernel::launch(
        &out.client,
        cubes,
        dim,
        into_contiguous(x).into_linear_view(),
        into_contiguous(bias).into_linear_view(),
        into_contiguous(keys).into_linear_view(),
        out.clone().into_linear_view(),
        hidden as u32,
        length as u32,
        units_per_row as u32,
        (rows / cases) as u32,
        // As on the CPU, whose counters wrap where a row has more than 2^34 elements.
        mask.first_run.wrapping_mul(UNITS_PER_RUN as u32),
        mask.threshold,
        Rate::from_threshold(mask.threshold).scale(),
        mask.threshold > 0,
        backward,
    );
    out
}

fn empty_like(tensor: &CubeTensor, shape: Shape) -> CubeTensor {
    empty_device_contiguous_dtype(
        tensor.client.clone(),
        tensor.device.clone(),
        shape,
        DType::F32,
    )
}
