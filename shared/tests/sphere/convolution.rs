//! The convolution on the sphere, and its gradients.

use burn::module::Param;
use burn::tensor::{Device, Tensor};
use pno::nn::{SpectralConv, ops};
use pno::noise::mask::Rate;
use pno::sphere::Latitudes;

use crate::grids::{CHANNELS, ROWS, case, gap, pairs, read, synthesise, tensor, wave};

/// A convolution from `CHANNELS` to `out` channels.
fn conv(degrees: usize, out: usize, device: &Device) -> SpectralConv {
    let count = degrees * CHANNELS * out;
    let weight = |phase| tensor(&wave(count, phase), [degrees, CHANNELS, out], device);
    SpectralConv {
        real: Param::from_tensor(weight(0.0)),
        imag: Param::from_tensor(weight(1.0)),
        bias: Param::from_tensor(Tensor::zeros([out], device)),
    }
}

fn keys(device: &Device) -> ops::Keys {
    ops::Keys::new(&[[1, 2], [3, 4]], device)
}

#[test]
fn the_convolution_mixes_by_degree_and_drops_single_coefficients() {
    let case = case(Latitudes::Gauss, [9, 17], 9, 6);
    let (device, out, rate) = (Device::flex(), 2, Rate::new(0.3));
    let conv = conv(case.degrees, out, &device);
    let spectrum = case.spectrum();
    let field = synthesise(&case, &spectrum);
    let keys = keys(&device);
    let input = tensor(&field, [ROWS, case.points(), CHANNELS], &device);
    let output = conv.forward(
        input,
        &case.transform(&device),
        Some(ops::Dropout::new(&keys, rate)),
    );
    let found = read(case.transform(&device).analyse(output));

    let count = case.degrees * case.orders * out;
    let factors = read(ops::dropout_factors(&keys, count, rate));
    let (real, imag) = (read(conv.real.val()), read(conv.imag.val()));
    let mut wanted = vec![0.0; found.len()];
    for (l, m) in pairs(case.degrees, case.orders) {
        for (row, o) in (0..ROWS).flat_map(|row| (0..out).map(move |o| (row, o))) {
            let (mut re, mut im) = (0.0, 0.0);
            for i in 0..CHANNELS {
                let at = case.index(l, row, m, i);
                let (x, y) = (spectrum[at], spectrum[at + CHANNELS]);
                let w = (l * CHANNELS + i) * out + o;
                re += x * real[w] - y * imag[w];
                im += x * imag[w] + y * real[w];
            }
            let factor = factors[row * count + (l * case.orders + m) * out + o];
            let at = ((l * ROWS + row) * case.orders + m) * 2 * out + o;
            wanted[at] = re * factor;
            // The imaginary part of order zero has no effect on a real field.
            wanted[at + out] = if m == 0 { 0.0 } else { im * factor };
        }
    }
    let gap = gap(&found, &wanted);
    assert!(gap < 1e-5, "{gap}");
}

#[cfg(feature = "autodiff")]
#[test]
fn gradients_are_the_adjoint() {
    let case = case(Latitudes::Equiangular, [17, 12], 9, 5);
    let (device, out) = (Device::flex().autodiff(), 2);
    let conv = conv(case.degrees, out, &device);
    let keys = keys(&device);
    let transform = case.transform(&device);
    let field = |phase, channels| {
        let count = ROWS * case.points() * channels;
        tensor(
            &wave(count, phase),
            [ROWS, case.points(), channels],
            &device,
        )
    };
    let along = field(2.0, out);
    // Linear in the field and in the weights, so a derivative along a direction is the value there.
    let value = |conv: &SpectralConv, v: Tensor<3>| {
        let noise = Some(ops::Dropout::new(&keys, Rate::new(0.3)));
        (conv.forward(v, &transform, noise) * along.clone()).sum()
    };
    let scalar = |t: Tensor<1>| f64::from(t.into_scalar::<f32>());
    let v = field(0.0, CHANNELS).require_grad();
    let grads = value(&conv, v.clone()).backward();
    let agree = |found: Tensor<1>, wanted: Tensor<1>| {
        let (found, wanted) = (scalar(found), scalar(wanted));
        assert!(
            (found - wanted).abs() < 1e-4 * wanted.abs().max(1.0),
            "{found} and {wanted}"
        );
    };

    let direction = field(5.0, CHANNELS);
    let slope = v.grad(&grads).expect("a gradient") * direction.clone().inner();
    agree(slope.sum(), value(&conv, direction));
    let count = case.degrees * CHANNELS * out;
    let direction = tensor(&wave(count, 4.0), [case.degrees, CHANNELS, out], &device);
    let other = SpectralConv {
        real: Param::from_tensor(direction.clone()),
        imag: Param::from_tensor(Tensor::zeros([case.degrees, CHANNELS, out], &device)),
        bias: conv.bias.clone(),
    };
    let slope = conv.real.val().grad(&grads).expect("a gradient") * direction.inner();
    agree(slope.sum(), value(&other, v));
}
