//! Spectral convolutions whose output grid differs from their input grid.

use super::usable;

/// What becomes of a frequency when the output grid has another size than the input grid.
///
/// For equal sizes both are the plain inverse transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resampling {
    /// A frequency keeps its sign and its amplitude; those with `2 |k| >= min(n_in, n_out)` are left out.
    Signed,
    /// As published: on a non-last axis `k` is read as `k mod n_in`, so that a negative frequency vanishes on a
    /// smaller grid and becomes a high one on a larger grid. Amplitudes change by `n_in / n_out`.
    Wrapped,
}

/// Where a kept frequency of the input grid goes.
pub(super) struct Target {
    /// The frequency on the output grid.
    pub frequency: i64,
    /// What the sum is divided by.
    pub divisor: f64,
}

impl Resampling {
    /// The target of each frequency that arrives.
    pub(super) fn targets(
        self,
        frequencies: &[i64],
        n_in: usize,
        n_out: usize,
        half: bool,
    ) -> Vec<Option<Target>> {
        let (from, to) = (n_in as i64, n_out as i64);
        let target = |k: i64| match self {
            Self::Signed => {
                let carried = from == to || 2 * k.abs() < from.min(to);
                carried.then_some(Target {
                    frequency: k,
                    divisor: n_in as f64,
                })
            }
            Self::Wrapped => {
                let frequency = if half { k } else { k.rem_euclid(from) };
                let carried = if half { 2 * k <= to } else { frequency < to };
                carried.then_some(Target {
                    frequency,
                    divisor: n_out as f64,
                })
            }
        };
        frequencies
            .iter()
            .zip(usable(frequencies, n_in, half))
            .map(|(&k, usable)| if usable { target(k) } else { None })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use rustfft::num_complex::Complex;

    use super::*;
    use crate::spectral::tables::{
        Matrix, grid_from_half_spectrum, grid_from_spectrum, resampled_grid_from_half_spectrum,
        resampled_grid_from_spectrum, spectrum_from_grid,
    };
    use crate::spectral::{half_frequencies, signed_frequencies};

    const SIZES: [(usize, usize); 10] = [
        (16, 16),
        (15, 15),
        (16, 8),
        (16, 9),
        (15, 8),
        (8, 16),
        (9, 16),
        (8, 15),
        (13, 17),
        (5, 3),
    ];

    fn spectrum(count: usize) -> Vec<Complex<f64>> {
        (0..count)
            .map(|i| Complex::new((i as f64 + 1.0).sin(), (2.0 * i as f64).cos()))
            .collect()
    }

    /// A matrix times `[re; im]`.
    fn apply(matrix: &Matrix, spectrum: &[Complex<f64>]) -> Vec<f64> {
        let parts: Vec<f64> = spectrum
            .iter()
            .map(|z| z.re)
            .chain(spectrum.iter().map(|z| z.im))
            .collect();
        matrix
            .values
            .chunks(matrix.columns)
            .map(|row| row.iter().zip(&parts).map(|(&a, b)| f64::from(a) * b).sum())
            .collect()
    }

    fn wave(frequency: i64, x: usize, size: usize) -> Complex<f64> {
        Complex::cis(TAU * frequency as f64 * x as f64 / size as f64)
    }

    /// The complex sum of section 1.5 of the method, term by term.
    fn brute(
        frequencies: &[i64],
        spectrum: &[Complex<f64>],
        sizes: (usize, usize),
        rule: Resampling,
    ) -> Vec<Complex<f64>> {
        let (n_in, n_out) = sizes;
        (0..n_out)
            .map(|x| {
                let mut sum = Complex::default();
                for (&k, &value) in frequencies.iter().zip(spectrum) {
                    match rule {
                        Resampling::Signed => {
                            if n_in == n_out || 2 * k.unsigned_abs() < n_in.min(n_out) as u64 {
                                sum += value * wave(k, x, n_out) / n_in as f64;
                            }
                        }
                        Resampling::Wrapped => {
                            let r = if k < 0 { k + n_in as i64 } else { k };
                            if r < n_out as i64 {
                                sum += value * wave(r, x, n_out) / n_out as f64;
                            }
                        }
                    }
                }
                sum
            })
            .collect()
    }

    #[test]
    fn a_resampled_axis_is_the_brute_force_sum() {
        for (n_in, n_out) in SIZES {
            for modes in [2, 4, 5].into_iter().filter(|&n| n <= n_in) {
                let frequencies = signed_frequencies(modes);
                let spectrum = spectrum(frequencies.len());
                for rule in [Resampling::Signed, Resampling::Wrapped] {
                    let matrix = resampled_grid_from_spectrum(&frequencies, n_in, n_out, rule);
                    assert_eq!(
                        (matrix.rows, matrix.columns),
                        (2 * n_out, 2 * frequencies.len())
                    );
                    let found = apply(&matrix, &spectrum);
                    let wanted = brute(&frequencies, &spectrum, (n_in, n_out), rule);
                    for (x, wanted) in wanted.iter().enumerate() {
                        let error = (Complex::new(found[x], found[n_out + x]) - wanted).norm();
                        assert!(error < 1e-6, "{n_in} to {n_out}, {modes} modes, {rule:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_resampled_half_axis_is_the_brute_force_sum() {
        for (n_in, n_out) in SIZES {
            for modes in [2, 4, 5, n_in] {
                let frequencies = half_frequencies(modes);
                let spectrum = spectrum(frequencies.len());
                for rule in [Resampling::Signed, Resampling::Wrapped] {
                    let matrix = resampled_grid_from_half_spectrum(&frequencies, n_in, n_out, rule);
                    assert_eq!(
                        (matrix.rows, matrix.columns),
                        (n_out, 2 * frequencies.len())
                    );
                    for (x, found) in apply(&matrix, &spectrum).iter().enumerate() {
                        let mut wanted = 0.0;
                        for (&k, value) in frequencies.iter().zip(&spectrum) {
                            let (carried, divisor) = match rule {
                                Resampling::Signed if n_in == n_out => (true, n_in),
                                Resampling::Signed => (2 * k < n_in.min(n_out) as i64, n_in),
                                Resampling::Wrapped => (2 * k <= n_out as i64, n_out),
                            };
                            if carried {
                                let c = if k == 0 || 2 * k == n_out as i64 {
                                    1.0
                                } else {
                                    2.0
                                };
                                wanted += c * (value * wave(k, x, n_out)).re / divisor as f64;
                            }
                        }
                        assert!(
                            (found - wanted).abs() < 1e-6,
                            "{n_in} to {n_out}, {modes} modes, {rule:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn equal_sizes_make_both_rules_the_plain_inverse() {
        for size in [7, 8, 20] {
            for modes in [3, 7, 8, 11] {
                let (signed, half) = (signed_frequencies(modes), half_frequencies(modes));
                let wrapped =
                    resampled_grid_from_spectrum(&signed, size, size, Resampling::Wrapped);
                assert_eq!(wrapped, grid_from_spectrum(&signed, size));
                let wrapped =
                    resampled_grid_from_half_spectrum(&half, size, size, Resampling::Wrapped);
                assert_eq!(wrapped, grid_from_half_spectrum(&half, size));
            }
        }
    }

    #[test]
    fn signed_resampling_keeps_a_wave_and_wrapping_does_not() {
        // cos(2 pi 3 x / 16) on a non-last axis, shrunk to 8 points.
        let frequencies = signed_frequencies(8);
        let forward = spectrum_from_grid(&frequencies, 16);
        let mut field = vec![Complex::default(); 16];
        for (x, value) in field.iter_mut().enumerate() {
            value.re = wave(3, x, 16).re;
        }
        let parts = apply(&forward, &field);
        let spectrum: Vec<_> = (0..8)
            .map(|i| Complex::new(parts[i], parts[8 + i]))
            .collect();
        let shrunk = |rule| {
            apply(
                &resampled_grid_from_spectrum(&frequencies, 16, 8, rule),
                &spectrum,
            )
        };
        let (signed, wrapped) = (shrunk(Resampling::Signed), shrunk(Resampling::Wrapped));
        for x in 0..8 {
            assert!((signed[x] - wave(3, x, 8).re).abs() < 1e-6);
            assert!(signed[8 + x].abs() < 1e-6);
            // Only +3 arrives, with the amplitude 16/8: a complex wave.
            assert!((wrapped[x] - wave(3, x, 8).re).abs() < 1e-6);
            assert!((wrapped[8 + x] - wave(3, x, 8).im).abs() < 1e-6);
        }
    }
}
