//! The random field from which the published data set starts its integration.
//!
//! `u0 + du r / mean|r|`, with `u0` uniform in (0.1, 10) and `du` in (0.01, 0.5). The waves
//! `r = sum of |k|^-1/2 sin(k x + phase)` over `|kx|, |ky| <= 4`, both non-zero, are the same for all samples of a
//! batch. For half of the samples they are only seen through a window with soft edges, outside of which the field is
//! `u0`. The published generator draws the lower edge, the upper edge and the choice itself from *one* uniform number
//! per axis: so windows are squares of side 0.45.
//!
//! Of all this only `u0` matters: what is left at the end is the slowest wave.

use std::f64::consts::TAU;

use super::coefficient::stream;
use super::{BATCH, centres};
use crate::noise;

/// Highest wavenumber of the waves.
const HIGHEST: i32 = 4;
/// Least and largest `u0`.
const LEVEL: [f64; 2] = [0.1, 10.0];
/// Least and largest `du`.
const AMPLITUDE: [f64; 2] = [0.01, 0.5];
/// Where the lower edge of a window can lie; the upper one is [`WINDOW`] above.
const EDGE: [f64; 2] = [0.1, 0.45];
const WINDOW: f64 = 0.45;
/// Width of an edge.
const SOFT: f64 = 0.01;

/// The initial field of sample `index` at the centres of `n x n` cells.
pub fn initial_field(seed: u64, index: u64, n: usize) -> Vec<f64> {
    let draws = noise::uniforms(noise::case_seed(seed, index), stream::INITIAL, 4);
    let level = between(LEVEL, draws[0]);
    let mut field = waves(seed, index / BATCH, n);
    let mean = field.iter().map(|r| r.abs()).sum::<f64>() / field.len() as f64;
    let scale = between(AMPLITUDE, draws[1]) / mean;
    let [across, along] = [draws[2], draws[3]].map(|edge| window(between(EDGE, edge), n));
    let windowed = draws[2] < 0.5;
    for (row, across) in field.chunks_exact_mut(n).zip(across) {
        for (value, along) in row.iter_mut().zip(&along) {
            let seen = if windowed { across * along } else { 1.0 };
            *value = level + scale * *value * seen;
        }
    }
    field
}

fn between([least, most]: [f64; 2], uniform: f64) -> f64 {
    least + (most - least) * uniform
}

/// One between the edges, zero outside.
fn window(lower: f64, n: usize) -> Vec<f64> {
    let edge = |x: f64, at: f64| ((x - at) / SOFT).tanh();
    centres(n)
        .map(|x| 0.5 * (edge(x, lower) - edge(x, lower + WINDOW)))
        .collect()
}

/// The waves of a batch, not yet scaled.
fn waves(seed: u64, batch: u64, n: usize) -> Vec<f64> {
    let numbers = || (-HIGHEST..=HIGHEST).filter(|k| *k != 0);
    let count = numbers().count();
    let phases = noise::uniforms(noise::case_seed(seed, batch), stream::WAVES, count * count);
    let mut field = vec![0.0; n * n];
    for (a, ky) in numbers().enumerate() {
        for (b, kx) in numbers().enumerate() {
            let phase = TAU * phases[a * count + b];
            let k = TAU * f64::from(kx * kx + ky * ky).sqrt();
            let amplitude = k.sqrt().recip();
            // sin(p + q) = sin p cos q + cos p sin q: a product of tables.
            let angles = |k: i32, phase: f64| {
                centres(n).map(move |x| (TAU * f64::from(k) * x + phase).sin_cos())
            };
            let along: Vec<(f64, f64)> = angles(ky, phase).collect();
            for (row, (sin, cos)) in field.chunks_exact_mut(n).zip(angles(kx, 0.0)) {
                let (sin, cos) = (amplitude * sin, amplitude * cos);
                for (value, along) in row.iter_mut().zip(&along) {
                    *value += sin * along.1 + cos * along.0;
                }
            }
        }
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_amplitudes_have_their_laws() {
        let n = 32;
        let samples = 400;
        let (mut levels, mut amplitudes, mut windows) = (0.0, 0.0, 0);
        for index in 0..samples {
            let field = initial_field(9, index, n);
            // The corners are outside of every window, and inside of none.
            let draws = noise::uniforms(noise::case_seed(9, index), stream::INITIAL, 4);
            let level = between(LEVEL, draws[0]);
            let deviation = field.iter().map(|u| (u - level).abs()).sum::<f64>();
            levels += level;
            if (field[0] - level).abs() < 1e-9 {
                windows += 1;
            } else {
                amplitudes += deviation / (n * n) as f64;
            }
        }
        let plain = f64::from(400 - windows);
        assert!((160..240).contains(&windows), "{windows} windows");
        assert!((levels / 400.0 - 5.05).abs() < 5.0 * 9.9 / (12.0_f64 * 400.0).sqrt());
        assert!((amplitudes / plain - 0.255).abs() < 5.0 * 0.49 / (12.0 * plain).sqrt());
    }

    #[test]
    fn the_waves_have_no_mean_and_belong_to_the_batch() {
        let n = 24;
        let field = waves(1, 0, n);
        assert!(field.iter().sum::<f64>().abs() < 1e-9);
        assert_ne!(field, waves(1, 1, n));
        let [a, b] = [0, 1].map(|index| initial_field(2, index, n));
        assert_ne!(a, b);
        assert_eq!(a, initial_field(2, 0, n));
    }
}
