//! Functional noise: the law of the random functions, the same function on every grid, and members made of them.
#![cfg(feature = "nn")]

mod cases;

use burn::tensor::{Device, Tensor, TensorData};
use cases::{read, tensor};
use pno::nn::{Network, Plan, Rows};
use pno::spec::{Experiment, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::Grid;

fn spec(operator: Operator, modes: &[usize], noise: &[f32]) -> ModelSpec {
    ModelSpec {
        experiment: Experiment::Arrays,
        method: Method::PnoF,
        operator,
        profile: Profile::Fixed,
        in_channels: 1,
        out_channels: 1,
        width: 8,
        lifting: 12,
        projection: 12,
        layers: 2,
        modes: modes.to_vec(),
        levels: vec![],
        dropout: 0.0,
        fourier_dropout: 0.0,
        networks: 1,
        output: Output::Field,
        mlp: 10,
        noise: noise.to_vec(),
        observed: None,
    }
}

/// Functions of some members, `[member][channel][point]`.
fn functions(spec: &ModelSpec, grid: &Grid, members: u32) -> Vec<Vec<Vec<f64>>> {
    let device = Device::flex();
    let plan = Plan::new(spec, grid, &device);
    let noise = plan.noise().expect("a network with noise");
    let drawn = noise.draw(&Rows::members(3, 0..members), &device);
    let [_, points, channels] = drawn.dims();
    let values = read(drawn);
    let of_member = |member: &[f64]| -> Vec<Vec<f64>> {
        let channel = |c| member.iter().skip(c).step_by(channels).copied().collect();
        (0..channels).map(channel).collect()
    };
    values.chunks(points * channels).map(of_member).collect()
}

/// Every grid on which the law is looked at.
fn grids() -> Vec<(ModelSpec, Grid)> {
    let fno = |modes: &[usize]| spec(Operator::Fno, modes, &[1.5, 4.0]);
    vec![
        (fno(&[16]), Grid::flat(&[32])),
        (fno(&[9, 12]), Grid::flat(&[12, 16])),
        (fno(&[4, 6, 6]), Grid::flat(&[6, 8, 8])),
        (
            spec(Operator::Sfno, &[10, 20], &[1.5, 4.0]),
            Grid::sphere(Latitudes::Gauss, [12, 24]),
        ),
        (
            spec(Operator::Sfno, &[8, 16], &[1.5, 4.0]),
            Grid::sphere(Latitudes::Equiangular, [17, 32]),
        ),
    ]
}

#[test]
fn every_channel_has_mean_zero_and_variance_one_at_every_point() {
    let members = 3000;
    for (spec, grid) in grids() {
        let drawn = functions(&spec, &grid, members);
        for channel in 0..2 {
            // Few points are enough: the first, and some others.
            for point in [0, grid.points() / 3, grid.points() - 1] {
                let values = drawn.iter().map(|member| member[channel][point]);
                let n = f64::from(members);
                let mean = values.clone().sum::<f64>() / n;
                let variance = values.map(|v| v * v).sum::<f64>() / n;
                // Five standard errors.
                let what = format!("{:?}, channel {channel}, point {point}", grid.sizes);
                assert!(mean.abs() < 5.0 / n.sqrt(), "{what}: mean {mean}");
                let error = 5.0 * (2.0 / n).sqrt();
                assert!(
                    (variance - 1.0).abs() < error,
                    "{what}: variance {variance}"
                );
            }
        }
    }
}

/// The covariance of a function with itself some way off, against the sum over its spectrum.
#[test]
fn the_spectrum_is_a_gaussian_of_the_wavenumber() {
    let (members, n, kappa) = (4000, 32, 4.0_f64);
    let spec = spec(Operator::Fno, &[16], &[kappa as f32]);
    let drawn = functions(&spec, &Grid::flat(&[n]), members);
    let power = |k: i32| match k {
        0 => 1.0,
        k => 2.0 * (-f64::from(k * k) / (kappa * kappa)).exp(),
    };
    let total: f64 = (0..=8).map(power).sum();
    for lag in [1_usize, 3, 8] {
        let found: f64 = (drawn.iter())
            .map(|member| member[0][5] * member[0][5 + lag])
            .sum::<f64>()
            / f64::from(members);
        let turn = std::f64::consts::TAU * lag as f64 / n as f64;
        let wanted: f64 = (0..=8)
            .map(|k| power(k) / total * (turn * f64::from(k)).cos())
            .sum();
        let error = 5.0 * (2.0 / f64::from(members)).sqrt();
        assert!(
            (found - wanted).abs() < error,
            "lag {lag}: {found}, not {wanted}"
        );
    }
}

#[test]
fn a_member_has_the_same_function_on_every_grid() {
    let fno = |modes: &[usize]| spec(Operator::Fno, modes, &[1.5, 4.0]);
    let sphere = |n: usize| Grid::sphere(Latitudes::Equiangular, [n + 1, 2 * n]);
    for (spec, coarse, fine, last) in [
        (fno(&[16]), Grid::flat(&[24]), Grid::flat(&[48]), 24),
        (
            fno(&[9, 12]),
            Grid::flat(&[12, 16]),
            Grid::flat(&[24, 32]),
            16,
        ),
        (
            spec(Operator::Sfno, &[8, 16], &[1.5, 4.0]),
            sphere(16),
            sphere(32),
            32,
        ),
    ] {
        let (few, many) = (functions(&spec, &coarse, 3), functions(&spec, &fine, 3));
        for (few, many) in few.iter().flatten().zip(many.iter().flatten()) {
            for (point, value) in few.iter().enumerate() {
                let (row, column) = (point / last, point % last);
                let same = many[2 * row * 2 * last + 2 * column];
                assert!(
                    (value - same).abs() < 1e-5,
                    "point {point}: {value} and {same}"
                );
            }
        }
    }
}

/// Functions and what a network makes of them, on two grids.
#[test]
fn a_member_of_a_network_is_the_same_function_on_two_grids() {
    let device = Device::flex();
    let spec = spec(Operator::Fno, &[12], &[1.5, 3.0]);
    let network = Network::init(&spec, 4, &device);
    let members = |n: usize| -> Vec<f64> {
        let wave = |i: usize| (std::f64::consts::TAU * i as f64 / n as f64).sin();
        let input: Vec<f64> = (0..n).map(wave).collect();
        let plan = Plan::new(&spec, &Grid::flat(&[n]), &device);
        let rows = Rows::members(5, 0..2);
        read(network.draw(tensor(&input, [1, n, 1], &device), &plan, None, &rows))
    };
    let (coarse, fine) = (members(96), members(192));
    let mean = coarse.iter().sum::<f64>() / coarse.len() as f64;
    let variance = coarse.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / coarse.len() as f64;
    for (i, value) in coarse.iter().enumerate() {
        let gap = (value - fine[2 * i]).abs() / variance.sqrt();
        assert!(gap < 1e-3, "{i}: {gap} of a standard deviation");
    }
}

#[test]
fn members_differ_and_do_not_depend_on_who_else_is_drawn() {
    let device = Device::flex();
    let spec = spec(Operator::Fno, &[6, 6], &[1.5, 3.0]);
    let network = Network::init(&spec, 4, &device);
    let plan = Plan::new(&spec, &Grid::flat(&[8, 9]), &device);
    let input = || -> Tensor<3> {
        let values: Vec<f32> = (0..2 * 72).map(|i| (0.3 * i as f32).cos()).collect();
        Tensor::from_data(TensorData::new(values, [2, 72, 1]), &device)
    };
    let all = network.draw(input(), &plan, None, &Rows::members(5, 0..6));
    assert_eq!(all.dims(), [2, 3, 72]);
    let all = read(all);
    let second = input().narrow(0, 1, 1);
    let alone = read(network.draw(second, &plan, None, &Rows::members(5, 4..5)));
    for (a, b) in alone.iter().zip(&all[4 * 72..5 * 72]) {
        assert!((a - b).abs() < 1e-5, "{a} and {b}");
    }
    let apart = (all[3 * 72..4 * 72].iter().zip(&all[4 * 72..]))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(
        apart > 1e-3,
        "two members of one input differ by {apart} at most"
    );
}
