//! How far the members' spectrum is from the truth's, in one number.
//!
//! `r_k = P_k(members) / P_k(truth)` over a range of wavenumbers; of those the one with the largest `|log r_k|`.
//!
//! - Range: 0 upwards; 1 is perfect. Above 1 the members are noisy there, below 1 they are blurred.
//! - Estimator: a quotient of means over rows, members and cases ([`spectrum`](super::spectrum), on a sphere
//!   [`degrees`](super::degrees)).
//! - Wavenumbers: from 1 to the last one at which the truth has more than [`RESOLVED`] of its power, if none are named.
//!   Beyond it the truth is rounding, and a ratio says nothing.
//! - NaN: any NaN in the range gives NaN.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::spectrum::Spectrum;

/// Share of the truth's power at wavenumbers from 1 on, above which a wavenumber counts as resolved.
pub const RESOLVED: f64 = 1e-6;

/// The worst ratio of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpectrumRatio {
    /// Channel.
    pub channel: usize,
    /// Power of the members over that of the truth, where that is farthest from 1.
    #[serde(with = "super::nan::nan_as_null")]
    pub worst: f64,
    /// The wavenumber of that.
    pub wavenumber: usize,
    /// First wavenumber of the range.
    pub first: usize,
    /// Last wavenumber of the range.
    pub last: usize,
}

impl SpectrumRatio {
    /// Of a spectrum, over a range of wavenumbers or over all that the truth resolves. What the range has beyond the
    /// spectrum is left out; `None` where nothing is left.
    pub fn worst_of(spectrum: &Spectrum, range: Option<&RangeInclusive<usize>>) -> Option<Self> {
        let Spectrum {
            channel,
            members,
            truth,
            ..
        } = spectrum;
        let end = truth.len().checked_sub(1)?;
        let range = match range {
            Some(range) => *range.start()..=(*range.end()).min(end),
            None => 1..=resolved(truth)?,
        };
        let ratios = range.clone().map(|k| (k, members[k] / truth[k]));
        let distance = |ratio: f64| match ratio.ln().abs() {
            distance if distance.is_nan() => f64::INFINITY,
            distance => distance,
        };
        let (wavenumber, worst) = ratios.reduce(|a, b| {
            // The first of those that are as far, and a NaN before any number.
            let is_farther = distance(b.1) > distance(a.1) || b.1.is_nan() && !a.1.is_nan();
            if is_farther { b } else { a }
        })?;
        Some(Self {
            channel: *channel,
            worst,
            wavenumber,
            first: *range.start(),
            last: *range.end(),
        })
    }
}

/// The last wavenumber at which the truth has power worth speaking of; `None` if there is no such wavenumber.
fn resolved(truth: &[f64]) -> Option<usize> {
    let total: f64 = truth.iter().skip(1).sum();
    if total.is_nan() {
        return truth.len().checked_sub(1).filter(|&last| last > 0);
    }
    let last = truth.iter().rposition(|&power| power > RESOLVED * total);
    last.filter(|&last| last > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Measure, Options, Verification};

    fn spectrum(members: &[f64], truth: &[f64]) -> Spectrum {
        Spectrum {
            channel: 2,
            members: members.to_vec(),
            ensemble_mean: vec![],
            truth: truth.to_vec(),
        }
    }

    #[test]
    fn the_farthest_ratio_is_that_by_factors() {
        // Ratios 9 (the mean, left out), 1, 1.5, 1/2: a half is farther than one and a half.
        let found = spectrum(&[9.0, 4.0, 3.0, 0.5], &[1.0, 4.0, 2.0, 1.0]);
        let wanted = SpectrumRatio {
            channel: 2,
            worst: 0.5,
            wavenumber: 3,
            first: 1,
            last: 3,
        };
        assert_eq!(SpectrumRatio::worst_of(&found, None), Some(wanted));
        let named = SpectrumRatio::worst_of(&found, Some(&(1..=2))).expect("a range");
        assert_eq!((named.worst, named.wavenumber, named.last), (1.5, 2, 2));
        let long = SpectrumRatio::worst_of(&found, Some(&(2..=99))).expect("a range");
        assert_eq!((long.first, long.last), (2, 3));
        assert_eq!(SpectrumRatio::worst_of(&found, Some(&(4..=9))), None);
    }

    #[test]
    fn what_the_truth_does_not_resolve_says_nothing() {
        let found = spectrum(&[0.0, 1.0, 1.0, 5.0], &[0.0, 1.0, 1.0, 1e-7]);
        let found = SpectrumRatio::worst_of(&found, None).expect("resolved");
        assert_eq!((found.worst, found.last), (1.0, 2));
        let still = spectrum(&[1.0, 1.0], &[1.0, 0.0]);
        assert_eq!(SpectrumRatio::worst_of(&still, None), None);
    }

    #[test]
    fn an_ensemble_of_known_waves_has_the_ratio_of_its_squared_amplitudes() {
        // Waves 1 and 2 of these amplitudes, and of another phase for each member.
        let row = |amplitudes: [f64; 2], phase: f64| -> Vec<f32> {
            let value = |x: u8| {
                let angle = |k: f64| std::f64::consts::TAU * k * f64::from(x) / 16.0 + phase * k;
                (amplitudes[0] * angle(1.0).cos() + amplitudes[1] * angle(2.0).cos()) as f32
            };
            (0..16).map(value).collect()
        };
        // Twice as large at wave 2 of the first time, half as large at wave 1 of the second.
        let member = |phase| [row([1.0, 2.0], phase), row([0.5, 1.0], phase)].concat();
        let members = [member(0.3), member(1.1), member(2.0)].concat();
        let truth = [row([1.0, 1.0], 0.0), row([1.0, 1.0], 0.7)].concat();
        let options = Options {
            lead_spectra: true,
            ..Options::pointwise()
        };
        let mut verification = Verification::new(Measure::grid(&[2, 16]).with_time(), options);
        verification.push(&members, &truth).expect("a case");
        let spectra = verification.lead_spectra();
        for (spectra, (ratio, wavenumber)) in spectra.iter().zip([(4.0, 2), (0.25, 1)]) {
            let found = SpectrumRatio::worst_of(&spectra[0], None).expect("resolved");
            assert!((found.worst - ratio).abs() < 1e-5, "{found:?}");
            assert_eq!((found.wavenumber, found.last), (wavenumber, 2));
        }
    }

    #[test]
    fn a_nan_is_the_worst_of_all() {
        for place in 1..4 {
            let mut members = [1.0, 1.0, 0.0, 7.0];
            members[place] = f64::NAN;
            let found = SpectrumRatio::worst_of(&spectrum(&members, &[1.0; 4]), None);
            let found = found.expect("a range");
            assert!(
                found.worst.is_nan() && found.wavenumber == place,
                "{found:?}"
            );
        }
    }
}
