//! The truncated DFT against rustfft, in one to three dimensions: prime, odd and even sizes, odd mode counts.
#![cfg(feature = "nn")]

use burn::tensor::{Device, Tensor, TensorData};
use pno::spectral::{Fourier, half_frequencies, signed_frequencies};
use rustfft::{FftPlanner, num_complex::Complex};

const CHANNELS: usize = 2;

/// Shapes and modes to try.
const CASES: &[(&[usize], &[usize])] = &[
    (&[20, 256], &[10, 12]),
    (&[64, 64], &[12, 12]),
    (&[20, 30], &[7, 5]),
    (&[13, 17], &[5, 6]),
    (&[8, 8], &[8, 8]),
    (&[7, 9], &[7, 9]),
    (&[15, 21], &[6, 7]),
    (&[31], &[9]),
    (&[16], &[16]),
    (&[15], &[6]),
    (&[10, 12, 14], &[4, 5, 6]),
    (&[10, 16, 22], &[10, 12, 12]),
    (&[5, 7, 11], &[3, 4, 5]),
    (&[9, 15, 21], &[9, 7, 8]),
    (&[8, 9, 7], &[3, 4, 7]),
];

fn values(len: usize) -> Vec<f32> {
    (0..len)
        .map(|i| (0.7 * i as f32).sin() + (i % 7) as f32 * 0.1)
        .collect()
}

/// FFT of one axis of a complex field, in place.
fn fft_axis(field: &mut [Complex<f64>], sizes: &[usize], axis: usize, inverse: bool) {
    let stride: usize = sizes[axis + 1..].iter().product();
    let n = sizes[axis];
    let fft = if inverse {
        FftPlanner::new().plan_fft_inverse(n)
    } else {
        FftPlanner::new().plan_fft_forward(n)
    };
    for start in (0..field.len()).filter(|i| (i / stride).is_multiple_of(n)) {
        let mut line: Vec<_> = (0..n).map(|j| field[start + j * stride]).collect();
        fft.process(&mut line);
        for (j, value) in line.into_iter().enumerate() {
            field[start + j * stride] = value;
        }
    }
}

/// Flat index of a kept mode in the full spectrum, for all modes in weight order.
fn kept(sizes: &[usize], modes: &[usize]) -> Vec<usize> {
    let last = sizes.len() - 1;
    let mut indices = vec![0];
    for (axis, (&n, &m)) in sizes.iter().zip(modes).enumerate() {
        let frequencies = if axis == last {
            half_frequencies(m)
        } else {
            signed_frequencies(m)
        };
        indices = indices
            .iter()
            .flat_map(|&i| {
                frequencies
                    .iter()
                    .map(move |k| i * n + k.rem_euclid(n as i64) as usize)
            })
            .collect();
    }
    indices
}

#[test]
fn the_kept_spectrum_is_that_of_rustfft() {
    for (sizes, modes) in CASES {
        let points: usize = sizes.iter().product();
        let field = values(points * CHANNELS);
        let plan = Fourier::new(sizes, modes, &Device::flex());
        let data = TensorData::new(field.clone(), [1, points, CHANNELS]);
        let found: Vec<f32> = plan
            .spectrum_from_grid(Tensor::from_data(data, &Device::flex()))
            .into_data()
            .try_to_vec()
            .expect("f32");
        let indices = kept(sizes, modes);
        let scale = points as f64;
        for channel in 0..CHANNELS {
            let mut full: Vec<Complex<f64>> = (0..points)
                .map(|p| Complex::new(f64::from(field[p * CHANNELS + channel]), 0.0))
                .collect();
            for axis in 0..sizes.len() {
                fft_axis(&mut full, sizes, axis, false);
            }
            for (mode, &index) in indices.iter().enumerate() {
                let re = f64::from(found[mode * CHANNELS + channel]);
                let im = f64::from(found[(indices.len() + mode) * CHANNELS + channel]);
                let error = (Complex::new(re, im) - full[index]).norm() / scale;
                assert!(
                    error < 1e-5,
                    "{sizes:?} {modes:?} mode {mode}: {re} {im} instead of {}",
                    full[index]
                );
            }
        }
    }
}

/// Inverse of a half spectrum as a complex-to-real FFT does it: other axes first, then the last with its imaginary zero mode discarded.
fn inverse(spectrum: &[Complex<f64>], sizes: &[usize], modes: &[usize]) -> Vec<f64> {
    let points: usize = sizes.iter().product();
    let last = sizes.len() - 1;
    let mut full = vec![Complex::default(); points];
    for (&index, &value) in kept(sizes, modes).iter().zip(spectrum) {
        full[index] = value;
    }
    for axis in 0..last {
        fft_axis(&mut full, sizes, axis, true);
    }
    let n = sizes[last];
    for line in full.chunks_mut(n) {
        line[0].im = 0.0;
        if n.is_multiple_of(2) {
            line[n / 2].im = 0.0;
        }
        for k in 1..n.div_ceil(2) {
            line[n - k] = line[k].conj();
        }
    }
    fft_axis(&mut full, sizes, last, true);
    full.into_iter().map(|z| z.re / points as f64).collect()
}

