//! An operator maps functions, not arrays: a band-limited input gives the same function at any resolution.
//!
//! Whole networks with fresh weights, both heads. Grids are fine enough for what the GELUs make of the input.
#![cfg(feature = "nn")]

mod cases;
mod reference;

use std::f64::consts::TAU;

use burn::tensor::Device;
use cases::{gap, read, tensor};
use pno::nn::{Network, Plan};
use pno::spec::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::Grid;
use reference::{sphere, std};

/// Largest difference, in units of the output's standard deviation.
const TOLERANCE: f64 = 1e-4;

fn spec(operator: Operator, profile: Profile) -> ModelSpec {
    ModelSpec {
        experiment: Experiment::Darcy,
        method: Method::PnoR,
        operator,
        profile,
        in_channels: 3,
        out_channels: 2,
        width: 8,
        lifting: 24,
        projection: 24,
        layers: 4,
        modes: vec![],
        levels: vec![],
        dropout: 0.0,
        fourier_dropout: 0.0,
        networks: 1,
        output: Output::Field,
        mlp: 0,
        noise: vec![],
        observed: None,
    }
}

fn fno(modes: &[usize]) -> ModelSpec {
    ModelSpec {
        modes: modes.to_vec(),
        ..spec(Operator::Fno, Profile::Fixed)
    }
}

/// Down and up again on both axes, with skips between grids of different sizes.
fn uno(profile: Profile) -> ModelSpec {
    let level = |(width, modes, scale): (usize, [usize; 2], [f64; 2])| Level {
        width,
        modes: modes.to_vec(),
        scale: scale.to_vec(),
    };
    let levels = [
        (8, [6, 8], [0.5, 0.75]),
        (12, [5, 6], [1.0, 1.0]),
        (12, [4, 6], [1.0, 1.0]),
        (10, [6, 6], [1.5, 1.0]),
        (8, [6, 8], [4.0 / 3.0, 4.0 / 3.0]),
    ];
    ModelSpec {
        layers: 0,
        levels: levels.map(level).to_vec(),
        ..spec(Operator::Uno, profile)
    }
}

/// Channel `c` of a band-limited function on the box, whose coordinates run from 0 to 1.
fn on_box(c: f64, x: &[f64]) -> f64 {
    let along: f64 = x
        .iter()
        .enumerate()
        .map(|(axis, x)| (TAU * x + c + 0.7 * axis as f64).sin())
        .sum();
    let across: f64 = x.iter().sum();
    0.6 * along + 0.4 * (TAU * across - c).cos()
}

/// Channel `c` of a polynomial in the Cartesian coordinates: band-limited to degree 3.
fn on_sphere(c: f64, colatitude: f64, longitude: f64) -> f64 {
    let (x, y) = (
        colatitude.sin() * longitude.cos(),
        colatitude.sin() * longitude.sin(),
    );
    let z = colatitude.cos();
    (1.0 + 0.3 * c) * x + 0.8 * y * z - (0.5 - 0.4 * c) * z * z + 0.9 * x * y * z
}

/// All channels of the input, at every point of a grid.
fn input(grid: &Grid, channels: usize) -> Vec<f64> {
    let place = |point: usize, axis: usize| {
        let inner: usize = grid.sizes[axis + 1..].iter().product();
        point / inner % grid.sizes[axis]
    };
    let colatitudes = match grid.domain {
        pno::task::Domain::Sphere(latitudes) => sphere::colatitudes(latitudes, grid.sizes[0]),
        pno::task::Domain::Flat => vec![],
    };
    let value = |point: usize, c: usize| {
        let part = |axis: usize| place(point, axis) as f64 / grid.sizes[axis] as f64;
        if colatitudes.is_empty() {
            let x: Vec<f64> = (0..grid.sizes.len()).map(part).collect();
            return on_box(c as f64, &x);
        }
        on_sphere(c as f64, colatitudes[place(point, 0)], TAU * part(1))
    };
    (0..grid.points())
        .flat_map(|point| (0..channels).map(move |c| (point, c)))
        .map(|(point, c)| value(point, c))
        .collect()
}

/// Both heads `[points, out]` of a fresh network.
fn heads(spec: &ModelSpec, grid: &Grid) -> [Vec<f64>; 2] {
    let device = Device::flex();
    let network = Network::init(spec, 8, &device);
    let shape = [1, grid.points(), spec.in_channels];
    let input = tensor(&input(grid, spec.in_channels), shape, &device);
    let out = network.forward(input, &Plan::new(spec, grid, &device), None);
    [read(out.mean), read(out.spread.expect("a spread head"))]
}

/// The values at every `strides`-th point.
fn thinned(values: &[f64], channels: usize, sizes: &[usize], strides: &[usize]) -> Vec<f64> {
    let points: usize = sizes.iter().product();
    let shared = |point: usize| {
        let mut inner = points;
        sizes.iter().zip(strides).all(|(n, stride)| {
            inner /= n;
            (point / inner % n).is_multiple_of(*stride)
        })
    };
    (0..points)
        .filter(|&point| shared(point))
        .flat_map(|point| values[point * channels..][..channels].to_vec())
        .collect()
}

