//! Where the circles of latitude are, and how a function of the colatitude is integrated over them.
//!
//! A single circle is the equator with all of the weight on either grid, so no size gives a NaN.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::spec::names;

names!(
    /// Placement of the circles of latitude.
    Latitudes, "latitudes", "equiangular, gauss",
    {
        /// Equal steps from pole to pole, both included, with Clenshaw-Curtis weights: the paper's grid.
        Equiangular = "equiangular",
        /// Zeros of a Legendre polynomial, with Gauss-Legendre weights: no poles, twice the degree for the same size.
        Gauss = "gauss",
    }
);

impl Latitudes {
    /// The colatitudes of `n` circles in radians, north to south.
    pub fn colatitudes(self, n: usize) -> Vec<f64> {
        let north = |k: usize| match self {
            Self::Equiangular => PI * k as f64 / (n - 1) as f64,
            Self::Gauss => gauss(n, k).0,
        };
        mirrored(n, FRAC_PI_2, north, |theta| PI - theta)
    }

    /// Weights of `integral_{-1}^{1} f d(cos theta)`, north to south. Their sum is 2.
    pub fn weights(self, n: usize) -> Vec<f64> {
        let north = |k: usize| match self {
            Self::Equiangular => clenshaw_curtis(n, k),
            Self::Gauss => gauss(n, k).1,
        };
        let equator = match self {
            Self::Equiangular if n > 1 => clenshaw_curtis(n, n / 2),
            Self::Gauss if n > 1 => gauss(n, n / 2).1,
            _ => 2.0,
        };
        mirrored(n, equator, north, |w| w)
    }

    /// The largest degree of a polynomial in `cos theta` that the weights integrate exactly.
    pub fn exact_degree(self, n: usize) -> usize {
        match self {
            Self::Equiangular => n.saturating_sub(1),
            Self::Gauss => (2 * n).saturating_sub(1),
        }
    }

    /// The share of the sphere's area that each point `[lat, lon]` stands for, relative to their mean: the mean is 1.
    pub fn area_weights(self, n_lat: usize, n_lon: usize) -> Vec<f64> {
        let per_circle = n_lat as f64 / 2.0;
        self.weights(n_lat)
            .into_iter()
            .flat_map(|w| std::iter::repeat_n(w * per_circle, n_lon))
            .collect()
    }
}

/// The values of the northern half, the equator's for an odd `n`, and the northern ones reflected.
fn mirrored(
    n: usize,
    equator: f64,
    north: impl Fn(usize) -> f64,
    reflect: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let mut values: Vec<f64> = (0..n / 2).map(north).collect();
    let south: Vec<f64> = values.iter().rev().map(|&v| reflect(v)).collect();
    if !n.is_multiple_of(2) {
        values.push(equator);
    }
    values.extend(south);
    values
}

/// Weight of point `k` of `n > 1` in the Clenshaw-Curtis rule: the cosine series of the integrand, integrated term by term.
fn clenshaw_curtis(n: usize, k: usize) -> f64 {
    let steps = n - 1;
    let series: f64 = (1..=steps / 2)
        .map(|j| {
            let alone = 2 * j == steps;
            let turns = (j * k % steps) as f64 / steps as f64;
            let amplitude = if alone { 1.0 } else { 2.0 };
            amplitude * (TAU * turns).cos() / (4 * j * j - 1) as f64
        })
        .sum();
    let pole = k == 0 || k == steps;
    (if pole { 1.0 } else { 2.0 }) * (1.0 - series) / steps as f64
}

/// Colatitude and weight of point `k` of `n > 1` in the Gauss-Legendre rule, north to south.
///
/// Newton's method on `u(theta) = P_n(cos theta)`; the weight is `2 / u'^2`.
fn gauss(n: usize, k: usize) -> (f64, f64) {
    let mut theta = PI * (k as f64 + 0.75) / (n as f64 + 0.5);
    if 2 * k + 1 == n {
        theta = FRAC_PI_2;
    }
    // The first guess is good to O(n^-2) and each step doubles the digits: three steps reach the last one.
    for _ in 0..5 {
        let (u, slope) = legendre_polynomial(n, theta);
        theta -= u / slope;
    }
    let (_, slope) = legendre_polynomial(n, theta);
    (theta, 2.0 / (slope * slope))
}

