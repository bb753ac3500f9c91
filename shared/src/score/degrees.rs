//! Spectra on a sphere: power by degree of the spherical harmonics.
//!
//! `P_l = 1/(4π) Σ_m c_m |a_lm|²` with `c_0 = 1`, otherwise 2, and the coefficients `a_lm` of [`sphere`](crate::sphere), so
//! that `Σ_l P_l` is the area mean of the square of a field without higher degrees.
//!
//! - Range and estimator as in [`spectrum`](super::spectrum); no direction on the sphere is told from another, and poles
//!   count by their area.
//! - Degrees: those that the grid carries ([`usable_degrees`]), at most [`MAX_DEGREES`].
//! - NaN: any NaN gives NaN; where truth is skipped, a field with a NaN in the truth is left out. A channel with masked
//!   points has none.
//! - Reference: the addition theorem; Baer, J. Atmos. Sci. 29 (1972) for its use.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use super::measure::Measure;
use super::nan::NanPolicy;
use super::spectrum::Spectrum;
use super::threads::map_in_order;
use crate::sphere::tables::usable_degrees;
use crate::sphere::{Latitudes, legendre};

/// The estimator in words.
pub const ESTIMATOR: &str = "power per degree of the spherical harmonics, sums to the area mean of the square, mean over members and cases";

/// Most degrees: the table of Legendre functions has this number squared for every latitude.
pub const MAX_DEGREES: usize = 128;

/// Degree spectra for every step of time and every channel, over any number of cases.
pub(crate) struct DegreeSpectra {
    transform: Transform,
    leads: usize,
    channels: usize,
    sums: Vec<Sums>,
}

/// Sums of one step of time and one channel.
#[derive(Debug, Clone)]
struct Sums {
    fields: f64,
    /// `[(members, mean, truth), degree]`.
    power: Vec<f64>,
}

/// A field to its coefficients.
struct Transform {
    degrees: usize,
    longitudes: usize,
    fft: Arc<dyn Fft<f64>>,
    /// `2π w_k P_lm(cos θ_k)`, `[latitude, order, degree]`.
    table: Vec<f64>,
}

impl std::fmt::Debug for DegreeSpectra {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DegreeSpectra")
            .field("degrees", &self.transform.degrees)
            .finish_non_exhaustive()
    }
}

impl DegreeSpectra {
    /// Nothing yet, for fields whose last two axes are latitude and longitude.
    pub fn new(latitudes: Latitudes, measure: &Measure) -> Self {
        let (leads, channels) = (measure.lead_times(), measure.channels());
        let transform = match measure.shape() {
            &[.., circles, longitudes] => Transform::new(latitudes, circles, longitudes),
            _ => Transform::new(latitudes, 1, measure.points()),
        };
        let empty = Sums {
            fields: 0.0,
            power: vec![0.0; 3 * transform.degrees],
        };
        Self {
            sums: vec![empty; leads * channels],
            transform,
            leads,
            channels,
        }
    }

    /// Takes in a case.
    pub fn push(&mut self, members: &[f32], truth: &[f32], measure: &Measure, nan: NanPolicy) {
        let (channels, size) = (self.channels, truth.len() / self.leads);
        let transform = &self.transform;
        let items = (0..self.leads * channels).collect();
        let parts = map_in_order(items, |item: usize| {
            let (lead, channel) = (item / channels, item % channels);
            let place = lead * size + channel..(lead + 1) * size;
            let of = |field: &[f32]| -> Vec<f64> {
                let values = field[place.clone()].iter().step_by(channels);
                values.map(|&v| f64::from(v)).collect()
            };
            let y = of(truth);
            let is_skipped = nan == NanPolicy::Skip && y.iter().any(|v| v.is_nan());
            let is_masked = measure.is_masked()
                && place
                    .clone()
                    .step_by(channels)
                    .any(|v| measure.leaves_out(v));
            (!is_skipped && !is_masked).then(|| {
                let fields = members.chunks_exact(truth.len()).map(of);
                transform.powers(fields, members.len() / truth.len(), &y)
            })
        });
        for (sums, part) in self.sums.iter_mut().zip(parts) {
            if let Some(power) = part {
                sums.fields += 1.0;
                for (sum, value) in sums.power.iter_mut().zip(power) {
                    *sum += value;
                }
            }
        }
    }

