//! Orthonormal associated Legendre functions.
//!
//! `Y_lm = P_lm(cos theta) e^{i m lambda}` has norm 1 on the sphere, so `P_00 = 1/sqrt(4 pi)`. The Condon-Shortley
//! sign `(-1)^m` is left out: it cancels between analysis and synthesis, because no weight depends on the order.

use std::f64::consts::PI;

/// A power of two that seeds are kept above, so that `sin(theta)^m` near a pole does not underflow.
const STEP: f64 = f64::from_bits((1023 + 256) << 52);

/// A number `value * STEP^exponent`.
#[derive(Debug, Clone, Copy)]
struct Scaled {
    value: f64,
    exponent: i32,
}

/// `P_lm(cos theta)` for one colatitude, `[orders, degrees]`; zero for `l < m`.
///
/// At each order the recurrence runs upwards in the degree, which is its stable direction; it starts from a seed whose
/// exponent is kept apart, so that degrees in the thousands neither underflow nor overflow.
pub fn functions(theta: f64, degrees: usize, orders: usize) -> Vec<f64> {
    let (sin, cos) = theta.sin_cos();
    let mut values = vec![0.0; orders * degrees];
    let mut seed = Scaled {
        value: (4.0 * PI).sqrt().recip(),
        exponent: 0,
    };
    for m in 0..orders.min(degrees) {
        if m > 0 {
            seed.value *= sin * (1.0 + 0.5 / m as f64).sqrt();
            if seed.value != 0.0 && seed.value.abs() < STEP.recip() {
                seed.value *= STEP;
                seed.exponent -= 1;
            }
        }
        fill(seed, m, cos, &mut values[m * degrees..(m + 1) * degrees]);
    }
    values
}

/// All degrees of order `m` from `P_mm`: `P_lm = a_lm (cos theta P_{l-1,m} - P_{l-2,m} / a_{l-1,m})`.
fn fill(seed: Scaled, m: usize, cos: f64, row: &mut [f64]) {
    let Scaled {
        mut value,
        mut exponent,
    } = seed;
    let (mut before, mut factor_before) = (0.0, f64::INFINITY);
    for l in m..row.len() {
        row[l] = value * STEP.powi(exponent);
        let factor = factor(l + 1, m);
        let next = factor * (cos * value - before / factor_before);
        (before, value, factor_before) = (value, next, factor);
        if exponent < 0 && value.abs() > 1.0 {
            value /= STEP;
            before /= STEP;
            exponent += 1;
        }
    }
}

/// `sqrt((4 l^2 - 1) / (l^2 - m^2))`.
fn factor(l: usize, m: usize) -> f64 {
    ((4 * l * l - 1) as f64 / ((l - m) * (l + m)) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sphere::Latitudes;

    #[test]
    fn low_degrees_are_the_closed_forms() {
        for theta in [0.0, 0.3, 1.0, 1.5, 2.2, PI] {
            let found = functions(theta, 4, 4);
            let (s, c) = theta.sin_cos();
            let at = |factor: f64, shape: f64| (factor / PI).sqrt() * shape;
            let wanted = [
                [
                    at(1.0 / 4.0, 1.0),
                    at(3.0 / 4.0, c),
                    at(5.0 / 16.0, 3.0 * c * c - 1.0),
                    at(7.0 / 16.0, c * (5.0 * c * c - 3.0)),
                ],
                [
                    0.0,
                    at(3.0 / 8.0, s),
                    at(15.0 / 8.0, s * c),
                    at(21.0 / 64.0, s * (5.0 * c * c - 1.0)),
                ],
                [
                    0.0,
                    0.0,
                    at(15.0 / 32.0, s * s),
                    at(105.0 / 32.0, s * s * c),
                ],
                [0.0, 0.0, 0.0, at(35.0 / 64.0, s * s * s)],
            ];
            for (i, &wanted) in wanted.as_flattened().iter().enumerate() {
                let found = found[i];
                assert!(
                    (found - wanted).abs() < 1e-14,
                    "l {} m {}: {found}, not {wanted}",
                    i % 4,
                    i / 4
                );
            }
        }
    }

    /// Largest departure of the given degrees' products from the unit matrix, by Gauss quadrature with `n` points.
    fn departure(n: usize, degrees: &[usize], orders: &[usize]) -> f64 {
        let count = degrees.iter().max().map_or(0, |l| l + 1);
        let circles: Vec<Vec<f64>> = Latitudes::Gauss
            .colatitudes(n)
            .into_iter()
            .map(|theta| functions(theta, count, count))
            .collect();
        let weights = Latitudes::Gauss.weights(n);
        let mut largest = 0.0_f64;
        for &m in orders {
            for &l in degrees.iter().filter(|&&l| l >= m) {
                for &other in degrees.iter().filter(|&&l| l >= m) {
                    let product: f64 = circles
                        .iter()
                        .zip(&weights)
                        .map(|(p, w)| 2.0 * PI * w * p[m * count + l] * p[m * count + other])
                        .sum();
                    let wanted = if l == other { 1.0 } else { 0.0 };
                    largest = largest.max((product - wanted).abs());
                }
            }
        }
        largest
    }

    #[test]
    fn functions_are_orthonormal() {
        let all: Vec<usize> = (0..=60).collect();
        let found = departure(61, &all, &all);
        assert!(found < 1e-13, "{found}");
    }

    #[test]
    fn functions_are_orthonormal_at_high_degree() {
        let degrees = [0, 1, 250, 498, 499, 500];
        let orders = [0, 1, 2, 20, 180, 250, 400, 498, 499, 500];
        let found = departure(501, &degrees, &orders);
        assert!(found < 1e-12, "{found}");
    }

    #[test]
    fn high_degrees_survive_tiny_seeds() {
        // Addition theorem: sum_m c_m P_lm^2 = (2l + 1) / (4 pi) at every colatitude, although
        // P_mm at the turning point of l = 2500 is near 1e-400.
        for (degree, theta) in [
            (1000, 0.001),
            (1000, 0.4),
            (1000, 1.5),
            (2500, 0.38),
            (2500, 2.9),
        ] {
            let count = degree + 1;
            let p = functions(theta, count, count);
            let sum: f64 = (0..count)
                .map(|m| {
                    let c = if m == 0 { 1.0 } else { 2.0 };
                    c * p[m * count + degree].powi(2)
                })
                .sum();
            let wanted = (2 * degree + 1) as f64 / (4.0 * PI);
            assert!(
                (sum / wanted - 1.0).abs() < 1e-11,
                "l {degree} theta {theta}: {sum}, not {wanted}"
            );
        }
    }
}
