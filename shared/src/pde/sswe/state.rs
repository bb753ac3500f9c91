//! The spectral state, and where a coefficient is in it.

use std::f64::consts::PI;

use rustfft::num_complex::Complex64;

/// Channels of a frame: geopotential, vorticity, divergence.
pub const CHANNELS: usize = 3;

/// Degrees (and orders) that a grid of `n_lat` circles with poles carries without aliasing products: `ceil(n_lat / 3)`.
pub fn degrees(n_lat: usize) -> usize {
    n_lat.div_ceil(3)
}

/// Coefficients of one field: a triangle of `m <= l < degrees`.
pub fn coefficients(degrees: usize) -> usize {
    degrees * (degrees + 1) / 2
}

/// Where the coefficient of degree `l` and order `m` is: order by order, each from `l = m` upwards.
pub fn index(degrees: usize, l: usize, m: usize) -> usize {
    order_start(degrees, m) + l - m
}

/// Where the coefficients of order `m` begin.
pub(super) fn order_start(degrees: usize, m: usize) -> usize {
    (m * (2 * degrees + 1) - m * m) / 2
}

/// Calls `visit(i, l, m)` for all coefficients in order.
pub(super) fn each(degrees: usize, mut visit: impl FnMut(usize, usize, usize)) {
    let mut i = 0;
    for m in 0..degrees {
        for l in m..degrees {
            visit(i, l, m);
            i += 1;
        }
    }
}

/// Geopotential (m² s⁻²), vorticity and divergence (s⁻¹) as coefficients of orthonormal harmonics without the sign
/// `(-1)^m`; see [`crate::sphere`] for the convention and [`index`] for their order.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    degrees: usize,
    /// Geopotential `g h`.
    pub phi: Vec<Complex64>,
    /// Relative vorticity.
    pub zeta: Vec<Complex64>,
    /// Divergence.
    pub delta: Vec<Complex64>,
}

impl State {
    /// All zero.
    pub fn zeros(degrees: usize) -> Self {
        let zeros = vec![Complex64::default(); coefficients(degrees)];
        Self {
            degrees,
            phi: zeros.clone(),
            zeta: zeros.clone(),
            delta: zeros,
        }
    }

    /// Degrees of the truncation.
    pub fn degrees(&self) -> usize {
        self.degrees
    }

    /// The three fields, in the order of a frame's channels.
    pub fn fields(&self) -> [&[Complex64]; CHANNELS] {
        [&self.phi, &self.zeta, &self.delta]
    }

    pub(super) fn fields_mut(&mut self) -> [&mut [Complex64]; CHANNELS] {
        [&mut self.phi, &mut self.zeta, &mut self.delta]
    }

    /// Mean geopotential over the sphere: it never changes.
    pub fn mean_phi(&self) -> f64 {
        self.phi[0].re / (4.0 * PI).sqrt()
    }

    /// The same state in another truncation: degrees are left out or are zero.
    #[must_use]
    pub fn truncated(&self, degrees: usize) -> Self {
        let mut other = Self::zeros(degrees);
        for (to, from) in other.fields_mut().into_iter().zip(self.fields()) {
            each(degrees.min(self.degrees), |_, l, m| {
                to[index(degrees, l, m)] = from[index(self.degrees, l, m)];
            });
        }
        other
    }

    /// Adds `factor` times another state.
    pub(super) fn add(&mut self, factor: f64, other: &Self) {
        for (to, from) in self.fields_mut().into_iter().zip(other.fields()) {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from * factor;
            }
        }
    }

    /// Becomes another state of the same truncation, without allocating.
    pub(super) fn copy_from(&mut self, other: &Self) {
        for (to, from) in self.fields_mut().into_iter().zip(other.fields()) {
            to.copy_from_slice(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coefficient_has_its_own_place() {
        for n in [1, 2, 7, 43] {
            let mut next = 0;
            each(n, |i, l, m| {
                assert_eq!((i, index(n, l, m)), (next, next));
                next += 1;
            });
            assert_eq!(next, coefficients(n));
        }
        assert_eq!([128, 64, 32, 31].map(degrees), [43, 22, 11, 11]);
    }

    #[test]
    fn a_truncation_keeps_what_both_have() {
        let mut state = State::zeros(5);
        each(5, |i, l, m| {
            state.zeta[i] = Complex64::new(l as f64, m as f64);
        });
        let back = state.truncated(3).truncated(5);
        each(5, |i, l, _| {
            let kept = if l < 3 { state.zeta[i] } else { 0.0.into() };
            assert_eq!(back.zeta[i], kept);
        });
    }
}