    /// The means of every step of time, of the channels that have a field.
    pub fn by_lead(&self) -> Vec<Vec<Spectrum>> {
        let degrees = self.transform.degrees;
        let of_channel = |(channel, sums): (usize, &Sums)| {
            let mean = |i: usize| {
                let power = &sums.power[i * degrees..][..degrees];
                power.iter().map(|p| p / sums.fields).collect()
            };
            (sums.fields > 0.0).then(|| Spectrum {
                channel,
                members: mean(0),
                ensemble_mean: mean(1),
                truth: mean(2),
            })
        };
        let leads = self.sums.chunks_exact(self.channels);
        leads
            .map(|lead| lead.iter().enumerate().filter_map(of_channel).collect())
            .collect()
    }
}

impl Transform {
    fn new(latitudes: Latitudes, circles: usize, longitudes: usize) -> Self {
        let degrees = usable_degrees(latitudes, circles).min(MAX_DEGREES);
        let weights = latitudes.weights(circles);
        let thetas = latitudes.colatitudes(circles).into_iter();
        let table = thetas.zip(weights).flat_map(|(theta, weight)| {
            let functions = legendre::functions(theta, degrees, degrees);
            functions.into_iter().map(move |p| TAU * weight * p)
        });
        Self {
            degrees,
            longitudes,
            fft: FftPlanner::new().plan_fft_forward(longitudes),
            table: table.collect(),
        }
    }

    /// Mean power of the members, power of their mean, and of the truth, `[3, degree]`.
    fn powers(
        &self,
        members: impl Iterator<Item = Vec<f64>>,
        count: usize,
        truth: &[f64],
    ) -> Vec<f64> {
        let mut all = vec![0.0; 3 * self.degrees];
        let mut mean = vec![0.0; truth.len()];
        for member in members {
            for (mean, value) in mean.iter_mut().zip(&member) {
                *mean += value / count as f64;
            }
            self.add(&member, 1.0 / count as f64, &mut all[..self.degrees]);
        }
        self.add(&mean, 1.0, &mut all[self.degrees..2 * self.degrees]);
        self.add(truth, 1.0, &mut all[2 * self.degrees..]);
        all
    }

