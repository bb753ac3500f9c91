//! Functional noise: Gaussian random functions that a network takes beside its input.
//!
//! A channel is drawn in spectral space, `z(x) = sum_k sigma_k c_k exp(i k x)` with independent normal coefficients, and on
//! the sphere with spherical harmonics. The variance falls off as `exp(-(|k| / kappa)²)` beyond the channel's wavenumber
//! `kappa` (degree, on the sphere), and adds up to one at every point.
//!
//! A coefficient is keyed by its channel and its place among the kept modes, which belong to wavenumbers and not to points:
//! a member has the same function on every grid that carries the modes, and the law of the ensemble does not depend on the
//! resolution.
//!
//! Where the network is told how far its input may be off ([`crate::observation`]), the functions are larger in proportion:
//! by the mean of that over the points, and a little more for the error of the network itself.

use burn::tensor::{Device, Tensor, TensorData};

use super::{Rows, ops};
use crate::noise::Place;
use crate::spec::{ModelSpec, Operator};
use crate::spectral::{Transform, half_frequencies, signed_frequencies};

/// How large the functions are beside an input that is exact, where the network is told how far its input may be off: what
/// is left then is the error of the network itself, and so small a noise is easier to learn than a small response.
const FLOOR: f32 = 0.004;

/// Random functions of one grid on one device.
#[derive(Debug, Clone)]
pub struct FunctionalNoise {
    transform: Transform,
    channels: usize,
    /// The channel of the input that says how far it may be off, where there is one.
    level: Option<usize>,
    /// Standard deviations of real and imaginary parts, `[weights, 1, orders, 2 * channels]`.
    sigmas: Tensor<4>,
}

impl FunctionalNoise {
    /// The noise of a specification, made by a transform of its [`noise_modes`](ModelSpec::noise_modes) whose fields stay on
    /// the grid of the input. `None` where there is none.
    pub fn new(spec: &ModelSpec, transform: &Transform, device: &Device) -> Option<Self> {
        if spec.noise.is_empty() {
            return None;
        }
        let (weights, orders) = (transform.weights(), transform.orders());
        let channels = spec.noise.len();
        let mut sigmas = vec![0.0; weights * orders * 2 * channels];
        for (channel, &kappa) in spec.noise.iter().enumerate() {
            let parts = match spec.operator {
                Operator::Sfno => spherical(weights, orders, f64::from(kappa)),
                Operator::Fno | Operator::Uno => {
                    // The inverse transform divides by the points.
                    let points = transform.points_in() as f64;
                    fourier(spec.noise_modes(), f64::from(kappa), points)
                }
            };
            for (coefficient, sigma) in parts.into_iter().enumerate() {
                let at = coefficient * 2 * channels + channel;
                sigmas[at] = sigma[0] as f32;
                sigmas[at + channels] = sigma[1] as f32;
            }
        }
        let shape = [weights, 1, orders, 2 * channels];
        Some(Self {
            transform: transform.clone(),
            channels,
            level: spec.observed.map(|_| spec.in_channels),
            sigmas: Tensor::from_data(TensorData::new(sigmas, shape), device),
        })
    }

    /// The functions of some rows.
    ///
    /// # Shapes
    /// - output: `[rows, points, channels]`
    pub fn draw(&self, rows: &Rows, device: &Device) -> Tensor<3> {
        let (weights, orders) = (self.transform.weights(), self.transform.orders());
        let (count, parts) = (rows.len(), 2 * self.channels);
        let channel = |channel: usize| {
            let keys = rows.keys(Place::Function(channel as u16), device);
            ops::normals(&keys, 2 * weights * orders).reshape([count, weights * orders * 2, 1])
        };
        let normals = Tensor::cat((0..self.channels).map(channel).collect(), 2)
            .reshape([count, weights, orders, parts])
            .swap_dims(0, 1);
        let spectrum = (normals * self.sigmas.clone()).reshape([weights, count * orders, parts]);
        self.transform.synthesise(spectrum)
    }

    /// Inputs with the functions of their members behind them, member fastest.
    ///
    /// # Shapes
    /// - input: `[inputs, points, in]`
    /// - output: `[members of all inputs, points, in + channels]`
    pub fn beside(&self, input: Tensor<3>, members: &Rows) -> Tensor<3> {
        let inputs = input.dims()[0];
        let each = members.len() / inputs;
        let device = input.device();
        let functions = self.draw(members, &device);
        let functions = match self.level {
            None => functions,
            Some(level) => {
                let level = input.clone().narrow(2, level, 1).mean_dim(1) + FLOOR;
                functions * of_each(level, each)
            }
        };
        Tensor::cat(vec![of_each(input, each), functions], 2)
    }
}

/// Every row so many times, one after the other.
fn of_each(rows: Tensor<3>, times: usize) -> Tensor<3> {
    let [count, points, channels] = rows.dims();
    rows.reshape([count, 1, points * channels])
        .repeat_dim(1, times)
        .reshape([count * times, points, channels])
}

