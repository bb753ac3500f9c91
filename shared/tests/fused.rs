//! The operations that are one on the CPU against the same made of plain ones, with gradients, at sizes that fill no tile, no
//! vector and no run.
#![cfg(feature = "autodiff")]

mod cases;
mod reference;
mod tolerance;

use burn::module::Param;
use burn::tensor::{Device, Tensor};
use cases::{read, tensor};
use pno::nn::{SpectralConv, ops};
use pno::noise::mask::Rate;
use pno::spectral::{Fourier, Transform};
use reference::wave;
use tolerance::{Of, agree};

/// Seeded keys for some rows.
fn keys(rows: u32, device: &Device) -> ops::Keys {
    let keys: Vec<_> = (0..rows).map(|row| [row, 77]).collect();
    ops::Keys::new(&keys, device)
}

/// Leaves of a graph: smooth values with a scale, different for each phase.
fn leaf<const D: usize>(shape: [usize; D], scale: f64, phase: f64, device: &Device) -> Tensor<D> {
    let values = wave(shape.iter().product(), phase);
    let values: Vec<f64> = values.into_iter().map(|v| scale * v).collect();
    tensor(&values, shape, device).require_grad()
}

/// A loss that sees every value of an output with a weight of its own.
fn weighted(out: Tensor<3>) -> Tensor<1> {
    let shape = out.dims();
    let weights = tensor(&wave(shape.iter().product(), 5.0), shape, &out.device());
    (out * weights).sum()
}

#[test]
fn a_pointwise_mlp_as_one_operation_is_its_two_maps() {
    let device = Device::flex().autodiff();
    // Cases, members, points, in, hidden, out.
    let sizes = [
        [1, 1, 1, 1, 1, 1],
        [2, 3, 150, 3, 37, 20],
        [3, 2, 64, 5, 64, 4],
        [2, 1, 1030, 20, 128, 1],
        [1, 4, 70, 33, 40, 33],
    ];
    for [cases, members, points, inputs, hidden, outputs] in sizes {
        for rate in [0.0, 0.3] {
            let x = leaf([cases, points, inputs], 1.0, 1.0, &device);
            let (a, b) = (
                leaf([inputs, hidden], 0.7, 2.0, &device),
                leaf([hidden, outputs], 0.6, 3.0, &device),
            );
            let (a_bias, b_bias) = (
                leaf([hidden], 0.3, 4.0, &device),
                leaf([outputs], 0.2, 5.0, &device),
            );
            let keys = keys((cases * members) as u32, &device);
            let dropout = Some(ops::Dropout::new(&keys, Rate::new(rate)));
            let product = |x: Tensor<3>, weight: &Tensor<2>| {
                let [rows, points, channels] = x.dims();
                let out = weight.dims()[1];
                x.reshape([rows * points, channels])
                    .matmul(weight.clone())
                    .reshape([rows, points, out])
            };
            let active = ops::bias_dropout_gelu(product(x.clone(), &a), a_bias.clone(), dropout);
            let plain = product(active, &b) + b_bias.clone().unsqueeze();
            let hidden_map = (a.clone(), a_bias.clone());
            let output_map = (b.clone(), b_bias.clone());
            let fused = ops::pointwise_mlp(x.clone(), hidden_map, output_map, dropout);
            let name =
                format!("{cases} x {members} x {points}, {inputs}-{hidden}-{outputs}, {rate}");
            agree(&name, Of::F32, &read(fused.clone()), &read(plain.clone()));
            let (found, wanted) = (weighted(fused).backward(), weighted(plain).backward());
            let close = |what: &str, found: Option<Vec<f64>>, wanted: Option<Vec<f64>>| {
                let (found, wanted) = found.zip(wanted).expect("gradients");
                let about = format!("{name}, gradient of {what}");
                agree(&about, Of::GradientsF32, &found, &wanted);
            };
            close("x", x.grad(&found).map(read), x.grad(&wanted).map(read));
            close("A", a.grad(&found).map(read), a.grad(&wanted).map(read));
            close("B", b.grad(&found).map(read), b.grad(&wanted).map(read));
            close(
                "a",
                a_bias.grad(&found).map(read),
                a_bias.grad(&wanted).map(read),
            );
            close(
                "b",
                b_bias.grad(&found).map(read),
                b_bias.grad(&wanted).map(read),
            );
        }
    }
}

