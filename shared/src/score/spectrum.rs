//! Spectra: whether members have as much power at every wavenumber as the truth.
//!
//! `P_k = c_k |1/N Σ_x u_x exp(-2πi k x / N)|²` along the last axis, c = 1 for k = 0 and k = N/2, otherwise 2, so that
//! `Σ_k P_k` is the mean square of the row.
//!
//! - Range: 0 upwards, in squared units of the field. Members should lie on the truth. The ensemble mean may fall below
//!   it at scales that cannot be forecast; members that do are blurred, members above it are noisy.
//! - Estimator: mean over rows (by weight), members and cases. The axis is taken as periodic: where it is not, the jump
//!   at its end adds power that falls as k⁻².
//! - NaN: any NaN gives NaN; where truth is skipped, rows with a NaN in the truth are left out, and rows with a masked
//!   point always: a spectrum is that of whole rows, and there is none of a channel without any.
//! - Reference: Parseval's theorem for the scale; use on ensembles: Harris et al., Q. J. R. Meteorol. Soc. 127 (2001).

use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use serde::{Deserialize, Serialize};

use super::measure::Measure;
use super::nan::NanPolicy;
use super::threads::map_in_order;

/// The estimator in words.
pub const ESTIMATOR: &str = "power per wavenumber along the last axis, one-sided, sums to the mean square, mean over rows, members and cases";

/// Values of one field per piece of work.
const PIECE: usize = 1 << 14;

/// Power by wavenumber, `[N/2 + 1]` each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// Channel.
    pub channel: usize,
    /// Of the members, in the mean.
    #[serde(with = "super::nan::nans_as_null")]
    pub members: Vec<f64>,
    /// Of the ensemble mean.
    #[serde(with = "super::nan::nans_as_null")]
    pub ensemble_mean: Vec<f64>,
    /// Of the truth.
    #[serde(with = "super::nan::nans_as_null")]
    pub truth: Vec<f64>,
}

/// Spectra over any number of cases.
pub(crate) struct Spectra {
    length: usize,
    channels: usize,
    fft: Arc<dyn Fft<f64>>,
    /// One for each step of time that is told apart.
    sums: Vec<Sums>,
}

#[derive(Clone)]
struct Sums {
    /// `[channel, (members, mean, truth), wavenumber]`.
    power: Vec<f64>,
    /// Weight of the rows, by channel.
    weight: Vec<f64>,
}

impl std::fmt::Debug for Spectra {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spectra")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl Spectra {
    /// Nothing yet.
    pub fn new(measure: &Measure) -> Self {
        Self::of_groups(measure, 1)
    }

    /// Nothing yet, each step of time by itself.
    pub fn by_lead(measure: &Measure) -> Self {
        Self::of_groups(measure, measure.lead_times())
    }

    fn of_groups(measure: &Measure, groups: usize) -> Self {
        let length = measure.shape().last().copied().unwrap_or(1);
        let channels = measure.channels();
        Self {
            length,
            channels,
            fft: FftPlanner::new().plan_fft_forward(length),
            sums: vec![
                Sums {
                    power: vec![0.0; channels * 3 * (length / 2 + 1)],
                    weight: vec![0.0; channels],
                };
                groups
            ],
        }
    }

    /// Takes in a case.
    pub fn push(&mut self, members: &[f32], truth: &[f32], measure: &Measure, nan: NanPolicy) {
        let row = self.length * self.channels;
        let rows = truth.len() / row / self.sums.len();
        let per_piece = (PIECE / row).max(1);
        let of_group = |group| {
            (0..rows)
                .step_by(per_piece)
                .map(move |first| (group, first))
        };
        let pieces = (0..self.sums.len()).flat_map(of_group).collect();
        let empty = Sums {
            power: vec![0.0; self.sums[0].power.len()],
            weight: vec![0.0; self.channels],
        };
        let worker = Worker {
            length: self.length,
            channels: self.channels,
            fft: &self.fft,
        };
        let parts = map_in_order(pieces, |(group, first): (usize, usize)| {
            let mut sums = empty.clone();
            let piece = first..rows.min(first + per_piece);
            for start in piece.map(|r| (group * rows + r) * row) {
                for channel in 0..worker.channels {
                    let at = start + channel;
                    let points = (at..at + row).step_by(worker.channels);
                    if measure.is_masked() && points.into_iter().any(|v| measure.leaves_out(v)) {
                        continue;
                    }
                    let field = Fields { members, truth, at };
                    worker.add_row(&field, measure.weight(at), nan, &mut sums);
                }
            }
            (group, sums)
        });
        for (group, part) in parts {
            let sums = &mut self.sums[group];
            for (sum, value) in sums.power.iter_mut().zip(&part.power) {
                *sum += value;
            }
            for (sum, value) in sums.weight.iter_mut().zip(&part.weight) {
                *sum += value;
            }
        }
    }