/// Standard deviations of real and imaginary part of each kept mode, last axis fastest, for an inverse transform that
/// divides by `points`.
///
/// A mode with a positive last frequency stands for a conjugate pair: its wave has twice the amplitude and, as one of two,
/// twice the variance of one that stands for itself.
fn fourier(modes: &[usize], kappa: f64, points: f64) -> Vec<[f64; 2]> {
    let waves = waves(modes, kappa);
    let total: f64 = waves.iter().map(|(variance, _)| variance).sum();
    waves
        .iter()
        .map(|&(variance, pair)| {
            let amplitude = points * (variance / total).sqrt();
            [if pair { amplitude / 2.0 } else { amplitude }; 2]
        })
        .collect()
}

/// Variance of each kept mode before all are divided by their sum, and whether it stands for a conjugate pair.
fn waves(modes: &[usize], kappa: f64) -> Vec<(f64, bool)> {
    let last = modes.len() - 1;
    let mut waves: Vec<(f64, bool)> = vec![(0.0, false)];
    for (axis, &n) in modes.iter().enumerate() {
        let frequencies = if axis == last {
            half_frequencies(n)
        } else {
            signed_frequencies(n)
        };
        waves = waves
            .iter()
            .flat_map(|&(square, _)| {
                let next = frequencies.iter();
                next.map(move |&k| (square + (k * k) as f64, axis == last && k > 0))
            })
            .collect();
    }
    let variance = |(square, pair): (f64, bool)| {
        let one = (-square / (kappa * kappa)).exp();
        (if pair { 2.0 * one } else { one }, pair)
    };
    waves.into_iter().map(variance).collect()
}

/// How much of white noise of variance one on so many points each function can stand for: the factor that gives its lowest
/// wavenumbers the variance that they have in the noise. A network that adds its functions to its input with these factors
/// begins from perturbed inputs.
pub fn parts_of_white_noise(spec: &ModelSpec, points: usize) -> Vec<f32> {
    let modes = spec.noise_modes();
    let total = |kappa: f64| match spec.operator {
        Operator::Sfno => {
            let (degrees, orders) = (modes[0], modes[1] / 2);
            (0..degrees).map(|l| degree(l, orders, kappa)).sum()
        }
        Operator::Fno | Operator::Uno => {
            let waves = waves(modes, kappa);
            waves.iter().map(|(variance, _)| variance).sum::<f64>()
        }
    };
    let factor = |&kappa: &f32| (total(f64::from(kappa)) / points as f64).sqrt() as f32;
    spec.noise.iter().map(factor).collect()
}

/// Variance of all harmonics of a degree, as far as their orders are kept, before all are divided by their sum.
fn degree(l: usize, orders: usize, kappa: f64) -> f64 {
    let harmonics = 2 * l.min(orders.saturating_sub(1)) + 1;
    (-((l * l) as f64) / (kappa * kappa)).exp() * harmonics as f64
}

/// The same for spherical harmonics `a_lm`, degree slowest, in a basis of norm one.
fn spherical(degrees: usize, orders: usize, kappa: f64) -> Vec<[f64; 2]> {
    let sphere = 4.0 * std::f64::consts::PI;
    let variance = |l: usize| (-((l * l) as f64) / (kappa * kappa)).exp();
    let total: f64 = (0..degrees).map(|l| degree(l, orders, kappa)).sum();
    (0..degrees * orders)
        .map(|i| {
            let (l, m) = (i / orders, i % orders);
            let sigma = (sphere * variance(l) / total).sqrt();
            match m {
                0 => [sigma, 0.0],
                _ if m > l => [0.0; 2],
                _ => [sigma * std::f64::consts::FRAC_1_SQRT_2; 2],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method};
    use crate::task::Task;

    fn spec(task: &Task, modes: &[usize], noise: &[f32]) -> ModelSpec {
        ModelSpec {
            modes: modes.to_vec(),
            noise: noise.to_vec(),
            ..ModelSpec::for_task(Experiment::Arrays, Method::PnoF, task)
        }
    }

    /// Against sums over wavenumbers and harmonics, each counted on its own.
    #[test]
    fn a_function_stands_for_the_part_of_white_noise_that_it_can_carry() {
        let line = Task::ks_step();
        // All waves of the line but the shortest, alike: nearly all of the noise.
        let all = parts_of_white_noise(&spec(&line, &[254], &[1e6]), 256);
        assert!(
            (all[0] - (255.0_f32 / 256.0).sqrt()).abs() < 1e-6,
            "{all:?}"
        );
        let fading = |k: i32| (-f64::from(k * k) / (24.0 * 24.0)).exp();
        let total: f64 = (-64..=64).map(fading).sum();
        let part = parts_of_white_noise(&spec(&line, &[128], &[24.0]), 256)[0];
        assert!(
            (f64::from(part) - (total / 256.0).sqrt()).abs() < 1e-6,
            "{part}"
        );

        let sphere = Task::sswe().on_grid(&[16, 32]);
        let part = parts_of_white_noise(&spec(&sphere, &[8, 16], &[5.0]), 512)[0];
        let mut total = 0.0;
        for l in 0..8_i32 {
            for _ in -l..=l {
                total += (-f64::from(l * l) / 25.0).exp();
            }
        }
        assert!(
            (f64::from(part) - (total / 512.0).sqrt()).abs() < 1e-6,
            "{part}"
        );
    }
}
