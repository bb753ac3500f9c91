//! Ensembles whose faults are known: smooth random fields around a common signal.

use std::f64::consts::TAU;

use pno::noise::uniforms;

/// What is wrong with an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the truth is one of them.
    Calibrated,
    /// Members keep too close together.
    TooNarrow,
    /// Members keep too far apart.
    TooWide,
    /// Members are too high.
    Biased,
    /// Members are smoother than the truth.
    Blurred,
}

/// Members `[member, frame, point]` and truth `[frame, point]`, whose deviation from the signal grows with the frame.
#[derive(Debug)]
pub struct Synthetic {
    /// Members.
    pub members: Vec<f32>,
    /// Truth.
    pub truth: Vec<f32>,
}

impl Synthetic {
    /// An ensemble.
    pub fn new(kind: Kind, seed: u64, members: usize, frames: usize, points: usize) -> Self {
        let (scale, shift) = match kind {
            Kind::Calibrated | Kind::Blurred => (1.0, 0.0),
            Kind::TooNarrow => (0.35, 0.0),
            Kind::TooWide => (3.0, 0.0),
            Kind::Biased => (1.0, 1.6),
        };
        let smoothest = if kind == Kind::Blurred { 4.0 } else { 1.0 };
        let field = |who: usize, scale: f64, shift: f64, cut: f64| -> Vec<f32> {
            let frame = |frame: usize| {
                let growth = 0.3 + frame as f64 / frames as f64;
                let own = smooth(seed, (who * frames + frame) as u64 + 1, points, cut);
                let signal = smooth(seed, u64::MAX - frame as u64, points, 1.0);
                let value = move |(own, signal): (f64, f64)| {
                    (2.0 * signal + growth * (scale * own + shift)) as f32
                };
                own.into_iter().zip(signal).map(value)
            };
            (0..frames).flat_map(frame).collect()
        };
        Self {
            truth: field(0, 1.0, 0.0, 1.0),
            members: (1..=members)
                .flat_map(|m| field(m, scale, shift, smoothest))
                .collect(),
        }
    }
}

/// A periodic random field of variance 1, with waves up to 24 / `cut`.
fn smooth(seed: u64, stream: u64, points: usize, cut: f64) -> Vec<f64> {
    let waves = (24.0 / cut) as usize;
    let draws = normals(seed, stream, 2 * waves);
    let amplitude = |k: usize| 1.0 / (1.0 + (k as f64 / 8.0).powi(2));
    let power: f64 = (1..=waves).map(|k| amplitude(k).powi(2)).sum();
    let value = |point: usize| {
        let wave = |k: usize| {
            let angle = TAU * (k * point) as f64 / points as f64;
            let (a, b) = (f64::from(draws[2 * k - 2]), f64::from(draws[2 * k - 1]));
            amplitude(k) * (a * angle.cos() + b * angle.sin())
        };
        (1..=waves).map(wave).sum::<f64>() / power.sqrt()
    };
    (0..points).map(value).collect()
}

/// Standard normal numbers (Box and Muller).
pub fn normals(seed: u64, stream: u64, count: usize) -> Vec<f32> {
    let draws = uniforms(seed, stream, 2 * count);
    let normal = |pair: &[f64]| {
        let radius = (-2.0 * (1.0 - pair[0]).ln()).sqrt();
        (radius * (TAU * pair[1]).cos()) as f32
    };
    draws.chunks_exact(2).map(normal).collect()
}
