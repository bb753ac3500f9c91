//! Spectral convolution in any number of dimensions, straight from its definition, with any output grid.

use std::f64::consts::TAU;

use super::position;

/// What becomes of frequencies when the output grid is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resizing {
    /// Signed frequencies, amplitudes kept; where an axis changes, only frequencies below both Nyquist frequencies.
    Signed,
    /// As published: residues of the input grid, those beyond the output grid dropped, divided by the output points.
    Residues,
}

/// Grids, modes in the paper's counting and weights of one spectral convolution.
pub struct SpectralConv<'a> {
    /// Input grid.
    pub from: &'a [usize],
    /// Output grid.
    pub to: &'a [usize],
    /// `n` per axis: `n` signed frequencies from `-ceil(n / 2)`, and `0 ..= n / 2` on the last axis.
    pub modes: &'a [usize],
    /// What an output grid of another size does.
    pub resizing: Resizing,
    /// Real part, `[mode, in, out]`.
    pub real: &'a [f64],
    /// Imaginary part, `[mode, in, out]`.
    pub imag: &'a [f64],
    /// `[out]`.
    pub bias: &'a [f64],
}

/// Kept frequencies in the order of the weights: ascending, last axis fastest.
pub fn kept(modes: &[usize]) -> Vec<Vec<i64>> {
    let last = modes.len() - 1;
    let axis = |(axis, &n): (usize, &usize)| -> Vec<i64> {
        let (n, first) = (n as i64, -((n as i64 + 1) / 2));
        if axis == last {
            (0..=n / 2).collect()
        } else {
            (first..first + n).collect()
        }
    };
    let axes: Vec<Vec<i64>> = modes.iter().enumerate().map(axis).collect();
    axes.iter().fold(vec![vec![]], |found, axis| {
        let longer = |k: &Vec<i64>| {
            let k = k.clone();
            axis.iter()
                .map(move |&next| [k.clone(), vec![next]].concat())
        };
        found.iter().flat_map(longer).collect()
    })
}

/// Cosine and sine of `2 pi sum_j k_j x_j / N_j` at every point.
fn waves(k: &[i64], sizes: &[usize]) -> Vec<(f64, f64)> {
    let points: usize = sizes.iter().product();
    (0..points)
        .map(|point| {
            let turns: f64 = position(point, sizes)
                .iter()
                .zip(k)
                .zip(sizes)
                .map(|((&x, &k), &n)| (k * x as i64).rem_euclid(n as i64) as f64 / n as f64)
                .sum();
            let (sin, cos) = (TAU * turns).sin_cos();
            (cos, sin)
        })
        .collect()
}

/// `Y_o = mask_o sum_i X_i W[i, o]` with the complex weights number `index`; `mask` is `[out]`.
pub fn mix(
    x: &[(f64, f64)],
    real: &[f64],
    imag: &[f64],
    index: usize,
    mask: &[f64],
) -> Vec<(f64, f64)> {
    let (inputs, outputs) = (x.len(), mask.len());
    (0..outputs)
        .map(|o| {
            let (mut re, mut im) = (0.0, 0.0);
            for (i, (xr, xi)) in x.iter().enumerate() {
                let at = (index * inputs + i) * outputs + o;
                re += xr * real[at] - xi * imag[at];
                im += xr * imag[at] + xi * real[at];
            }
            (mask[o] * re, mask[o] * im)
        })
        .collect()
}

impl SpectralConv<'_> {
    /// Convolves `v` of `[points, in]`; `mask` is `[mode, out]`.
    pub fn forward(&self, v: &[f64], mask: &[f64]) -> Vec<f64> {
        let outputs = self.bias.len();
        let points: usize = self.to.iter().product();
        let mut y = self.bias.repeat(points);
        for (mode, k) in kept(self.modes).iter().enumerate() {
            let Some(target) = self.target(k) else {
                continue;
            };
            let x = self.coefficients(v, k);
            let mixed = mix(
                &x,
                self.real,
                self.imag,
                mode,
                &mask[mode * outputs..][..outputs],
            );
            let factor = self.factor(k);
            for (y, (cos, sin)) in y.chunks_mut(outputs).zip(waves(&target, self.to)) {
                for (y, (re, im)) in y.iter_mut().zip(&mixed) {
                    *y += factor * (re * cos - im * sin);
                }
            }
        }
        y
    }

    /// `X[i, k] = sum_x v[x, i] exp(-2 pi i k x / N)`.
    fn coefficients(&self, v: &[f64], k: &[i64]) -> Vec<(f64, f64)> {
        let waves = waves(k, self.from);
        let inputs = v.len() / waves.len();
        let mut x = vec![(0.0, 0.0); inputs];
        for (v, (cos, sin)) in v.chunks(inputs).zip(waves) {
            for (x, v) in x.iter_mut().zip(v) {
                *x = (x.0 + v * cos, x.1 - v * sin);
            }
        }
        x
    }

    /// The frequency on the output grid, if it arrives there.
    fn target(&self, k: &[i64]) -> Option<Vec<i64>> {
        let last = k.len() - 1;
        let on_axis = |axis: usize| {
            let (k, n_in, n_out) = (k[axis], self.from[axis] as i64, self.to[axis] as i64);
            let (target, arrives) = match self.resizing {
                // The half of a real transform ends at the Nyquist frequency of its grid.
                _ if axis == last && 2 * k > n_in => (k, false),
                _ if axis != last && self.is_named(k, axis) => (k, false),
                Resizing::Signed => (k, n_in == n_out || 2 * k.abs() < n_in.min(n_out)),
                Resizing::Residues if axis == last => (k, 2 * k <= n_out),
                Resizing::Residues => (k.rem_euclid(n_in), k.rem_euclid(n_in) < n_out),
            };
            arrives.then_some(target)
        };
        (0..k.len()).map(on_axis).collect()
    }

    /// Whether a kept frequency nearer to 0 is the same wave on the input grid, which has fewer points than modes.
    fn is_named(&self, k: i64, axis: usize) -> bool {
        let n = self.from[axis] as i64;
        let first = -((self.modes[axis] as i64 + 1) / 2);
        let same = |other: &i64| (other - k) % n == 0;
        (first..first + self.modes[axis] as i64)
            .filter(same)
            .any(|other| (other.abs(), other) < (k.abs(), k))
    }

    /// The inverse transform's normalisation, twice for frequencies that stand for a conjugate pair: all of the last
    /// axis but 0 and the output grid's Nyquist frequency.
    fn factor(&self, k: &[i64]) -> f64 {
        let last = k.len() - 1;
        let alone = k[last] == 0 || 2 * k[last] == self.to[last] as i64;
        let points: usize = match self.resizing {
            Resizing::Signed => self.from.iter().product(),
            Resizing::Residues => self.to.iter().product(),
        };
        (if alone { 1.0 } else { 2.0 }) / points as f64
    }
}
