//! Convolution on the sphere by explicit sums over the points.
//!
//! Legendre functions come from Laplace's integral, circles of a Gauss grid from bisection, weights of either grid from
//! the integrals of the Chebyshev polynomials: no recurrence in the degree, no Newton iteration, no cosine series.

use std::f64::consts::{PI, TAU};

use pno::sphere::Latitudes;

use super::fourier::mix;

/// Grid, modes and weights of one convolution.
pub struct SphereConv<'a> {
    /// Where the circles are.
    pub latitudes: Latitudes,
    /// Circles of latitude, points on each.
    pub sizes: [usize; 2],
    /// Degrees, then twice the orders.
    pub modes: [usize; 2],
    /// Real part, `[degree, in, out]`.
    pub real: &'a [f64],
    /// Imaginary part, `[degree, in, out]`.
    pub imag: &'a [f64],
    /// `[out]`.
    pub bias: &'a [f64],
}

impl SphereConv<'_> {
    /// Convolves `v` of `[points, in]`; `mask` is `[degree, order, out]`.
    pub fn forward(&self, v: &[f64], mask: &[f64]) -> Vec<f64> {
        let ([n_lat, n_lon], outputs) = (self.sizes, self.bias.len());
        let (degrees, orders) = (self.modes[0], self.modes[1] / 2);
        let inputs = v.len() / (n_lat * n_lon);
        let colatitudes = colatitudes(self.latitudes, n_lat);
        let weights = weights(&colatitudes);
        let mut y = self.bias.repeat(n_lat * n_lon);
        for l in 0..degrees.min(carried_degrees(self.latitudes, n_lat)) {
            for m in (0..orders).filter(|&m| m <= l && 2 * m <= n_lon) {
                let p: Vec<f64> = colatitudes.iter().map(|&t| legendre(l, m, t)).collect();
                let turns: Vec<(f64, f64)> = (0..n_lon)
                    .map(|j| (TAU * (m * j % n_lon) as f64 / n_lon as f64).sin_cos())
                    .collect();
                let mut a = vec![(0.0, 0.0); inputs];
                for k in 0..n_lat {
                    for j in 0..n_lon {
                        let (sin, cos) = turns[j];
                        let weight = TAU * weights[k] * p[k] / n_lon as f64;
                        for (i, a) in a.iter_mut().enumerate() {
                            let value = weight * v[(k * n_lon + j) * inputs + i];
                            *a = (a.0 + value * cos, a.1 - value * sin);
                        }
                    }
                }
                let alone = m == 0 || 2 * m == n_lon;
                let mask = &mask[(l * orders + m) * outputs..][..outputs];
                let b = mix(&a, self.real, self.imag, l, mask);
                for k in 0..n_lat {
                    for j in 0..n_lon {
                        let (sin, cos) = turns[j];
                        let factor = p[k] * if alone { 1.0 } else { 2.0 };
                        let y = &mut y[(k * n_lon + j) * outputs..];
                        for (y, (re, im)) in y.iter_mut().zip(&b) {
                            *y += factor * (re * cos - im * sin);
                        }
                    }
                }
            }
        }
        y
    }
}

/// Degrees whose products with each other the quadrature integrates exactly.
pub fn carried_degrees(latitudes: Latitudes, n_lat: usize) -> usize {
    let exact = match latitudes {
        Latitudes::Equiangular => n_lat - 1,
        Latitudes::Gauss => 2 * n_lat - 1,
    };
    exact / 2 + 1
}

/// Orthonormal Legendre function of degree `l` and order `m`, by Laplace's first integral
/// `(l + m)! / (pi l!) i^-m integral_0^pi (cos t + i sin t cos f)^l cos(m f) df`.
///
/// The integrand is a trigonometric polynomial of degree `l + m`: a sum over more points than that is the integral.
pub fn legendre(l: usize, m: usize, colatitude: f64) -> f64 {
    let steps = l + m + 1;
    let (sin, cos) = colatitude.sin_cos();
    let (mut re, mut im) = (0.0, 0.0);
    for step in 0..steps {
        let phi = TAU * step as f64 / steps as f64;
        let base = (cos, sin * phi.cos());
        let mut power = (1.0, 0.0);
        for _ in 0..l {
            power = (
                power.0 * base.0 - power.1 * base.1,
                power.0 * base.1 + power.1 * base.0,
            );
        }
        let weight = (m as f64 * phi).cos() / steps as f64;
        re += power.0 * weight;
        im += power.1 * weight;
    }
    // i^-m times the sum is real.
    let value = match m % 4 {
        0 => re,
        1 => im,
        2 => -re,
        _ => -im,
    };
    // (l + m)! / l! and sqrt((l - m)! / (l + m)!) in one, without large numbers.
    let ratio: f64 = (1..=m)
        .map(|j| (l + j) as f64 / (l - m + j) as f64)
        .product();
    value * ratio.sqrt() * ((2 * l + 1) as f64 / (4.0 * PI)).sqrt()
}

/// Colatitudes from north to south.
pub fn colatitudes(latitudes: Latitudes, n: usize) -> Vec<f64> {
    match latitudes {
        Latitudes::Equiangular => (0..n).map(|k| PI * k as f64 / (n - 1) as f64).collect(),
        // Bruns: each zero of P_n lies in an interval of its own.
        Latitudes::Gauss => (0..n)
            .map(|k| {
                let bound = |k: f64| PI * k / (n as f64 + 0.5);
                let (low, high) = (bound(k as f64 + 0.5), bound(k as f64 + 1.0));
                bisect(|theta| legendre(n, 0, theta), low, high)
            })
            .collect(),
    }
}

fn bisect(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (a + b);
        if (f(middle) > 0.0) == (f(a) > 0.0) {
            a = middle;
        } else {
            b = middle;
        }
    }
    0.5 * (a + b)
}

/// Weights of the circles that integrate every polynomial of degree below their number over `cos theta`:
/// `sum_k w_k T_j(x_k) = integral T_j`, solved by elimination. On zeros of a Legendre polynomial they are Gauss's,
/// on equal angles those of Clenshaw and Curtis.
pub fn weights(colatitudes: &[f64]) -> Vec<f64> {
    let n = colatitudes.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let integral = match j % 2 {
                0 => 2.0 / (1.0 - (j * j) as f64),
                _ => 0.0,
            };
            let values = colatitudes.iter().map(|t| (j as f64 * t).cos());
            values.chain([integral]).collect()
        })
        .collect();
    for column in 0..n {
        let size = |row: &usize| rows[*row][column].abs();
        let pivot = (column..n)
            .max_by(|a, b| size(a).total_cmp(&size(b)))
            .expect("a row");
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column {
                let factor = row[column] / pivot[column];
                for (value, p) in row.iter_mut().zip(&pivot).skip(column) {
                    *value -= factor * p;
                }
            }
        }
    }
    (0..n).map(|k| rows[k][n] / rows[k][k]).collect()
}
