//! The random start of the data set.

use std::f64::consts::PI;

use rustfft::num_complex::Complex64;

use super::state::{State, each};
use super::{DEPTH_AMPLITUDE, GRAVITY, MACH, MEAN_DEPTH, RADIUS};
use crate::noise;
use crate::noise::normal::normal_from_bits;

/// Degrees that the published spectrum is spread over, although the published truncation keeps only 43 of them.
const SPREAD: usize = 80;

/// White noise in every degree below 80: start number `trajectory` of a seed.
///
/// Each coefficient of geopotential, vorticity and divergence is an independent complex normal of variance
/// `4 pi / (80 * 81)`, so that a field with all of these degrees would have variance 1, times `g * 120 m` for the
/// geopotential and times `0.2 sqrt(g * 10 km) / a` for the other two. Nothing is balanced: the first hours radiate
/// gravity waves.
///
/// A coarser truncation gets the same low degrees, so that it starts from the same state, seen less sharply.
pub fn random_initial_condition(seed: u64, trajectory: u64, degrees: usize) -> State {
    let spread = degrees.min(SPREAD);
    let draws = noise::uniforms(seed, trajectory, 3 * spread * (spread + 1));
    let normal = |i: usize| f64::from(normal_from_bits((draws[i] * 4_294_967_296.0) as u32));

    let deviation = (4.0 * PI / (SPREAD * (SPREAD + 1)) as f64).sqrt() * 0.5_f64.sqrt();
    let wind = MACH * (GRAVITY * MEAN_DEPTH).sqrt() / RADIUS;
    let scales = [GRAVITY * DEPTH_AMPLITUDE, wind, wind].map(|scale| scale * deviation);

    let mut state = State::zeros(degrees);
    for (channel, field) in state.fields_mut().into_iter().enumerate() {
        each(degrees, |i, l, m| {
            if l < spread {
                // Degree by degree, so that a number does not depend on how many degrees follow.
                let draw = 2 * (3 * (l * (l + 1) / 2 + m) + channel);
                // The mean along a circle is real.
                let imaginary = if m == 0 { 0.0 } else { normal(draw + 1) };
                field[i] = scales[channel] * Complex64::new(normal(draw), imaginary);
            }
        });
    }
    state.phi[0] += (4.0 * PI).sqrt() * GRAVITY * MEAN_DEPTH;
    // Vorticity and divergence of a wind have no mean over a sphere. The published start draws one all the same; it is
    // no wind, never changes, and is less than a thousandth of the variance.
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sswe::{coefficients, index};

    #[test]
    fn coefficients_have_the_published_variance() {
        let degrees = 43;
        let (mut sums, mut squares) = ([0.0; 3], [0.0; 3]);
        let n = 40;
        for trajectory in 0..n {
            let state = random_initial_condition(5, trajectory, degrees);
            for (channel, field) in state.fields().into_iter().enumerate() {
                each(degrees, |i, _, m| {
                    if m > 0 {
                        sums[channel] += field[i].re + field[i].im;
                        squares[channel] += field[i].norm_sqr();
                    }
                });
            }
        }
        let count = (n as usize * (coefficients(degrees) - degrees)) as f64;
        let white = 4.0 * PI / 6480.0;
        let wind = 0.2 * (GRAVITY * 1e4_f64).sqrt() / RADIUS;
        for (channel, scale) in [GRAVITY * 120.0, wind, wind].into_iter().enumerate() {
            let variance = white * scale * scale;
            let found = squares[channel] / count / variance;
            // |z|² is exponential: its standard error is 1 / sqrt(count).
            assert!(
                (found - 1.0).abs() < 4.0 / count.sqrt(),
                "{channel}: {found}"
            );
            let mean = sums[channel] / count / variance.sqrt();
            assert!(mean.abs() < 4.0 / count.sqrt(), "{channel}: {mean}");
        }
    }

    #[test]
    fn a_coarser_truncation_starts_from_the_same_low_degrees() {
        let fine = random_initial_condition(1, 2, 43);
        assert_eq!(fine.truncated(22), random_initial_condition(1, 2, 22));
        assert_ne!(fine, random_initial_condition(1, 3, 43));
        assert_ne!(fine, random_initial_condition(2, 2, 43));
        let finer = random_initial_condition(1, 2, 86);
        assert_eq!(finer.truncated(43), fine);
        assert_eq!(finer.zeta[index(86, 80, 3)], Complex64::default());
    }
}
