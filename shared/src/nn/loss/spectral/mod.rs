//! Spectral CRPS: the CRPS of every coefficient of a spectrum, so that members have as much of every scale as the truth.
//!
//! Pointwise scores see large scales only: of a field whose spectrum falls, fine scales are a thousandth of the variance, and
//! a network may leave them out or fill them with noise for nothing. Here each wavenumber is measured with its own
//! standard deviation, and all wavenumbers count alike (FourCastNet 3, Bonev et al. 2025, has a spectral CRPS beside the
//! pointwise one for the same reason).

mod band;
mod scales;

pub use band::Band;
pub use scales::{FLOOR, Moments, Scales};

use burn::tensor::{Device, Tensor};

use super::{Norm, crps};

/// The term that is added to a loss.
///
/// `factor · 1/(C S) Σ_c Σ_s 1/|s| Σ_{a ∈ s} CRPS(a) / σ_cs` with the fair CRPS of each real coefficient `a` of a shell `s`
/// ([`Band`]), and the standard deviation `σ_cs` of such coefficients of the channel `c` in the training data ([`Scales`]).
/// A forecast that knows nothing but the climate of Gaussian fields has `factor / √π`, which is what `factor` times the
/// pointwise CRPS has in network units, too.
#[derive(Debug, Clone)]
pub struct Spectral {
    band: Band,
    factor: f32,
    /// The mean over coefficients.
    norm: Norm,
}

impl Spectral {
    /// The term with a factor.
    pub fn new(band: Band, scales: &Scales, factor: f32, device: &Device) -> Self {
        let channels = scales.std.len();
        let values = band.len() * channels;
        let mut shares = vec![0.0; band.shells()];
        for place in band.places() {
            shares[place.shell] += place.share;
        }
        let mut weights = vec![0.0; values];
        for (at, place) in band.places().iter().enumerate() {
            for (channel, std) in scales.std.iter().enumerate() {
                let of_shell =
                    place.share / (shares[place.shell] * (shares.len() * channels) as f64);
                let weight = of_shell * place.amplitude / std[place.shell];
                // What is taken is a mean over all values.
                weights[Band::position(at, channel, channels)] = (weight * values as f64) as f32;
            }
        }
        Self {
            band,
            factor,
            norm: Norm::weighted(weights, device),
        }
    }

    /// The term of each case.
    ///
    /// # Shapes
    /// - members: `[cases, members, values]`
    /// - truth: `[cases, values]`
    /// - output: `[cases]`
    pub fn of(&self, members: &Tensor<3>, truth: &Tensor<2>) -> Tensor<1> {
        let [cases, count, values] = members.dims();
        let spectra = self
            .band
            .of(members.clone().reshape([cases * count, values]));
        let coefficients = spectra.dims()[1];
        let spectra = spectra.reshape([cases, count, coefficients]);
        crps(&spectra, &self.band.of(truth.clone()), &self.norm) * self.factor
    }
}
