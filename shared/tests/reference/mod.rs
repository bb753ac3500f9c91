//! Independent networks in f64: the formulas of the paper by direct sums, for every operator.
//!
//! Nothing is shared with the product but noise, specification and weights. Fields are `[points, channels]`,
//! points in row-major order. Slow and plain on purpose; the published KS networks still take about a second.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod fourier;
pub mod loss;
pub mod mlp;
pub mod network;
pub mod noise;
pub mod resize;
pub mod sphere;

/// Weights as f64.
pub fn widen(tensors: &[Vec<f32>]) -> Vec<Vec<f64>> {
    tensors
        .iter()
        .map(|t| t.iter().map(|&v| f64::from(v)).collect())
        .collect()
}

/// Smooth numbers for inputs and truths, as f32 holds them.
pub fn wave(len: usize, phase: f64) -> Vec<f64> {
    (0..len)
        .map(|i| (0.37 * i as f64 + phase).sin() + 0.3 * (1.9 * i as f64).cos())
        .map(|v| f64::from(v as f32))
        .collect()
}

/// Standard deviation of all values together: the scale of errors.
pub fn std(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// Root mean square of all values.
pub fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt()
}

/// Place of a point along each axis of a grid.
fn position(point: usize, sizes: &[usize]) -> Vec<usize> {
    let mut rest = point;
    let mut place: Vec<usize> = sizes
        .iter()
        .rev()
        .map(|&n| {
            let along = rest % n;
            rest /= n;
            along
        })
        .collect();
    place.reverse();
    place
}
