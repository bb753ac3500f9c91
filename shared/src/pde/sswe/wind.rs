//! Winds and their derivatives as three-term relations between degrees.
//!
//! With the colatitude `theta`, `sin(theta) dP_lm/dtheta = l e_{l+1} P_{l+1} - (l+1) e_l P_{l-1}`, where
//! `e_l = sqrt((l² - m²) / (4 l² - 1))`. So the wind times `sin(theta)` is a scalar field with one degree more than
//! the vorticity and the divergence that it comes from, and nothing but scalar transforms is needed.

use rustfft::num_complex::Complex64;

use super::RADIUS;
use super::state::order_start;

/// Factors of one coefficient `l, m`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors {
    /// `a e_l / l`: degree `l - 1` in the wind's degree `l`. Zero where there is no such degree, or only its mean.
    wind_below: f64,
    /// `a e_{l+1} / (l + 1)`: degree `l + 1` in the wind's degree `l`.
    wind_above: f64,
    /// `a m / (l (l + 1))`.
    wind_here: f64,
    /// `(l + 1) e_l / a`: the flux's degree `l - 1` in the derivative's degree `l`.
    flux_below: f64,
    /// `l e_{l+1} / a`.
    flux_above: f64,
    /// `m / a`.
    flux_here: f64,
}

/// The relations for all coefficients of a truncation, and one degree more.
#[derive(Debug, Clone)]
pub(super) struct Wind {
    degrees: usize,
    factors: Vec<Factors>,
}

/// Where a degree is looked up by its distance `i = l - m` from the first; beyond the ends there is nothing.
#[inline(always)]
fn at(order: &[Complex64], i: usize) -> Complex64 {
    order.get(i).copied().unwrap_or_default()
}

#[inline(always)]
fn times_i(z: Complex64) -> Complex64 {
    Complex64::new(-z.im, z.re)
}

impl Wind {
    pub(super) fn new(degrees: usize) -> Self {
        let mut factors = Vec::new();
        for m in 0..degrees {
            for l in m..=degrees {
                let (l_, m_) = (l as f64, m as f64);
                let e = |l: f64| ((l * l - m_ * m_) / (4.0 * l * l - 1.0)).sqrt();
                factors.push(Factors {
                    wind_below: if l > m.max(1) {
                        RADIUS * e(l_) / l_
                    } else {
                        0.0
                    },
                    wind_above: RADIUS * e(l_ + 1.0) / (l_ + 1.0),
                    wind_here: if l > 0 {
                        RADIUS * m_ / (l_ * (l_ + 1.0))
                    } else {
                        0.0
                    },
                    flux_below: if l > m {
                        (l_ + 1.0) * e(l_) / RADIUS
                    } else {
                        0.0
                    },
                    flux_above: l_ * e(l_ + 1.0) / RADIUS,
                    flux_here: m_ / RADIUS,
                });
            }
        }
        Self { degrees, factors }
    }

    /// The factors of one order, by `i = l - m`.
    #[inline(always)]
    pub(super) fn factors(&self, m: usize) -> &[Factors] {
        &self.factors[order_start(self.degrees, m) + m..][..=self.degrees - m]
    }

    /// Calls `put(i, U, V)` for `l = m + i` up to one degree more than the truncation: the coefficients of
    /// `u sin(theta)` and `v sin(theta)`, for `u` eastwards and `v` northwards.
    #[inline(always)]
    pub(super) fn each_wind(
        &self,
        m: usize,
        zeta: &[Complex64],
        delta: &[Complex64],
        mut put: impl FnMut(usize, Complex64, Complex64),
    ) {
        let range = order_start(self.degrees, m)..order_start(self.degrees, m + 1);
        let (zeta, delta) = (&zeta[range.clone()], &delta[range]);
        let (mut zeta_below, mut delta_below) = (Complex64::default(), Complex64::default());
        for (i, f) in self.factors(m).iter().enumerate() {
            let (zeta_here, delta_here) = (at(zeta, i), at(delta, i));
            let turn = |field: &[Complex64], below: Complex64| {
                at(field, i + 1) * f.wind_above - below * f.wind_below
            };
            put(
                i,
                turn(zeta, zeta_below) - times_i(delta_here) * f.wind_here,
                -turn(delta, delta_below) - times_i(zeta_here) * f.wind_here,
            );
            (zeta_below, delta_below) = (zeta_here, delta_here);
        }
    }
}

impl Factors {
    /// Divergence of a flux, from the coefficients of its components over `sin(theta)` at `l - 1`, `l`, `l + 1`.
    ///
    /// What stands for a degree that does not exist has no effect.
    #[inline(always)]
    pub(super) fn divergence(&self, east: [Complex64; 3], north: [Complex64; 3]) -> Complex64 {
        times_i(east[1]) * self.flux_here + self.slope(north)
    }

    /// Curl of a flux, likewise.
    #[inline(always)]
    pub(super) fn curl(&self, east: [Complex64; 3], north: [Complex64; 3]) -> Complex64 {
        times_i(north[1]) * self.flux_here - self.slope(east)
    }

    #[inline(always)]
    fn slope(&self, [below, _, above]: [Complex64; 3]) -> Complex64 {
        above * self.flux_above - below * self.flux_below
    }
}