fn grid_of(spectrum: &[Complex<f64>], sizes: &[usize], modes: &[usize]) -> Vec<f32> {
    let parts: Vec<f32> = spectrum
        .iter()
        .map(|z| z.re as f32)
        .chain(spectrum.iter().map(|z| z.im as f32))
        .collect();
    let data = TensorData::new(parts, [1, 2, spectrum.len()]);
    Fourier::new(sizes, modes, &Device::flex())
        .grid_from_spectrum(Tensor::from_data(data, &Device::flex()))
        .into_data()
        .try_to_vec()
        .expect("f32")
}

#[test]
fn any_half_spectrum_gives_the_field_of_rustfft() {
    for (sizes, modes) in CASES {
        let count = kept(sizes, modes).len();
        let noise = values(2 * count);
        let spectrum: Vec<_> = noise
            .chunks(2)
            .map(|c| Complex::new(f64::from(c[0]), f64::from(c[1])))
            .collect();
        let wanted = inverse(&spectrum, sizes, modes);
        let largest = wanted.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (a, b) in grid_of(&spectrum, sizes, modes).iter().zip(&wanted) {
            assert!(
                (f64::from(*a) - b).abs() < 1e-5 * largest.max(1.0),
                "{sizes:?} {modes:?}: {a} and {b}"
            );
        }
    }
}

#[test]
fn an_imaginary_zero_mode_does_not_change_the_output() {
    let (sizes, modes) = ([20, 256], [10, 12]);
    let zero = kept(&sizes, &modes)
        .iter()
        .position(|&i| i == 0)
        .expect("kept");
    let mut spectrum = vec![Complex::new(0.0, 0.0); 70];
    spectrum[zero] = Complex::new(0.0, 3.0);
    assert!(
        grid_of(&spectrum, &sizes, &modes)
            .iter()
            .all(|v| v.abs() < 1e-7)
    );
}

#[test]
fn a_band_limited_field_survives_the_round_trip() {
    let (sizes, modes) = ([12, 18], [12, 18]);
    let field = values(12 * 18);
    let data = TensorData::new(field.clone(), [1, 12 * 18, 1]);
    let plan = Fourier::new(&sizes, &modes, &Device::flex());
    let spectrum = plan.spectrum_from_grid(Tensor::from_data(data, &Device::flex()));
    let back: Vec<f32> = plan
        .grid_from_spectrum(spectrum)
        .into_data()
        .try_to_vec()
        .expect("f32");
    for (a, b) in field.iter().zip(&back) {
        assert!((a - b).abs() < 1e-5, "{a} and {b}");
    }
}

#[test]
fn three_dimensions_are_three_nested_sums() {
    let (sizes, modes) = ([6, 5, 9], [4, 5, 6]);
    let field = values(6 * 5 * 9);
    let data = TensorData::new(field.clone(), [1, field.len(), 1]);
    let plan = Fourier::new(&sizes, &modes, &Device::flex());
    let found: Vec<f32> = plan
        .spectrum_from_grid(Tensor::from_data(data, &Device::flex()))
        .into_data()
        .try_to_vec()
        .expect("f32");
    // One axis after the other, the last first: [outer, n, inner] becomes [outer, kept, inner].
    let mut nested: Vec<Complex<f64>> = field.iter().map(|&v| f64::from(v).into()).collect();
    let frequencies = [
        signed_frequencies(4),
        signed_frequencies(5),
        half_frequencies(6),
    ];
    let mut inner = 1;
    for (n, frequencies) in sizes.into_iter().zip(frequencies).rev() {
        let mut next = vec![];
        for block in nested.chunks(n * inner) {
            for &k in &frequencies {
                next.extend((0..inner).map(|i| -> Complex<f64> {
                    let term = |x: usize| {
                        let turns = k as f64 * x as f64 / n as f64;
                        block[x * inner + i] * Complex::cis(-std::f64::consts::TAU * turns)
                    };
                    (0..n).map(term).sum()
                }));
            }
        }
        inner *= frequencies.len();
        nested = next;
    }
    for (mode, wanted) in nested.iter().enumerate() {
        let (re, im) = (found[mode], found[nested.len() + mode]);
        let error = (Complex::new(f64::from(re), f64::from(im)) - wanted).norm();
        assert!(error < 1e-4, "mode {mode}: {re} {im} instead of {wanted}");
    }
}
