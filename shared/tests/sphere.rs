//! The spherical harmonic transform and the convolution on it: closed forms, Parseval, rotations, direct sums, gradients.
#![cfg(feature = "nn")]

use std::f64::consts::{PI, TAU};

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData};
use pno::nn::{SpectralConv, ops};
use pno::noise::mask::Rate;
use pno::spectral::{Spherical, Transform};
use pno::sphere::{Latitudes, legendre};

const ROWS: usize = 2;
const CHANNELS: usize = 3;

/// A grid, and how many degrees and orders to take on it.
struct Case {
    latitudes: Latitudes,
    grid: [usize; 2],
    degrees: usize,
    orders: usize,
}

const fn case(latitudes: Latitudes, grid: [usize; 2], degrees: usize, orders: usize) -> Case {
    Case {
        latitudes,
        grid,
        degrees,
        orders,
    }
}

/// Grids that carry all of their degrees and orders: even, odd and prime sizes, the paper's, and the fullest ones.
const CASES: &[Case] = &[
    case(Latitudes::Equiangular, [128, 256], 32, 16),
    case(Latitudes::Equiangular, [127, 255], 64, 40),
    case(Latitudes::Equiangular, [33, 40], 17, 10),
    case(Latitudes::Equiangular, [32, 64], 16, 16),
    case(Latitudes::Equiangular, [7, 5], 4, 3),
    case(Latitudes::Equiangular, [1, 4], 1, 1),
    case(Latitudes::Gauss, [128, 256], 128, 128),
    case(Latitudes::Gauss, [64, 129], 64, 64),
    case(Latitudes::Gauss, [31, 37], 31, 19),
    case(Latitudes::Gauss, [16, 31], 16, 8),
    case(Latitudes::Gauss, [1, 1], 1, 1),
];

impl Case {
    fn transform(&self, device: &Device) -> Transform {
        Spherical::new(self.latitudes, self.grid, self.degrees, self.orders, device).into()
    }

    fn points(&self) -> usize {
        self.grid[0] * self.grid[1]
    }

    /// Colatitude and longitude of every point.
    fn places(&self) -> Vec<(f64, f64)> {
        let [n_lat, n_lon] = self.grid;
        let longitude = |j| TAU * j as f64 / n_lon as f64;
        self.latitudes
            .colatitudes(n_lat)
            .into_iter()
            .flat_map(|theta| (0..n_lon).map(move |j| (theta, longitude(j))))
            .collect()
    }

    /// Place of a coefficient's real part; the imaginary one is `CHANNELS` further.
    fn index(&self, l: usize, row: usize, m: usize, channel: usize) -> usize {
        ((l * ROWS + row) * self.orders + m) * 2 * CHANNELS + channel
    }

    fn shape(&self) -> [usize; 3] {
        [self.degrees, ROWS * self.orders, 2 * CHANNELS]
    }

    /// Some spectrum of a real field, falling with the degree.
    fn spectrum(&self) -> Vec<f32> {
        let [degrees, lines, parts] = self.shape();
        let mut spectrum = vec![0.0; degrees * lines * parts];
        for (l, m) in pairs(degrees, self.orders) {
            for (row, channel) in pairs_of_fields() {
                let i = self.index(l, row, m, channel);
                let size = 1.0 / (1.0 + l as f32).sqrt();
                spectrum[i] = size * (i as f32 * 1.3 + 0.5).sin();
                if m > 0 {
                    spectrum[i + CHANNELS] = size * (i as f32 * 0.7 + 1.0).cos();
                }
            }
        }
        spectrum
    }
}

/// `(l, m)` of the coefficients that exist.
fn pairs(degrees: usize, orders: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..degrees).flat_map(move |l| (0..orders.min(l + 1)).map(move |m| (l, m)))
}

fn pairs_of_fields() -> impl Iterator<Item = (usize, usize)> {
    (0..ROWS).flat_map(|row| (0..CHANNELS).map(move |channel| (row, channel)))
}

/// `c_m`.
fn multiplicity(m: usize) -> f64 {
    if m == 0 { 1.0 } else { 2.0 }
}

fn tensor<const D: usize>(values: &[f32], shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("f32")
}

fn wave(len: usize, phase: f32) -> Vec<f32> {
    (0..len)
        .map(|i| (0.7 * i as f32 + phase).sin() + (i % 7) as f32 * 0.1)
        .collect()
}

