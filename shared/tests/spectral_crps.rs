//! The spectral CRPS against direct sums in f64, in boxes and on the sphere; its gradient; what it is for.
#![cfg(feature = "autodiff")]

mod cases;
mod reference;

use std::f64::consts::{PI, SQRT_2, TAU};

use burn::tensor::Device;
use cases::{gap, read, tensor};
use pno::nn::loss::spectral::{Band, FLOOR, Moments, Scales, Spectral};
use pno::noise::normal;
use pno::sphere::Latitudes;
use pno::task::{Domain, Grid};
use reference::{loss, sphere, wave};

const CASES: usize = 2;
const MEMBERS: usize = 3;
const CHANNELS: usize = 2;
const FACTOR: f64 = 0.7;

/// A coefficient of the reference: shell, how it counts, and its value for every channel of a field.
struct Coefficient {
    shell: usize,
    share: f64,
    values: Vec<f64>,
}

/// Every coefficient of the *whole* Fourier spectrum of a field `[points, channel]`: each of a conjugate pair counts half.
fn fourier(sizes: &[usize], half: &[usize], field: &[f64]) -> Vec<Coefficient> {
    let points: usize = sizes.iter().product();
    let most = *half.iter().max().expect("an axis");
    let position = |mut i: usize| {
        let mut at = vec![0; sizes.len()];
        for (axis, &size) in sizes.iter().enumerate().rev() {
            (at[axis], i) = (i % size, i / size);
        }
        at
    };
    let mut found = vec![];
    for k in (0..points).map(position) {
        let fold = |axis: usize| k[axis].min(sizes[axis] - k[axis]);
        let part = |axis: usize| match (fold(axis), half[axis]) {
            (0, _) => 0.0,
            (_, 0) => f64::INFINITY,
            (k, h) => (k as f64 / h as f64).powi(2),
        };
        let radius = (0..k.len()).map(part).sum::<f64>().sqrt();
        let shell = (most as f64 * radius).round();
        if radius.is_infinite() || shell > most as f64 {
            continue;
        }
        let lone = (0..k.len()).all(|axis| 2 * fold(axis) % sizes[axis] == 0);
        let mut parts = vec![vec![0.0; CHANNELS]; 2];
        for x in 0..points {
            let at = position(x);
            let turns = (0..k.len()).map(|axis| (k[axis] * at[axis]) as f64 / sizes[axis] as f64);
            let (sin, cos) = (TAU * turns.sum::<f64>()).sin_cos();
            for channel in 0..CHANNELS {
                let value = field[x * CHANNELS + channel] / points as f64;
                parts[0][channel] += value * cos;
                parts[1][channel] -= value * sin;
            }
        }
        for (part, values) in parts.into_iter().enumerate() {
            let (factor, share) = match (lone, part) {
                (true, 0) => (1.0, 1.0),
                (true, _) => continue,
                (false, _) => (SQRT_2, 0.5),
            };
            let values = values.iter().map(|value| factor * value).collect();
            let shell = shell as usize;
            found.push(Coefficient {
                shell,
                share,
                values,
            });
        }
    }
    found
}

/// Coefficients in the real spherical harmonics below a degree, of a field whose mean square is one for one of them.
fn harmonics(
    latitudes: Latitudes,
    sizes: [usize; 2],
    degrees: usize,
    field: &[f64],
) -> Vec<Coefficient> {
    let colatitudes = sphere::colatitudes(latitudes, sizes[0]);
    let weights = sphere::weights(&colatitudes);
    let mut found = vec![];
    for l in 0..degrees {
        for m in 0..=l {
            for part in 0..if m == 0 { 1 } else { 2 } {
                let mut values = vec![0.0; CHANNELS];
                for (k, &colatitude) in colatitudes.iter().enumerate() {
                    let p = sphere::legendre(l, m, colatitude);
                    let p = p * if m == 0 { 1.0 } else { SQRT_2 };
                    for j in 0..sizes[1] {
                        let (sin, cos) = (TAU * (m * j) as f64 / sizes[1] as f64).sin_cos();
                        let basis = p * if part == 0 { cos } else { -sin };
                        let area = weights[k] * TAU / sizes[1] as f64;
                        for (channel, value) in values.iter_mut().enumerate() {
                            let field = field[(k * sizes[1] + j) * CHANNELS + channel];
                            *value += basis * area * field / (4.0 * PI).sqrt();
                        }
                    }
                }
                found.push(Coefficient {
                    shell: l,
                    share: 1.0,
                    values,
                });
            }
        }
    }
    found
}

/// The reference's coefficients of a field.
type Analyse = Box<dyn Fn(&[f64]) -> Vec<Coefficient>>;

