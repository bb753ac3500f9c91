//! How large the coefficients of each wavenumber are: the units of the spectral CRPS.

use super::band::Band;

/// The smallest unit of a wavenumber, in that of a white field of the same variance.
///
/// Spectra of smooth fields fall by many orders of magnitude, and what f32 leaves of a network's output is rounded like
/// white noise: by some 1e-6 of a field, 1e-5 of a small increment, and 1e-3 between devices. In units of a hundredth of
/// white noise none of that is worth anything, and the gradient of no coefficient is more than a hundred times that of
/// white noise, which is that of the pointwise CRPS.
pub const FLOOR: f64 = 0.01;

/// Standard deviation of the coefficients of every shell, channel by channel, in the units of the loss.
#[derive(Debug, Clone, PartialEq)]
pub struct Scales {
    /// `[channel][shell]`.
    pub(super) std: Vec<Vec<f64>>,
}

impl Scales {
    /// The standard deviation of a shell.
    pub fn of(&self, channel: usize, shell: usize) -> f64 {
        self.std[channel][shell]
    }
}

/// Sums over the truths of some training cases.
#[derive(Debug, Clone)]
pub struct Moments {
    channels: usize,
    points: usize,
    count: f64,
    /// Of every coefficient.
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    /// Of no case yet, on so many points.
    pub fn new(band: &Band, channels: usize, points: usize) -> Self {
        let values = band.len() * channels;
        Self {
            channels,
            points,
            count: 0.0,
            sums: vec![0.0; values],
            squares: vec![0.0; values],
        }
    }

    /// Takes in what [`Band::of`] gives of some cases, row by row.
    pub fn push(&mut self, spectra: &[f32]) {
        for spectrum in spectra.chunks_exact(self.sums.len()) {
            self.count += 1.0;
            let sums = self.sums.iter_mut().zip(&mut self.squares);
            for ((sum, square), &value) in sums.zip(spectrum) {
                let value = f64::from(value);
                *sum += value;
                *square += value * value;
            }
        }
    }

    /// The root of the mean variance of the coefficients of each shell, not below the [`FLOOR`].
    pub fn scales(&self, band: &Band) -> Scales {
        let of = |channel: usize| {
            let mut sums = vec![[0.0; 2]; band.shells()];
            for (at, place) in band.places().iter().enumerate() {
                let at = Band::position(at, channel, self.channels);
                let (mean, square) = (self.sums[at] / self.count, self.squares[at] / self.count);
                let variance = (square - mean * mean).max(0.0) * place.amplitude.powi(2);
                let [sum, shares] = &mut sums[place.shell];
                *sum += place.share * variance;
                *shares += place.share;
            }
            // By Parseval's theorem the variance of the field, as far as the band has it.
            let all: f64 = sums.iter().map(|[sum, _]| sum).sum();
            // A field that is the same in all cases: in network units.
            let all = if all > 0.0 { all } else { 1.0 };
            let least = FLOOR * (all / self.points as f64).sqrt();
            let shells = sums.into_iter();
            shells
                .map(|[sum, shares]| (sum / shares).sqrt().max(least))
                .collect()
        };
        Scales {
            std: (0..self.channels).map(of).collect(),
        }
    }
}
