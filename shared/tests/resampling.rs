//! Fourier transforms whose output grid differs from their input grid, against brute-force sums in one to three dimensions.
#![cfg(feature = "nn")]

use std::f64::consts::TAU;

use burn::tensor::{Device, Tensor, TensorData};
use pno::spectral::{Fourier, Resampling, Transform, half_frequencies, signed_frequencies};
use rustfft::num_complex::Complex;

const ROWS: usize = 2;
const CHANNELS: usize = 2;
const RULES: [Resampling; 2] = [Resampling::Signed, Resampling::Wrapped];

/// Input sizes, output sizes, modes: shrinking, growing, one axis only, even, odd and prime.
const CASES: &[(&[usize], &[usize], &[usize])] = &[
    (&[16], &[8], &[12]),
    (&[13], &[26], &[9]),
    (&[8], &[15], &[8]),
    (&[20], &[20], &[12]),
    (&[16, 16], &[8, 8], &[8, 8]),
    (&[8, 8], &[16, 16], &[8, 8]),
    (&[15, 13], &[7, 17], &[6, 5]),
    (&[20, 24], &[20, 18], &[4, 20]),
    (&[9, 12], &[11, 12], &[7, 6]),
    (&[6, 8, 10], &[6, 4, 5], &[4, 4, 6]),
    (&[5, 7, 6], &[10, 14, 12], &[5, 4, 6]),
    (&[7, 9, 11], &[5, 13, 9], &[3, 4, 5]),
];

fn wave(len: usize) -> Vec<f32> {
    (0..len)
        .map(|i| (0.7 * i as f32).sin() + (i % 7) as f32 * 0.1)
        .collect()
}

fn read(tensor: Tensor<3>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("f32")
}

/// All multi-indices of a box, the last axis fastest.
fn indices(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![vec![]], |all, &size| {
        all.iter()
            .flat_map(|index| (0..size).map(move |i| [index.as_slice(), &[i]].concat()))
            .collect()
    })
}

/// Kept frequencies of each axis.
fn frequencies(modes: &[usize]) -> Vec<Vec<i64>> {
    let (last, others) = modes.split_last().expect("an axis");
    let mut frequencies: Vec<_> = others.iter().map(|&n| signed_frequencies(n)).collect();
    frequencies.push(half_frequencies(*last));
    frequencies
}

/// One axis of one term: its factor at output point `x`, or nothing if the frequency does not arrive.
fn factor(
    k: i64,
    x: usize,
    (n_in, n_out): (usize, usize),
    last: bool,
    rule: Resampling,
) -> Option<Complex<f64>> {
    let (from, to) = (n_in as i64, n_out as i64);
    let (frequency, divisor) = match rule {
        Resampling::Signed => {
            if from != to && 2 * k.abs() >= from.min(to) {
                return None;
            }
            (k, n_in)
        }
        Resampling::Wrapped => {
            let r = if k < 0 { k + from } else { k };
            if (!last && r >= to) || (last && 2 * r > to) {
                return None;
            }
            (r, n_out)
        }
    };
    let pair = last && frequency != 0 && 2 * frequency != to;
    let weight = if pair { 2.0 } else { 1.0 } / divisor as f64;
    Some(weight * Complex::cis(TAU * (frequency * x as i64) as f64 / n_out as f64))
}

#[test]
fn a_resampled_field_is_the_brute_force_sum() {
    for (sizes_in, sizes_out, modes) in CASES {
        let frequencies = frequencies(modes);
        let kept: Vec<usize> = frequencies.iter().map(Vec::len).collect();
        let kept = indices(&kept);
        let spectrum = wave(kept.len() * ROWS * 2 * CHANNELS);
        for rule in RULES {
            let device = Device::flex();
            let transform: Transform =
                Fourier::resampling(sizes_in, sizes_out, modes, rule, &device).into();
            assert_eq!((transform.weights(), transform.orders()), (kept.len(), 1));
            let points = indices(sizes_out);
            assert_eq!(transform.points_out(), points.len());
            let data = TensorData::new(spectrum.clone(), [kept.len(), ROWS, 2 * CHANNELS]);
            let found = read(transform.synthesise(Tensor::from_data(data, &device)));
            assert_eq!(found.len(), ROWS * points.len() * CHANNELS);
            let last = modes.len() - 1;
            for (p, point) in points.iter().enumerate() {
                let mut sums = [[0.0; CHANNELS]; ROWS];
                for (mode, index) in kept.iter().enumerate() {
                    let factors = (0..=last).map(|axis| {
                        let sizes = (sizes_in[axis], sizes_out[axis]);
                        let k = frequencies[axis][index[axis]];
                        factor(k, point[axis], sizes, axis == last, rule)
                    });
                    let Some(factor) = factors.product::<Option<Complex<f64>>>() else {
                        continue;
                    };
                    for (row, sums) in sums.iter_mut().enumerate() {
                        for (channel, sum) in sums.iter_mut().enumerate() {
                            let at = (mode * ROWS + row) * 2 * CHANNELS + channel;
                            let (re, im) = (spectrum[at], spectrum[at + CHANNELS]);
                            *sum += (Complex::new(f64::from(re), f64::from(im)) * factor).re;
                        }
                    }
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (channel, wanted) in sums.iter().enumerate() {
                        let found = found[(row * points.len() + p) * CHANNELS + channel];
                        assert!(
                            (f64::from(found) - wanted).abs() < 1e-5,
                            "{sizes_in:?} to {sizes_out:?} {rule:?} at {point:?}: {found}, not {wanted}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_spectrum_is_that_of_the_input_grid() {
    for (sizes_in, sizes_out, modes) in CASES {
        let device = Device::flex();
        let points: usize = sizes_in.iter().product();
        let plain: Transform = Fourier::new(sizes_in, modes, &device).into();
        assert_eq!((plain.points_in(), plain.points_out()), (points, points));
        let field = || {
            let data = TensorData::new(wave(ROWS * points * CHANNELS), [ROWS, points, CHANNELS]);
            Tensor::from_data(data, &device)
        };
        for rule in RULES {
            let other: Transform =
                Fourier::resampling(sizes_in, sizes_out, modes, rule, &device).into();
            assert_eq!(other.points_in(), points);
            assert_eq!(read(other.analyse(field())), read(plain.analyse(field())));
        }
    }
}

#[test]
fn signed_resampling_of_a_smooth_field_samples_the_same_function() {
    let field = |sizes: &[usize]| -> Vec<f32> {
        indices(sizes)
            .iter()
            .map(|index| {
                let turns = |axis: usize| TAU * index[axis] as f64 / sizes[axis] as f64;
                let sum = 0.5
                    + (turns(0) - 2.0 * turns(1)).cos()
                    + 0.3 * (turns(0) + turns(1) + 0.4).sin();
                sum as f32
            })
            .collect()
    };
    let device = Device::flex();
    for (sizes_in, sizes_out) in [([12, 14], [6, 7]), ([9, 8], [16, 15]), ([8, 16], [11, 6])] {
        let transform: Transform =
            Fourier::resampling(&sizes_in, &sizes_out, &[6, 6], Resampling::Signed, &device).into();
        let data = TensorData::new(field(&sizes_in), [1, sizes_in[0] * sizes_in[1], 1]);
        let found = transform.synthesise(transform.analyse(Tensor::from_data(data, &device)));
        for (a, b) in read(found).iter().zip(field(&sizes_out)) {
            assert!(
                (a - b).abs() < 1e-5,
                "{sizes_in:?} to {sizes_out:?}: {a}, not {b}"
            );
        }
    }
}
