//! An independent network in f64: the formulas of the paper by direct sums, nothing shared with the product but noise and specification.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::f64::consts::{PI, TAU};

use pno::noise::{self, Place, mask, mask::Rate, normal};
use pno::spec::{Experiment, Method, ModelSpec, Operator};

/// A small network on a small grid: every loop below is affordable.
pub fn small_spec(method: Method) -> ModelSpec {
    ModelSpec {
        experiment: Experiment::Ks,
        method,
        operator: Operator::Fno,
        in_channels: 3,
        out_channels: 1,
        width: 4,
        lifting: 10,
        projection: 6,
        layers: 3,
        modes: vec![3, 5],
        dropout: 0.25,
        fourier_dropout: 0.3,
    }
}

/// Grid of the small network: not a power of two, one odd axis.
pub const GRID: [usize; 2] = [6, 9];

pub fn widen(tensors: &[Vec<f32>]) -> Vec<Vec<f64>> {
    tensors
        .iter()
        .map(|t| t.iter().map(|&v| f64::from(v)).collect())
        .collect()
}

/// erf by its Taylor series, converged for the arguments met here.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..160 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    2.0 / PI.sqrt() * sum
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt()))
}

/// Noise of one row, or none.
#[derive(Clone, Copy)]
pub struct RowNoise {
    pub seed: u64,
    pub member: u32,
}

fn factors(noise: Option<RowNoise>, place: Place, rate: f32, len: usize) -> Vec<f64> {
    let Some(RowNoise { seed, member }) = noise else {
        return vec![1.0; len];
    };
    let mut out = vec![0.0_f32; len];
    mask::fill(
        noise::key(seed, member, place.layer()),
        Rate::new(rate),
        &mut out,
    );
    out.into_iter().map(f64::from).collect()
}

pub fn normals(row: RowNoise, len: usize) -> Vec<f64> {
    let key = noise::key(row.seed, row.member, Place::Normal.layer());
    (0..len as u32)
        .map(|i| f64::from(normal::normal(key, i)))
        .collect()
}

/// `x` is `[points, in]`; the four tensors are those of the MLP.
fn mlp(x: &[f64], tensors: &[Vec<f64>], mask: &[f64]) -> Vec<f64> {
    let [a, a0, b, b0] = tensors else {
        panic!("four tensors")
    };
    let (hidden, out) = (a0.len(), b0.len());
    let input = a.len() / hidden;
    let mut y = vec![];
    for (point, x) in x.chunks(input).enumerate() {
        let h: Vec<f64> = (0..hidden)
            .map(|j| {
                let sum: f64 = (0..input).map(|i| x[i] * a[i * hidden + j]).sum();
                gelu((sum + a0[j]) * mask[point * hidden + j])
            })
            .collect();
        for o in 0..out {
            y.push(b0[o] + (0..hidden).map(|j| h[j] * b[j * out + o]).sum::<f64>());
        }
    }
    y
}

/// Spectral convolution on a 2D grid, straight from the definition: kept frequencies, mixing, dropout, real part.
pub fn spectral(
    v: &[f64],
    spec: &ModelSpec,
    tensors: &[Vec<f64>],
    grid: [usize; 2],
    mask: &[f64],
) -> Vec<f64> {
    let [real, imag, bias] = tensors else {
        panic!("three tensors")
    };
    let (w, [n1, n2]) = (spec.width, grid);
    let (m1, m2) = (spec.modes[0] as i64, spec.modes[1] as i64 / 2 + 1);
    let first = -((m1 + 1) / 2);
    let mut y: Vec<f64> = bias.iter().copied().cycle().take(n1 * n2 * w).collect();
    for (index, (k1, k2)) in (0..m1)
        .flat_map(|i| (0..m2).map(move |k2| (first + i, k2)))
        .enumerate()
    {
        let angle = |x1: usize, x2: usize| {
            TAU * (k1 as f64 * x1 as f64 / n1 as f64 + k2 as f64 * x2 as f64 / n2 as f64)
        };
        let mut x = vec![(0.0, 0.0); w];
        for x1 in 0..n1 {
            for x2 in 0..n2 {
                let (sin, cos) = angle(x1, x2).sin_cos();
                for (i, sum) in x.iter_mut().enumerate() {
                    let value = v[(x1 * n2 + x2) * w + i];
                    *sum = (sum.0 + value * cos, sum.1 - value * sin);
                }
            }
        }
        for o in 0..w {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, (xr, xi)) in x.iter().enumerate() {
                let at = (index * w + i) * w + o;
                re += xr * real[at] - xi * imag[at];
                im += xr * imag[at] + xi * real[at];
            }
            let factor = mask[index * w + o] * if k2 == 0 { 1.0 } else { 2.0 } / (n1 * n2) as f64;
            for x1 in 0..n1 {
                for x2 in 0..n2 {
                    let (sin, cos) = angle(x1, x2).sin_cos();
                    y[(x1 * n2 + x2) * w + o] += factor * (re * cos - im * sin);
                }
            }
        }
    }
    y
}

/// Mean and spread heads of one row; `input` is `[points, in]`.
pub fn heads(
    spec: &ModelSpec,
    tensors: &[Vec<f64>],
    input: &[f64],
    noise: Option<RowNoise>,
) -> (Vec<f64>, Vec<f64>) {
    let (w, grid) = (spec.width, GRID);
    let points = grid[0] * grid[1];
    let modes: usize = spec.kept_modes().iter().product();
    let mut v = mlp(
        input,
        &tensors[..4],
        &factors(noise, Place::Lifting, spec.dropout, points * spec.lifting),
    );
    for layer in 0..spec.layers {
        let t = &tensors[4 + 4 * layer..];
        let mask = factors(
            noise,
            Place::Spectral(layer as u16),
            spec.fourier_dropout,
            modes * w,
        );
        let mut z = spectral(&v, spec, &t[..3], grid, &mask);
        for point in 0..points {
            for o in 0..w {
                z[point * w + o] += (0..w)
                    .map(|i| v[point * w + i] * t[3][i * w + o])
                    .sum::<f64>();
            }
        }
        v = if layer + 1 < spec.layers {
            z.into_iter().map(gelu).collect()
        } else {
            z
        };
    }
    let head = |first: usize, place| {
        let mask = factors(noise, place, spec.dropout, points * spec.projection);
        mlp(&v, &tensors[first..first + 4], &mask)
    };
    let first = 4 + 4 * spec.layers;
    let mean = head(first, Place::Projection);
    let spread = if spec.method.has_spread_head() {
        let raw = head(first + 4, Place::SpreadHidden);
        raw.into_iter().map(|r| r.exp().ln_1p() + 1e-6).collect()
    } else {
        vec![]
    };
    (mean, spread)
}

fn norm(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

/// Fair energy score by its definition, every ordered pair.
pub fn energy_score(members: &[Vec<f64>], truth: &[f64]) -> f64 {
    let m = members.len() as f64;
    let skill: f64 = members.iter().map(|u| norm(u, truth)).sum();
    let pairs: f64 = members
        .iter()
        .flat_map(|u| members.iter().map(move |v| norm(u, v)))
        .sum();
    skill / m - pairs / (2.0 * m * (m - 1.0))
}

/// Smooth numbers for inputs and truths.
pub fn wave(len: usize, phase: f64) -> Vec<f64> {
    (0..len)
        .map(|i| (0.37 * i as f64 + phase).sin() + 0.3 * (1.9 * i as f64).cos())
        .collect()
}
