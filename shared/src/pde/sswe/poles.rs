//! Winds at the poles, where their components over `sin(theta)` do not exist.
//!
//! There only order 1 has a wind: `P_l1 / sin(theta)` and `dP_l1/dtheta` have the same limit in the north,
//! `q_l = sqrt((2l + 1) l (l + 1) / (16 pi))`, and in the south `-(-1)^l q_l` and `(-1)^l q_l`.

use std::f64::consts::PI;

use rustfft::num_complex::Complex64;

use super::RADIUS;
use super::state::order_start;

/// The limits `q_l` for `l = 1, 2, …`, and where order 1 is in a spectrum.
#[derive(Debug, Clone)]
pub(super) struct Poles {
    start: usize,
    limits: Vec<f64>,
}

/// Order 1 of the eastward and northward components at one pole.
pub(super) type Component = [Complex64; 2];

impl Poles {
    pub(super) fn new(degrees: usize) -> Self {
        let limit = |l: usize| ((2 * l + 1) as f64 * (l * (l + 1)) as f64 / (16.0 * PI)).sqrt();
        Self {
            start: order_start(degrees, 1),
            limits: (1..degrees).map(limit).collect(),
        }
    }

    /// Each degree's place in a spectrum, `l`, and its limits at the north pole and the south pole.
    fn degrees(&self) -> impl Iterator<Item = (usize, f64, [f64; 2])> {
        self.limits.iter().enumerate().map(|(i, &q)| {
            // The first degree is 1, which is odd.
            let mirrored = if i % 2 == 0 { -q } else { q };
            (self.start + i, (i + 1) as f64, [q, mirrored])
        })
    }

    /// The winds at the north pole and the south pole.
    pub(super) fn winds(&self, zeta: &[Complex64], delta: &[Complex64]) -> [Component; 2] {
        let mut winds = [Component::default(); 2];
        for (i, l, limits) in self.degrees() {
            let (psi, chi) = (
                zeta[i] * (-RADIUS / (l * (l + 1.0))),
                delta[i] * (-RADIUS / (l * (l + 1.0))),
            );
            for ((wind, slope), sign) in winds.iter_mut().zip(limits).zip([1.0, -1.0]) {
                wind[0] += (psi + chi * Complex64::I * sign) * slope;
                wind[1] += (psi * Complex64::I * sign - chi) * slope;
            }
        }
        winds
    }

    /// Adds what the fluxes at the poles, each times its weight in the quadrature, are to curl and divergence.
    pub(super) fn add_flux(
        &self,
        fluxes: &[Component; 2],
        curl: &mut [Complex64],
        divergence: &mut [Complex64],
    ) {
        for (i, _, limits) in self.degrees() {
            for ((flux, slope), sign) in fluxes.iter().zip(limits).zip([1.0, -1.0]) {
                let slope = slope / RADIUS;
                let turn = Complex64::I * sign;
                divergence[i] += (flux[0] * turn + flux[1]) * slope;
                curl[i] += (flux[1] * turn - flux[0]) * slope;
            }
        }
    }
}