/// A grid, the modes, and the reference's coefficients of a field on it.
struct Place {
    name: &'static str,
    grid: Grid,
    modes: Vec<usize>,
    analyse: Analyse,
}

fn places() -> Vec<Place> {
    let boxed = |name, sizes: &'static [usize], modes: &[usize]| {
        let half: Vec<usize> = modes
            .iter()
            .zip(sizes)
            .map(|(&n, &s)| n.min(s) / 2)
            .collect();
        Place {
            name,
            grid: Grid::flat(sizes),
            modes: modes.to_vec(),
            analyse: Box::new(move |field: &[f64]| fourier(sizes, &half, field)),
        }
    };
    let round = |name, latitudes, sizes, degrees| Place {
        name,
        grid: Grid::sphere(latitudes, sizes),
        modes: vec![degrees, 2 * degrees],
        analyse: Box::new(move |field: &[f64]| harmonics(latitudes, sizes, degrees, field)),
    };
    vec![
        boxed("a line", &[16], &[10]),
        boxed("a line with all its waves", &[9], &[64]),
        boxed("a square", &[8, 10], &[6, 6]),
        boxed("a square with all its waves", &[6, 8], &[6, 8]),
        boxed("time and space", &[5, 12], &[4, 10]),
        boxed("a box", &[4, 5, 6], &[4, 4, 4]),
        round("circles with poles", Latitudes::Equiangular, [9, 12], 4),
        round("Gauss circles", Latitudes::Gauss, [5, 12], 5),
    ]
}

/// Root of the mean variance of the coefficients of every channel and shell over some fields, with the floor.
fn scales(place: &Place, fields: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let spectra: Vec<Vec<Coefficient>> = fields.iter().map(|f| (place.analyse)(f)).collect();
    let shells = 1 + spectra[0].iter().map(|c| c.shell).max().expect("some");
    let count = fields.len() as f64;
    let of = |channel: usize| {
        let (mut sums, mut shares) = (vec![0.0; shells], vec![0.0; shells]);
        for (i, coefficient) in spectra[0].iter().enumerate() {
            let values: Vec<f64> = spectra.iter().map(|s| s[i].values[channel]).collect();
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
            sums[coefficient.shell] += coefficient.share * variance;
            shares[coefficient.shell] += coefficient.share;
        }
        let least = FLOOR * (sums.iter().sum::<f64>() / place.grid.points() as f64).sqrt();
        let pairs = sums.iter().zip(&shares);
        pairs.map(|(sum, n)| (sum / n).sqrt().max(least)).collect()
    };
    (0..CHANNELS).map(of).collect()
}

/// The term by its formula, summed over cases.
fn by_definition(place: &Place, scales: &[Vec<f64>], members: &[f64], truths: &[f64]) -> f64 {
    let values = place.grid.points() * CHANNELS;
    let shells = scales[0].len();
    let mut sum = 0.0;
    for (members, truth) in members.chunks(MEMBERS * values).zip(truths.chunks(values)) {
        let truth = (place.analyse)(truth);
        let members: Vec<_> = members.chunks(values).map(|m| (place.analyse)(m)).collect();
        let mut shares = vec![0.0; shells];
        for c in &truth {
            shares[c.shell] += c.share;
        }
        for (i, coefficient) in truth.iter().enumerate() {
            let Coefficient {
                shell,
                share,
                values,
            } = coefficient;
            for channel in 0..CHANNELS {
                let drawn: Vec<Vec<f64>> = (members.iter())
                    .map(|m| vec![m[i].values[channel]])
                    .collect();
                let crps = loss::crps(&drawn, &[values[channel]], &[1.0]);
                let mean = shares[*shell] * (shells * CHANNELS) as f64;
                sum += FACTOR * share * crps / scales[channel][*shell] / mean;
            }
        }
    }
    sum
}

/// Smooth fields with some of every wave, each its own.
fn training(place: &Place) -> Vec<Vec<f64>> {
    let values = place.grid.points() * CHANNELS;
    (0..7)
        .map(|i| wave(values, 0.9 * f64::from(i * i)))
        .collect()
}

fn found(place: &Place, fields: &[Vec<f64>], device: &Device) -> (Band, Scales) {
    let band = Band::new(&place.grid, &place.modes, device);
    let (points, values) = (place.grid.points(), place.grid.points() * CHANNELS);
    let mut moments = Moments::new(&band, CHANNELS, points);
    for field in fields {
        let spectrum = band.of(tensor(field, [1, values], device));
        moments.push(&spectrum.into_data().try_to_vec::<f32>().expect("f32"));
    }
    let scales = moments.scales(&band);
    (band, scales)
}