/// Largest difference of two grids at the points they share, relative to the spread of the output.
fn difference(spec: &ModelSpec, grids: [&Grid; 2], strides: [&[usize]; 2]) -> f64 {
    let on = |i: usize| {
        heads(spec, grids[i])
            .map(|head| thinned(&head, spec.out_channels, &grids[i].sizes, strides[i]))
    };
    let (a, b) = (on(0), on(1));
    let relative = |head: usize| gap(&a[head], &b[head]) / std(&b[head]);
    let worst = relative(0).max(relative(1));
    let [first, second] = grids.map(|g| &g.sizes);
    println!(
        "{} ({}), {first:?} and {second:?}: {worst:.1e}",
        spec.operator, spec.profile
    );
    worst
}

/// Flat grids where every `strides[i]`-th point of grid `i` is shared on each axis.
fn flat_difference(spec: &ModelSpec, sizes: [&[usize]; 2], strides: [usize; 2]) -> f64 {
    let grids = sizes.map(Grid::flat);
    let strides = strides.map(|stride| vec![stride; sizes[0].len()]);
    difference(spec, [&grids[0], &grids[1]], [&strides[0], &strides[1]])
}

#[test]
fn an_fno_gives_the_same_function_at_two_resolutions() {
    let found = [
        flat_difference(&fno(&[9]), [&[45], &[90]], [1, 2]),
        flat_difference(&fno(&[7, 8]), [&[32, 36], &[64, 72]], [1, 2]),
        flat_difference(&fno(&[7, 8]), [&[32, 36], &[48, 54]], [2, 3]),
        flat_difference(&fno(&[4, 5, 6]), [&[24, 24, 24], &[36, 36, 36]], [2, 3]),
    ];
    for error in found {
        assert!(error < TOLERANCE, "{error}");
    }
}

#[test]
fn a_fixed_uno_gives_the_same_function_at_two_resolutions() {
    let spec = uno(Profile::Fixed);
    for (sizes, strides) in [
        ([[48, 48], [96, 96]], [1, 2]),
        ([[48, 60], [72, 90]], [2, 3]),
    ] {
        let error = flat_difference(&spec, [&sizes[0], &sizes[1]], strides);
        assert!(error < TOLERANCE, "{error}");
    }
}

/// A documented defect of the published networks (and the proof that these tests can fail).
#[test]
fn a_published_uno_gives_another_function_at_another_resolution() {
    let spec = uno(Profile::Paper);
    let error = flat_difference(&spec, [&[48, 48], &[96, 96]], [1, 2]);
    assert!(error > 0.1, "{error}");
}

fn sfno() -> ModelSpec {
    ModelSpec {
        modes: vec![9, 12],
        ..spec(Operator::Sfno, Profile::Fixed)
    }
}

#[test]
fn an_sfno_gives_the_same_function_at_two_resolutions() {
    let coarse = Grid::sphere(Latitudes::Equiangular, [33, 48]);
    let fine = Grid::sphere(Latitudes::Equiangular, [65, 72]);
    let error = difference(&sfno(), [&coarse, &fine], [&[1, 2], &[2, 3]]);
    assert!(error < TOLERANCE, "{error}");
}

/// Coefficients of a field up to degree and order 7, real and imaginary parts.
fn coefficients(field: &[f64], channels: usize, grid: &Grid) -> Vec<f64> {
    let pno::task::Domain::Sphere(latitudes) = grid.domain else {
        panic!("a sphere");
    };
    let (n_lat, n_lon) = (grid.sizes[0], grid.sizes[1]);
    let colatitudes = sphere::colatitudes(latitudes, n_lat);
    let weights = sphere::weights(&colatitudes);
    let mut found = vec![];
    for (l, m) in (0..8).flat_map(|l| (0..=l).map(move |m| (l, m))) {
        let mut sums = vec![0.0; 2 * channels];
        for (k, &theta) in colatitudes.iter().enumerate() {
            let weight = TAU * weights[k] * sphere::legendre(l, m, theta) / n_lon as f64;
            for j in 0..n_lon {
                let (sin, cos) = (TAU * (m * j) as f64 / n_lon as f64).sin_cos();
                for c in 0..channels {
                    let value = weight * field[(k * n_lon + j) * channels + c];
                    sums[2 * c] += value * cos;
                    sums[2 * c + 1] -= value * sin;
                }
            }
        }
        found.extend(sums);
    }
    found
}

#[test]
fn an_sfno_gives_the_same_function_on_both_kinds_of_circles() {
    let spec = sfno();
    let grids = [
        Grid::sphere(Latitudes::Equiangular, [49, 48]),
        Grid::sphere(Latitudes::Gauss, [25, 48]),
    ];
    let [a, b] = [0, 1].map(|i| heads(&spec, &grids[i]));
    for head in 0..2 {
        let scale = std(&a[head]);
        let of = |values: &[f64], grid| coefficients(values, spec.out_channels, grid);
        let error = gap(&of(&a[head], &grids[0]), &of(&b[head], &grids[1])) / scale;
        println!("coefficients: {error:.1e}");
        assert!(error < TOLERANCE, "coefficients: {error}");
        // The one circle that both have.
        let row = 48 * spec.out_channels;
        let (a, b) = (&a[head][24 * row..][..row], &b[head][12 * row..][..row]);
        let error = gap(a, b) / scale;
        println!("equator: {error:.1e}");
        assert!(error < TOLERANCE, "equator: {error}");
    }
}