#[test]
fn a_block_as_one_operation_is_its_parts() {
    let device = Device::flex().autodiff();
    let grids: [(&[usize], &[usize]); 4] = [
        (&[33], &[9]),
        (&[20, 48], &[7, 12]),
        (&[4, 6, 10], &[3, 4, 6]),
        (&[3, 5], &[8, 8]),
    ];
    for (sizes, modes) in grids {
        for (inputs, outputs, rate, activate) in
            [(20, 20, 0.3, true), (5, 9, 0.0, true), (8, 16, 0.3, false)]
        {
            let rows = 3;
            let fourier = Fourier::new(sizes, modes, &device);
            let (points, kept) = (fourier.points_in(), fourier.modes());
            let axes = fourier.axes().expect("the same grid").clone();
            let transform = Transform::from(fourier);
            let v = leaf([rows, points, inputs], 1.0, 1.0, &device);
            let real = leaf([kept, inputs, outputs], 0.3, 2.0, &device);
            let imag = leaf([kept, inputs, outputs], 0.3, 3.0, &device);
            let skip = leaf([inputs, outputs], 0.4, 4.0, &device);
            let bias = leaf([outputs], 0.3, 5.0, &device);
            let keys = keys(rows as u32, &device);
            let dropout = Some(ops::Dropout::new(&keys, Rate::new(rate)));

            let conv = SpectralConv {
                real: Param::from_tensor(real.clone()),
                imag: Param::from_tensor(imag.clone()),
                bias: Param::from_tensor(bias.clone()),
            };
            let past = v
                .clone()
                .reshape([rows * points, inputs])
                .matmul(skip.clone());
            let z = conv.forward(v.clone(), &transform, dropout)
                + past.reshape([rows, points, outputs]);
            let plain = if activate {
                ops::bias_dropout_gelu(z, bias.clone(), None)
            } else {
                z + bias.clone().unsqueeze()
            };
            let fused = ops::spectral_block(
                v.clone(),
                (real.clone(), imag.clone()),
                skip.clone(),
                bias.clone(),
                (&axes, activate),
                dropout,
            );
            let name = format!("{sizes:?} with {modes:?}, {inputs} to {outputs}, {rate}");
            agree(&name, Of::F32, &read(fused.clone()), &read(plain.clone()));
            let (found, wanted) = (weighted(fused).backward(), weighted(plain).backward());
            let close = |what: &str, found: Option<Vec<f64>>, wanted: Option<Vec<f64>>| {
                let (found, wanted) = found.zip(wanted).expect("gradients");
                let about = format!("{name}, gradient of {what}");
                agree(&about, Of::GradientsF32, &found, &wanted);
            };
            close("v", v.grad(&found).map(read), v.grad(&wanted).map(read));
            close(
                "real",
                real.grad(&found).map(read),
                real.grad(&wanted).map(read),
            );
            close(
                "imag",
                imag.grad(&found).map(read),
                imag.grad(&wanted).map(read),
            );
            close(
                "skip",
                skip.grad(&found).map(read),
                skip.grad(&wanted).map(read),
            );
            close(
                "bias",
                bias.grad(&found).map(read),
                bias.grad(&wanted).map(read),
            );
        }
    }
}

/// Groups of tiles and of rows are added up in one order, whoever worked on them.
#[test]
#[cfg(feature = "parallel")]
fn the_number_of_threads_does_not_change_a_bit() {
    let device = Device::flex().autodiff();
    let gradients = |threads: usize| -> Vec<Vec<f64>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let fourier = Fourier::new(&[12, 20], &[6, 8], &device);
            let axes = fourier.axes().expect("the same grid").clone();
            let x = leaf([40, 240, 3], 1.0, 1.0, &device);
            let (a, b) = (
                leaf([3, 9], 0.7, 2.0, &device),
                leaf([9, 5], 0.6, 3.0, &device),
            );
            let (a_bias, b_bias) = (leaf([9], 0.3, 4.0, &device), leaf([5], 0.2, 5.0, &device));
            let modes = fourier.modes();
            let real = leaf([modes, 5, 5], 0.3, 2.0, &device);
            let imag = leaf([modes, 5, 5], 0.3, 3.0, &device);
            let skip = leaf([5, 5], 0.4, 4.0, &device);
            let keys = keys(40, &device);
            let dropout = Some(ops::Dropout::new(&keys, Rate::new(0.3)));
            let hidden = (a.clone(), a_bias.clone());
            let v = ops::pointwise_mlp(x, hidden, (b.clone(), b_bias.clone()), dropout);
            let (parts, tables) = ((real.clone(), imag.clone()), (&axes, true));
            let out = ops::spectral_block(v, parts, skip.clone(), b_bias, tables, dropout);
            let grads = weighted(out.clone()).backward();
            let mut found = vec![read(out)];
            found.extend([a, b, skip].map(|t| read(t.grad(&grads).expect("a gradient"))));
            found.extend([real, imag].map(|t| read(t.grad(&grads).expect("a gradient"))));
            found
        })
    };
    let alone = gradients(1);
    for threads in [2, 5] {
        assert_eq!(gradients(threads), alone, "{threads} threads");
    }
}