#[test]
fn value_and_gradient_are_those_of_direct_sums() {
    let device = Device::flex().autodiff();
    for place in places() {
        let fields = training(&place);
        let wanted = scales(&place, &fields);
        let (_, scales) = found(&place, &fields, &Device::flex());
        for (channel, shells) in wanted.iter().enumerate() {
            let found: Vec<f64> = (0..shells.len()).map(|s| scales.of(channel, s)).collect();
            let error = found.iter().zip(shells).map(|(a, b)| (a / b - 1.0).abs());
            let error = error.fold(0.0, f64::max);
            assert!(error < 1e-4, "{}: units off by {error}", place.name);
        }
        let values = place.grid.points() * CHANNELS;
        let mut members = wave(CASES * MEMBERS * values, 0.4);
        let truths = wave(CASES * values, 2.0);
        let band = Band::new(&place.grid, &place.modes, &device);
        let term = Spectral::new(band, &scales, FACTOR as f32, &device);
        let given = tensor(&members, [CASES, MEMBERS, values], &device).require_grad();
        let loss = term.of(&given, &tensor(&truths, [CASES, values], &device));
        assert_eq!(loss.dims(), [CASES]);
        let loss = loss.sum();
        let value = by_definition(&place, &wanted, &members, &truths);
        let error = gap(&read(loss.clone()), &[value]) / value.abs().max(0.1);
        assert!(error < 1e-5, "{}: off by {error} of {value}", place.name);

        let gradient = given.grad(&loss.backward()).expect("a gradient");
        let gradient = read(gradient);
        let largest = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        // The term has corners: a small step seldom meets one.
        for entry in (0..members.len()).step_by(members.len() / 13) {
            let step = 1e-6;
            let mut at = |delta: f64| {
                let before = members[entry];
                members[entry] += delta;
                let value = by_definition(&place, &wanted, &members, &truths);
                members[entry] = before;
                value
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            let error = (slope - gradient[entry]).abs() / largest;
            assert!(
                error < 1e-4,
                "{}: slope {entry} is {} instead of {slope}",
                place.name,
                gradient[entry]
            );
        }
    }
}

/// Random fields on a line whose spectrum falls, with a factor for every wavenumber.
fn falling(points: usize, seed: u64, factor: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut normals = vec![0.0; points];
    normal::fill([seed as u32, 5], &mut normals);
    let mut field = vec![0.0; points];
    for k in 1..points / 2 {
        let size = factor(k) * (-0.25 * k as f64).exp();
        let [a, b] = [2 * k - 2, 2 * k - 1].map(|i| size * f64::from(normals[i]));
        for (x, value) in field.iter_mut().enumerate() {
            let (sin, cos) = (TAU * (k * x) as f64 / points as f64).sin_cos();
            *value += a * cos + b * sin;
        }
    }
    field.iter().flat_map(|&v| [v, v]).collect()
}

#[test]
fn members_without_fine_scales_or_with_noise_there_lose_where_the_pointwise_score_is_blind() {
    let (points, device) = (64, Device::flex());
    let place = Place {
        name: "a line",
        grid: Grid {
            sizes: vec![points],
            domain: Domain::Flat,
        },
        modes: vec![40],
        analyse: Box::new(|_| vec![]),
    };
    let climate: Vec<Vec<f64>> = (0..200)
        .map(|s| falling(points, 1000 + s, |_| 1.0))
        .collect();
    let (band, scales) = found(&place, &climate, &device);
    let term = Spectral::new(band, &scales, 1.0, &device);
    let (count, values) = (4, points * CHANNELS);
    let mean = |factor: &dyn Fn(usize) -> f64| {
        let cases = 200_u64;
        let (mut members, mut truths) = (vec![], vec![]);
        for case in 0..cases {
            truths.extend(falling(points, case, |_| 1.0));
            for member in 0..count {
                members.extend(falling(points, 10_000 + case * 10 + member, factor));
            }
        }
        let members = tensor(&members, [200, count as usize, values], &device);
        let loss = term.of(&members, &tensor(&truths, [200, values], &device));
        read(loss).iter().sum::<f64>() / 200.0
    };
    let right = mean(&|_| 1.0);
    // Climate of Gaussian fields, but for the mean, which is always zero: 21 shells.
    let wanted = 20.0 / 21.0 / PI.sqrt();
    assert!((right / wanted - 1.0).abs() < 0.05, "{right} for {wanted}");
    let damped = mean(&|k| if k > 8 { 0.1 } else { 1.0 });
    let rough = mean(&|k| if k > 8 { 3.0 } else { 1.0 });
    assert!(damped > 1.15 * right, "{damped} for {right}");
    assert!(rough > 1.15 * right, "{rough} for {right}");
}
