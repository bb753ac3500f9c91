//! States whose future is known: Williamson et al., "A standard test set for numerical approximations to the shallow
//! water equations in spherical geometry", J. Comput. Phys. 102 (1992).

use std::f64::consts::{PI, TAU};

use super::state::{State, index};
use super::transform::Transform;
use super::{OMEGA, RADIUS};
use crate::sphere::Latitudes;

/// Test 2: the fluid turns as a solid body, `u = speed cos(lat)`, and a balanced geopotential keeps it so for ever.
///
/// `phi = equator - (a Omega speed + speed²/2) sin²(lat)`. The published case is a turn in twelve days
/// (`speed = 2 pi a / 12 days`) with 2.94e4 m² s⁻² at the equator.
///
/// # Panics
/// If there are fewer than three degrees.
pub fn zonal_flow(degrees: usize, speed: f64, equator: f64) -> State {
    assert!(
        degrees >= 3,
        "a zonal flow needs three degrees, found {degrees}"
    );
    let mut state = State::zeros(degrees);
    let depression = RADIUS * OMEGA * speed + 0.5 * speed * speed;
    // sin²(lat) = 1/3 + 2/3 P_2.
    state.phi[0] = ((4.0 * PI).sqrt() * (equator - depression / 3.0)).into();
    state.phi[2] = (-depression / 3.0 * (16.0 * PI / 5.0).sqrt()).into();
    state.zeta[1] = (2.0 * speed / RADIUS * (4.0 * PI / 3.0).sqrt()).into();
    state
}

/// Test 6: a Rossby-Haurwitz wave, which in a fluid without divergence turns eastwards without changing its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RossbyHaurwitz {
    /// Waves around the globe: `R`.
    pub waves: usize,
    /// Rotation of the mean flow in radians per second: `omega`.
    pub rotation: f64,
    /// Amplitude of the wave in radians per second: `K`.
    pub amplitude: f64,
    /// Geopotential at the poles.
    pub pole: f64,
}

impl Default for RossbyHaurwitz {
    /// The published case: four waves, 8 km deep at the poles.
    fn default() -> Self {
        Self {
            waves: 4,
            rotation: 7.848e-6,
            amplitude: 7.848e-6,
            pole: super::GRAVITY * 8e3,
        }
    }
}

impl RossbyHaurwitz {
    /// Radians per second at which the wave turns in a fluid without divergence: `(R (R + 3) omega - 2 Omega) / ((R + 1) (R + 2))`.
    pub fn angular_speed(&self) -> f64 {
        let r = self.waves as f64;
        (r * (r + 3.0) * self.rotation - 2.0 * OMEGA) / ((r + 1.0) * (r + 2.0))
    }

    /// The wave with one crest at longitude 0, and the geopotential that balances it without divergence.
    ///
    /// # Panics
    /// If there are fewer than `2 R + 3` degrees.
    pub fn state(&self, degrees: usize) -> State {
        let needed = 2 * self.waves + 3;
        assert!(
            degrees >= needed,
            "a wave needs {needed} degrees, found {degrees}"
        );
        let (n_lat, n_lon) = (degrees.next_multiple_of(2), 2 * degrees);
        let mut zeta = Vec::with_capacity(n_lat * n_lon);
        let mut phi = Vec::with_capacity(n_lat * n_lon);
        for theta in Latitudes::Gauss.colatitudes(n_lat) {
            for j in 0..n_lon {
                let (z, p) = self.at(theta, TAU * j as f64 / n_lon as f64);
                zeta.push(z);
                phi.push(p);
            }
        }
        let mut state = State::zeros(degrees);
        let mut transform = Transform::new(Latitudes::Gauss, n_lat, n_lon, degrees);
        transform.spectrum_from_grid(&zeta, &mut state.zeta);
        transform.spectrum_from_grid(&phi, &mut state.phi);
        state
    }

    /// Vorticity and geopotential at a point: equations 144 and 146-149.
    fn at(&self, theta: f64, longitude: f64) -> (f64, f64) {
        let r = self.waves as f64;
        let (omega, k) = (self.rotation, self.amplitude);
        // The colatitude's sine is the latitude's cosine.
        let (c, s) = theta.sin_cos();
        let (c2, cr) = (c * c, c.powi(self.waves as i32));
        let crest = |times: f64| (times * r * longitude).cos();
        let zeta = 2.0 * omega * s - k * s * cr * (r * r + 3.0 * r + 2.0) * crest(1.0);
        let mean = 0.5 * omega * (2.0 * OMEGA + omega) * c2
            + 0.25
                * k
                * k
                * cr
                * cr
                * ((r + 1.0) * c2 + (2.0 * r * r - r - 2.0) - 2.0 * r * r / c2);
        let first = 2.0 * (OMEGA + omega) * k / ((r + 1.0) * (r + 2.0))
            * cr
            * ((r * r + 2.0 * r + 2.0) - (r + 1.0).powi(2) * c2);
        let second = 0.25 * k * k * cr * cr * ((r + 1.0) * c2 - (r + 2.0));
        let bracket = mean + first * crest(1.0) + second * crest(2.0);
        (zeta, self.pole + RADIUS * RADIUS * bracket)
    }

    /// Angle in radians by which the crests of a state's vorticity stand east of longitude 0, up to whole waves.
    pub fn angle(&self, state: &State) -> f64 {
        let z = state.zeta[index(state.degrees(), self.waves + 1, self.waves)];
        // The vorticity of the wave is negative at longitude 0.
        -(-z).arg() / self.waves as f64
    }
}