    /// Adds the power of a field `[latitude, longitude]`.
    fn add(&self, field: &[f64], weight: f64, power: &mut [f64]) {
        let Self {
            degrees,
            longitudes,
            ..
        } = *self;
        // Orders that the circles carry.
        let orders = degrees.min(longitudes.div_ceil(2));
        let mut coefficients = vec![Complex::new(0.0, 0.0); orders * degrees];
        let circles = field.chunks_exact(longitudes);
        let tables = self.table.chunks_exact((degrees * degrees).max(1));
        for (circle, table) in circles.zip(tables) {
            let mut row: Vec<_> = circle.iter().map(|&v| Complex::new(v, 0.0)).collect();
            self.fft.process(&mut row);
            for m in 0..orders {
                let mean = row[m] / longitudes as f64;
                for l in m..degrees {
                    coefficients[m * degrees + l] += mean * table[m * degrees + l];
                }
            }
        }
        for (i, a) in coefficients.iter().enumerate() {
            let sides = if i < degrees { 1.0 } else { 2.0 };
            power[i % degrees] += weight * sides * a.norm_sqr() / (4.0 * PI);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P_lm(cos θ) cos(m λ)` times `√(4π)`, which has an area mean of the square of 1, or 1/2 for m > 0.
    fn harmonic(latitudes: Latitudes, grid: [usize; 2], l: usize, m: usize) -> Vec<f32> {
        let thetas = latitudes.colatitudes(grid[0]).into_iter();
        let rows = thetas.flat_map(|theta| {
            let p = legendre::functions(theta, l + 1, m + 1)[m * (l + 1) + l];
            (0..grid[1]).map(move |j| {
                let turns = (m * j) as f64 / grid[1] as f64;
                ((4.0 * PI).sqrt() * p * (TAU * turns).cos()) as f32
            })
        });
        rows.collect()
    }

    fn measure(latitudes: Latitudes, grid: [usize; 2]) -> Measure {
        Measure::grid(&grid).with_weights(latitudes.area_weights(grid[0], grid[1]))
    }

    fn near(found: &[f64], wanted: &[(usize, f64)]) {
        for (l, power) in found.iter().enumerate() {
            let wanted: f64 = wanted.iter().filter(|w| w.0 == l).map(|w| w.1).sum();
            assert!((power - wanted).abs() < 1e-5, "degree {l}: {found:?}");
        }
    }

    #[test]
    fn a_harmonic_has_its_power_at_its_degree_whatever_its_order() {
        for (latitudes, grid) in [
            (Latitudes::Equiangular, [17, 24]),
            (Latitudes::Gauss, [10, 20]),
        ] {
            let field = |l, m| harmonic(latitudes, grid, l, m);
            let measure = measure(latitudes, grid);
            let mut spectra = DegreeSpectra::new(latitudes, &measure);
            let members = [field(3, 0), field(3, 2), field(5, 5), field(5, 5)].concat();
            for _ in 0..2 {
                spectra.push(&members, &field(6, 1), &measure, NanPolicy::Propagate);
            }
            let found = &spectra.by_lead()[0][0];
            near(&found.members, &[(3, 0.25 * 1.5), (5, 0.5 * 0.5)]);
            near(&found.ensemble_mean, &[(3, 1.5 / 16.0), (5, 0.5 / 4.0)]);
            near(&found.truth, &[(6, 0.5)]);
        }
    }

    #[test]
    fn the_power_sums_to_the_area_mean_of_the_square() {
        let (latitudes, grid) = (Latitudes::Gauss, [8, 16]);
        let measure = measure(latitudes, grid);
        let parts = [(0, 0), (1, 1), (4, 2), (7, 0), (7, 6)];
        let mut field = vec![0.0_f32; 128];
        for (i, (l, m)) in parts.into_iter().enumerate() {
            for (sum, value) in field.iter_mut().zip(harmonic(latitudes, grid, l, m)) {
                *sum += (i as f32 - 1.5) * value;
            }
        }
        let squares = field.iter().enumerate();
        let wanted: f64 = squares
            .map(|(v, &f)| measure.weight(v) * f64::from(f).powi(2) / 128.0)
            .sum();
        let mut spectra = DegreeSpectra::new(latitudes, &measure);
        spectra.push(&field, &field, &measure, NanPolicy::Propagate);
        let sum: f64 = spectra.by_lead()[0][0].truth.iter().sum();
        assert!((sum - wanted).abs() < 1e-5 * wanted, "{sum} for {wanted}");
    }

    #[test]
    fn steps_and_channels_stand_apart() {
        let (latitudes, grid) = (Latitudes::Equiangular, [9, 16]);
        let steps = measure(latitudes, grid).with_channels(2).over_steps(2);
        let interleaved = |a: Vec<f32>, b: Vec<f32>| -> Vec<f32> {
            a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect()
        };
        let field = |l| harmonic(latitudes, grid, l, 0);
        let first = interleaved(field(1), field(2));
        let all = [first, interleaved(field(3), field(4))].concat();
        let mut spectra = DegreeSpectra::new(latitudes, &steps);
        spectra.push(&all, &all, &steps, NanPolicy::Propagate);
        let found = spectra.by_lead();
        for (item, degree) in (0..4).zip(1..) {
            let spectrum = &found[item / 2][item % 2];
            assert_eq!(spectrum.channel, item % 2);
            near(&spectrum.truth, &[(degree, 1.0)]);
            near(&spectrum.members, &[(degree, 1.0)]);
        }
    }
}
