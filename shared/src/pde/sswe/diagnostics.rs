//! What the equations conserve, as means over the sphere.

use super::state::State;
use super::tendency::coriolis;
use super::transform::Transform;

/// Means over the sphere of what a fluid without damping conserves.
///
/// Energies are times gravity, per area and density: `m⁴ s⁻⁴`. Without the part of the potential energy that no motion
/// can use, they change as the total does, because the mean depth never changes, and a drift is not hidden behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnostics {
    /// Mean geopotential: mass.
    pub mass: f64,
    /// `phi (u² + v²) / 2`.
    pub kinetic_energy: f64,
    /// `(phi - mass)² / 2`.
    pub available_energy: f64,
    /// `(zeta + f)² / (2 phi)`.
    pub potential_enstrophy: f64,
    /// `zeta² / 2`.
    pub enstrophy: f64,
}

impl Diagnostics {
    /// The sum of both energies.
    pub fn energy(&self) -> f64 {
        self.kinetic_energy + self.available_energy
    }

    /// By quadrature on the grid of a transform.
    pub(super) fn new(state: &State, transform: &mut Transform) -> Self {
        let (n_lat, n_lon) = (transform.n_lat(), transform.n_lon());
        let zeros = || vec![0.0; n_lat * n_lon];
        let [mut phi, mut absolute, mut u, mut v] = std::array::from_fn(|_| zeros());
        transform.grid_from_spectrum(&state.phi, &mut phi);
        let mut spectrum = state.zeta.clone();
        if let Some(z) = spectrum.get_mut(1) {
            *z += coriolis();
        }
        transform.grid_from_spectrum(&spectrum, &mut absolute);
        transform.wind_from_spectra(&state.zeta, &state.delta, &mut u, &mut v);

        let mass = state.mean_phi();
        let mut sums = [0.0; 3];
        for row in 0..n_lat {
            let weight = transform.weights[row.min(n_lat - 1 - row)] / (4.0 * std::f64::consts::PI);
            for i in row * n_lon..(row + 1) * n_lon {
                sums[0] += weight * 0.5 * phi[i] * (u[i] * u[i] + v[i] * v[i]);
                sums[1] += weight * 0.5 * (phi[i] - mass).powi(2);
                sums[2] += weight * 0.5 * absolute[i].powi(2) / phi[i];
            }
        }
        let degrees = state.degrees();
        // Parseval: orders above 0 stand for a conjugate pair.
        let square: f64 = state
            .zeta
            .iter()
            .enumerate()
            .map(|(i, z)| z.norm_sqr() * if i < degrees { 1.0 } else { 2.0 })
            .sum();
        Self {
            mass,
            kinetic_energy: sums[0],
            available_energy: sums[1],
            potential_enstrophy: sums[2],
            enstrophy: square / (8.0 * std::f64::consts::PI),
        }
    }
}