/// `P_n(cos theta)` and its derivative by `theta`.
fn legendre_polynomial(n: usize, theta: f64) -> (f64, f64) {
    let (sin, cos) = theta.sin_cos();
    let (mut before, mut value) = (1.0, cos);
    for l in 2..=n {
        let l = l as f64;
        let next = ((2.0 * l - 1.0) * cos * value - (l - 1.0) * before) / l;
        (before, value) = (value, next);
    }
    (value, n as f64 * (cos * value - before) / sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
        assert_eq!(found.len(), wanted.len());
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() < tolerance, "{found:?} and {wanted:?}");
        }
    }

    #[test]
    fn every_monomial_is_integrated_exactly_up_to_the_stated_degree() {
        for &latitudes in Latitudes::ALL {
            for n in (1..=40).chain([127, 128, 512, 1000]) {
                let (thetas, weights) = (latitudes.colatitudes(n), latitudes.weights(n));
                let degree = latitudes.exact_degree(n);
                for power in (0..=degree.min(80)).chain([degree]) {
                    let found: f64 = thetas
                        .iter()
                        .zip(&weights)
                        .map(|(theta, w)| w * theta.cos().powi(power as i32))
                        .sum();
                    let wanted = if power % 2 == 0 {
                        2.0 / (power + 1) as f64
                    } else {
                        0.0
                    };
                    assert!(
                        (found - wanted).abs() < 1e-13,
                        "{latitudes} {n}: x^{power} gives {found}, not {wanted}"
                    );
                }
            }
        }
    }

    #[test]
    fn small_rules_are_the_closed_forms() {
        let gauss = |n| {
            let nodes: Vec<f64> = Latitudes::Gauss.colatitudes(n);
            let nodes: Vec<f64> = nodes.iter().map(|theta| theta.cos()).collect();
            (nodes, Latitudes::Gauss.weights(n))
        };
        let (nodes, weights) = gauss(2);
        let third = (1.0_f64 / 3.0).sqrt();
        close(&nodes, &[third, -third], 1e-15);
        close(&weights, &[1.0, 1.0], 1e-15);
        let (nodes, weights) = gauss(3);
        let outer = 0.6_f64.sqrt();
        close(&nodes, &[outer, 0.0, -outer], 1e-15);
        close(&weights, &[5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0], 1e-15);
        let (nodes, weights) = gauss(5);
        let ten_sevenths = 2.0 * (10.0_f64 / 7.0).sqrt();
        let (far, near) = (
            (5.0 + ten_sevenths).sqrt() / 3.0,
            (5.0 - ten_sevenths).sqrt() / 3.0,
        );
        close(&nodes, &[far, near, 0.0, -near, -far], 1e-15);
        let root = 13.0 * 70.0_f64.sqrt();
        let (outer, inner) = ((322.0 - root) / 900.0, (322.0 + root) / 900.0);
        close(
            &weights,
            &[outer, inner, 128.0 / 225.0, inner, outer],
            1e-15,
        );

        let equiangular = |n| Latitudes::Equiangular.weights(n);
        close(&equiangular(2), &[1.0, 1.0], 1e-15);
        close(&equiangular(3), &[1.0 / 3.0, 4.0 / 3.0, 1.0 / 3.0], 1e-15);
        let (pole, middle) = (1.0 / 15.0, 8.0 / 15.0);
        close(&equiangular(5), &[pole, middle, 0.8, middle, pole], 1e-15);
        let quarters = [0.0, PI / 4.0, FRAC_PI_2, 3.0 * PI / 4.0, PI];
        close(&Latitudes::Equiangular.colatitudes(5), &quarters, 1e-15);
    }

    #[test]
    fn circles_run_from_north_to_south_with_positive_weights() {
        for &latitudes in Latitudes::ALL {
            for n in (0..=40).chain([127, 128, 721]) {
                let thetas = latitudes.colatitudes(n);
                assert_eq!(thetas.len(), n);
                assert!(thetas.is_sorted_by(|a, b| a < b), "{latitudes} {n}");
                assert!(thetas.iter().all(|theta| (0.0..=PI).contains(theta)));
                let weights = latitudes.weights(n);
                assert!(weights.iter().all(|&w| w > 0.0), "{latitudes} {n}");
                let total = if n == 0 { 0.0 } else { 2.0 };
                assert!((weights.iter().sum::<f64>() - total).abs() < 1e-13);
                let area = latitudes.area_weights(n, 3);
                assert_eq!(area.len(), 3 * n);
                assert!((area.iter().sum::<f64>() - 3.0 * n as f64).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for &latitudes in Latitudes::ALL {
            assert_eq!(latitudes.to_string().parse(), Ok(latitudes));
        }
        assert!("healpix".parse::<Latitudes>().is_err());
    }
}