/// Largest difference, relative to the largest wanted value.
fn gap(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    let largest = wanted.iter().fold(f32::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let gap = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    gap.fold(0.0, f32::max) / largest
}

fn analyse(case: &Case, field: &[f32]) -> Vec<f32> {
    let device = Device::flex();
    let field = tensor(field, [ROWS, case.points(), CHANNELS], &device);
    let spectrum = case.transform(&device).analyse(field);
    assert_eq!(spectrum.dims(), case.shape());
    read(spectrum)
}

fn synthesise(case: &Case, spectrum: &[f32]) -> Vec<f32> {
    let device = Device::flex();
    let spectrum = tensor(spectrum, case.shape(), &device);
    let field = case.transform(&device).synthesise(spectrum);
    assert_eq!(field.dims(), [ROWS, case.points(), CHANNELS]);
    read(field)
}

#[test]
fn band_limited_fields_survive_the_round_trip() {
    for case in CASES {
        let spectrum = case.spectrum();
        let field = synthesise(case, &spectrum);
        let found = analyse(case, &field);
        let (there, back) = (
            gap(&found, &spectrum),
            gap(&synthesise(case, &found), &field),
        );
        let name = format!("{} {:?}", case.latitudes, case.grid);
        println!("{name}: spectrum {there:.1e}, field {back:.1e}");
        assert!(there < 1e-5 && back < 1e-5, "{name}: {there} {back}");
    }
}

#[test]
fn synthesis_is_the_sum_over_harmonics() {
    for case in CASES.iter().filter(|case| case.points() < 2000) {
        let spectrum = case.spectrum();
        let (mut wanted, orders) = (vec![], case.orders);
        let places = case.places();
        for row in 0..ROWS {
            for &(theta, lambda) in &places {
                let p = legendre::functions(theta, case.degrees, orders);
                for channel in 0..CHANNELS {
                    let mut sum = 0.0;
                    for (l, m) in pairs(case.degrees, orders) {
                        let i = case.index(l, row, m, channel);
                        let (re, im) = (f64::from(spectrum[i]), f64::from(spectrum[i + CHANNELS]));
                        let (sin, cos) = (m as f64 * lambda).sin_cos();
                        sum += multiplicity(m) * p[m * case.degrees + l] * (re * cos - im * sin);
                    }
                    wanted.push(sum as f32);
                }
            }
        }
        let gap = gap(&synthesise(case, &spectrum), &wanted);
        assert!(gap < 2e-6, "{} {:?}: {gap}", case.latitudes, case.grid);
    }
}

#[test]
fn the_mean_square_over_the_sphere_is_that_of_the_coefficients() {
    for case in CASES {
        let spectrum = case.spectrum();
        let field = synthesise(case, &spectrum);
        let area = case.latitudes.area_weights(case.grid[0], case.grid[1]);
        for (row, channel) in pairs_of_fields() {
            let integral: f64 = (0..case.points())
                .map(|p| {
                    let value = field[(row * case.points() + p) * CHANNELS + channel];
                    area[p] * f64::from(value).powi(2)
                })
                .sum::<f64>()
                * (4.0 * PI / case.points() as f64);
            let squares: f64 = pairs(case.degrees, case.orders)
                .map(|(l, m)| {
                    let i = case.index(l, row, m, channel);
                    let (re, im) = (spectrum[i], spectrum[i + CHANNELS]);
                    multiplicity(m) * (f64::from(re).powi(2) + f64::from(im).powi(2))
                })
                .sum();
            let error = (integral - squares).abs();
            assert!(error < 2e-6 * squares, "{integral} and {squares}");
        }
    }
}

/// A function on the sphere and its only coefficient.
struct Harmonic {
    shape: fn(f64, f64) -> f64,
    degree: usize,
    order: usize,
    value: (f64, f64),
}

/// The first harmonics, from `P_11 = sqrt(3/8pi) sin` and its like: a pair `m > 0` has half of each amplitude.
fn harmonics() -> Vec<Harmonic> {
    let harmonic = |degree, order, value, shape| Harmonic {
        shape,
        degree,
        order,
        value,
    };
    let root = |x: f64| (x * PI).sqrt();
    vec![
        harmonic(0, 0, (root(4.0), 0.0), |_, _| 1.0),
        harmonic(1, 0, (root(4.0 / 3.0), 0.0), |t, _| t.cos()),
        harmonic(1, 1, (root(2.0 / 3.0), 0.0), |t, l| t.sin() * l.cos()),
        harmonic(1, 1, (0.0, -root(2.0 / 3.0)), |t, l| t.sin() * l.sin()),
        harmonic(2, 0, (root(16.0 / 5.0), 0.0), |t, _| {
            3.0 * t.cos().powi(2) - 1.0
        }),
        harmonic(2, 1, (0.0, -root(2.0 / 15.0)), |t, l| {
            t.sin() * t.cos() * l.sin()
        }),
        harmonic(2, 2, (root(8.0 / 15.0), 0.0), |t, l| {
            t.sin().powi(2) * (2.0 * l).cos()
        }),
        harmonic(3, 2, (root(8.0 / 105.0), 0.0), |t, l| {
            t.sin().powi(2) * t.cos() * (2.0 * l).cos()
        }),
        harmonic(3, 3, (0.0, -root(16.0 / 35.0)), |t, l| {
            t.sin().powi(3) * (3.0 * l).sin()
        }),
    ]
}

#[test]
fn single_harmonics_have_their_one_coefficient() {
    let grids = CASES
        .iter()
        .filter(|case| case.degrees > 3 && case.orders > 3);
    for case in grids {
        for harmonic in harmonics() {
            let places = case.places();
            let mut field = vec![0.0; ROWS * case.points() * CHANNELS];
            // In one row and channel only, to see that none reaches its neighbours.
            let (row, channel) = (1, 1);
            for (p, &(theta, lambda)) in places.iter().enumerate() {
                field[(row * places.len() + p) * CHANNELS + channel] =
                    (harmonic.shape)(theta, lambda) as f32;
            }
            let mut wanted = vec![0.0; case.spectrum().len()];
            let i = case.index(harmonic.degree, row, harmonic.order, channel);
            (wanted[i], wanted[i + CHANNELS]) = (harmonic.value.0 as f32, harmonic.value.1 as f32);
            let gap = gap(&analyse(case, &field), &wanted);
            assert!(
                gap < 2e-6,
                "{} {:?}: Y_{} {} is off by {gap}",
                case.latitudes,
                case.grid,
                harmonic.degree,
                harmonic.order
            );
        }
    }
}

#[test]
fn a_rotation_about_the_axis_is_a_phase() {
    for case in CASES {
        let [n_lat, n_lon] = case.grid;
        let shift = n_lon / 3;
        let alpha = TAU * shift as f64 / n_lon as f64;
        let field = wave(ROWS * case.points() * CHANNELS, 0.0);
        let mut turned = vec![0.0; field.len()];
        for circle in 0..ROWS * n_lat {
            for j in 0..n_lon {
                let to = (circle * n_lon + (j + shift) % n_lon) * CHANNELS;
                let from = (circle * n_lon + j) * CHANNELS;
                turned[to..to + CHANNELS].copy_from_slice(&field[from..from + CHANNELS]);
            }
        }
        let (mut wanted, found) = (analyse(case, &field), analyse(case, &turned));
        for (l, m) in pairs(case.degrees, case.orders) {
            for (row, channel) in pairs_of_fields() {
                let i = case.index(l, row, m, channel);
                let (re, im) = (wanted[i], wanted[i + CHANNELS]);
                let (sin, cos) = (m as f64 * alpha).sin_cos();
                let (sin, cos) = (sin as f32, cos as f32);
                wanted[i] = re * cos + im * sin;
                wanted[i + CHANNELS] = im * cos - re * sin;
            }
        }
        let gap = gap(&found, &wanted);
        assert!(gap < 5e-6, "{} {:?}: {gap}", case.latitudes, case.grid);
    }
}

#[test]
fn a_coarse_grid_leaves_out_what_it_cannot_carry() {
    for (latitudes, n_lat, carried) in [(Latitudes::Equiangular, 16, 8), (Latitudes::Gauss, 8, 8)] {
        // 32 degrees and 16 orders were trained; the grid carries 8 degrees, and orders up to 5.
        let coarse = case(latitudes, [n_lat, 10], 32, 16);
        let found = analyse(&coarse, &wave(ROWS * coarse.points() * CHANNELS, 0.3));
        for (l, m) in pairs(32, 16).filter(|&(l, m)| l >= carried || m > 5) {
            assert_eq!(found[coarse.index(l, 0, m, 0)], 0.0, "{l} {m}");
        }
        let again = analyse(&coarse, &synthesise(&coarse, &found));
        assert!(gap(&again, &found) < 1e-5, "{latitudes}");
    }
}

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