    /// The means of each group, of the channels that have a row.
    pub fn finish(&self) -> Vec<Vec<Spectrum>> {
        self.sums.iter().map(|sums| self.means(sums)).collect()
    }

    fn means(&self, sums: &Sums) -> Vec<Spectrum> {
        let bins = self.length / 2 + 1;
        let channels = sums.power.chunks_exact(3 * bins).zip(&sums.weight);
        let known = channels
            .enumerate()
            .filter(|(_, (_, weight))| **weight > 0.0);
        let spectra = known.map(|(channel, (power, weight))| {
            let mean = |i: usize| {
                power[i * bins..][..bins]
                    .iter()
                    .map(|p| p / weight)
                    .collect()
            };
            Spectrum {
                channel,
                members: mean(0),
                ensemble_mean: mean(1),
                truth: mean(2),
            }
        });
        spectra.collect()
    }
}

/// One row: where it starts in the fields.
struct Fields<'a> {
    members: &'a [f32],
    truth: &'a [f32],
    at: usize,
}

struct Worker<'a> {
    length: usize,
    channels: usize,
    fft: &'a Arc<dyn Fft<f64>>,
}

impl Worker<'_> {
    fn add_row(&self, fields: &Fields, weight: f64, nan: NanPolicy, sums: &mut Sums) {
        let Fields { members, truth, at } = *fields;
        let row = |field: &[f32]| -> Vec<f64> {
            let values = field[at..].iter().step_by(self.channels).take(self.length);
            values.map(|&v| f64::from(v)).collect()
        };
        let y = row(truth);
        if nan == NanPolicy::Skip && y.iter().any(|v| v.is_nan()) {
            return;
        }
        let channel = at % self.channels;
        let bins = self.length / 2 + 1;
        let power = &mut sums.power[channel * 3 * bins..][..3 * bins];
        sums.weight[channel] += weight;
        let (of_members, rest) = power.split_at_mut(bins);
        let (of_mean, of_truth) = rest.split_at_mut(bins);

        let count = members.len() / truth.len();
        let mut mean = vec![0.0; self.length];
        let mut fields = members.chunks_exact(truth.len());
        while let Some(first) = fields.next() {
            // Two real rows are one complex one: the sum of both powers at k is that of k and -k, halved.
            let first = row(first);
            let second = fields.next().map_or_else(|| vec![0.0; self.length], row);
            for ((mean, a), b) in mean.iter_mut().zip(&first).zip(&second) {
                *mean += (a + b) / count as f64;
            }
            self.add_power(&first, &second, weight / count as f64, of_members);
        }
        let zeros = vec![0.0; self.length];
        self.add_power(&mean, &zeros, weight, of_mean);
        self.add_power(&y, &zeros, weight, of_truth);
    }

    fn add_power(&self, re: &[f64], im: &[f64], weight: f64, power: &mut [f64]) {
        let pairs = re.iter().zip(im);
        let mut row: Vec<_> = pairs.map(|(&re, &im)| Complex::new(re, im)).collect();
        self.fft.process(&mut row);
        let scale = weight / (self.length as f64).powi(2);
        for (k, power) in power.iter_mut().enumerate() {
            let opposite = (self.length - k) % self.length;
            let both = f64::midpoint(row[k].norm_sqr(), row[opposite].norm_sqr());
            let sides = if opposite == k { 1.0 } else { 2.0 };
            *power += scale * sides * both;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn wave(n: usize, k: usize, amplitude: f64) -> impl Iterator<Item = f32> {
        (0..n).map(move |x| (amplitude * (TAU * (k * x) as f64 / n as f64 + 0.3).cos()) as f32)
    }

    #[test]
    fn waves_have_half_their_squared_amplitude_at_their_wavenumber() {
        for n in [12, 15] {
            let measure = Measure::grid(&[2, n]);
            // Three members, both rows: waves 2, 2 and 3 of amplitude 2; truth wave 1 of amplitude 4.
            let field = |k, amplitude| wave(n, k, amplitude).chain(wave(n, k, amplitude));
            let members: Vec<f32> = field(2, 2.0)
                .chain(field(2, 2.0))
                .chain(field(3, 2.0))
                .collect();
            let truth: Vec<f32> = field(1, 4.0).collect();
            let mut spectra = Spectra::new(&measure);
            spectra.push(&members, &truth, &measure, NanPolicy::Propagate);
            spectra.push(&members, &truth, &measure, NanPolicy::Propagate);
            let found = &spectra.finish()[0][0];
            let mut wanted = vec![0.0; n / 2 + 1];
            wanted[1] = 8.0;
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(near(&found.truth, &wanted), "{found:?}");
            (wanted[1], wanted[2], wanted[3]) = (0.0, 4.0 / 3.0, 2.0 / 3.0);
            assert!(near(&found.members, &wanted), "{found:?}");
            (wanted[2], wanted[3]) = (8.0 / 9.0, 2.0 / 9.0);
            assert!(near(&found.ensemble_mean, &wanted), "{found:?}");
        }
    }

    #[test]
    fn steps_of_time_are_told_apart_where_they_are_asked_for() {
        let measure = Measure::grid(&[3, 2, 12]).with_time();
        // Wave k has the amplitude k in both rows of step k.
        let steps = (1..=3).flat_map(|k| {
            [(); 2]
                .into_iter()
                .flat_map(move |()| wave(12, k, k as f64))
        });
        let field: Vec<f32> = steps.collect();
        let mut spectra = Spectra::by_lead(&measure);
        spectra.push(&field, &field, &measure, NanPolicy::Propagate);
        let found = spectra.finish();
        assert_eq!(found.len(), 3);
        for (step, spectra) in found.iter().enumerate() {
            for (k, power) in spectra[0].members.iter().enumerate() {
                let wanted = if k == step + 1 {
                    (k * k) as f64 / 2.0
                } else {
                    0.0
                };
                assert!(
                    (power - wanted).abs() < 1e-5,
                    "step {step}, wave {k}: {power}"
                );
            }
        }
    }

    #[test]
    fn the_power_sums_to_the_mean_square_of_each_channel() {
        let measure = Measure::grid(&[3, 10])
            .with_channels(2)
            .with_weights([0.5, 1.0, 1.5].iter().flat_map(|w| [*w; 10]).collect());
        let values: Vec<f32> = (0..60).map(|i| (i as f32 * 1.7).sin() + 0.1).collect();
        let mut spectra = Spectra::new(&measure);
        spectra.push(&values, &values, &measure, NanPolicy::Propagate);
        for (channel, spectrum) in spectra.finish()[0].iter().enumerate() {
            let squares = (0..60).filter(|v| v % 2 == channel);
            let wanted: f64 = squares
                .map(|v| measure.weight(v) * f64::from(values[v]).powi(2) / 30.0)
                .sum();
            let sum: f64 = spectrum.truth.iter().sum();
            assert!((sum - wanted).abs() < 1e-12, "{sum} for {wanted}");
            assert_eq!(spectrum.truth, spectrum.members);
        }
    }

    #[test]
    fn rows_without_truth_are_left_out_by_name_only() {
        let measure = Measure::grid(&[2, 4]);
        let truth = [1.0, 1.0, 1.0, 1.0, 1.0, f32::NAN, 1.0, 1.0];
        let members = [3.0_f32; 8];
        for (nan, wanted) in [(NanPolicy::Skip, 1.0), (NanPolicy::Propagate, f64::NAN)] {
            let mut spectra = Spectra::new(&measure);
            spectra.push(&members, &truth, &measure, nan);
            let found = spectra.finish()[0][0].truth[0];
            assert_eq!(found.is_nan(), wanted.is_nan());
            assert!(wanted.is_nan() || (found - wanted).abs() < 1e-12);
        }
    }
}
