//! The matrices of the truncated spherical harmonic transform, row-major f32 made in f64.
//!
//! Degrees and orders that a grid is too coarse for are left out (zero), so that it never aliases.

use std::f64::consts::TAU;

use super::{Latitudes, legendre};
use crate::spectral::tables::{Matrix, Phases};

/// How many degrees a grid carries: those whose products with each other are integrated exactly, `2 l <= exact degree`.
pub fn usable_degrees(latitudes: Latitudes, n_lat: usize) -> usize {
    if n_lat == 0 {
        return 0;
    }
    latitudes.exact_degree(n_lat) / 2 + 1
}

/// Longitude means to coefficients: `[orders, degrees, n_lat]`, `2 pi w_k P_lm(cos theta_k)`.
pub fn analysis(latitudes: Latitudes, n_lat: usize, degrees: usize, orders: usize) -> Vec<f32> {
    let mut table = vec![0.0; orders * degrees * n_lat];
    let weights = latitudes.weights(n_lat);
    for_each(latitudes, n_lat, degrees, orders, |m, l, k, value| {
        table[(m * degrees + l) * n_lat + k] = (TAU * weights[k] * value) as f32;
    });
    table
}

/// Coefficients to the longitude spectrum of each circle: `[orders, n_lat, degrees]`, `P_lm(cos theta_k)`.
pub fn synthesis(latitudes: Latitudes, n_lat: usize, degrees: usize, orders: usize) -> Vec<f32> {
    let mut table = vec![0.0; orders * n_lat * degrees];
    for_each(latitudes, n_lat, degrees, orders, |m, l, k, value| {
        table[(m * n_lat + k) * degrees + l] = value as f32;
    });
    table
}

/// Calls `put(m, l, k, P_lm(cos theta_k))` for all that the grid carries.
fn for_each(
    latitudes: Latitudes,
    n_lat: usize,
    degrees: usize,
    orders: usize,
    mut put: impl FnMut(usize, usize, usize, f64),
) {
    let carried = degrees.min(usable_degrees(latitudes, n_lat));
    for (k, theta) in latitudes.colatitudes(n_lat).into_iter().enumerate() {
        let values = legendre::functions(theta, carried, orders);
        for m in 0..orders {
            for l in m..carried {
                put(m, l, k, values[m * carried + l]);
            }
        }
    }
}

/// A circle's values to its longitude means: `[2 orders, n_lon]`, rows `cos` then `-sin`, over `n_lon`.
pub fn spectrum_from_longitudes(orders: usize, n_lon: usize) -> Matrix {
    let phases = Phases::new(n_lon);
    Matrix::from_fn(2 * orders, n_lon, |row, j| {
        let m = row % orders;
        if 2 * m > n_lon {
            return 0.0;
        }
        let (cos, sin) = phases.at(m as i64, j);
        (if row < orders { cos } else { -sin }) / n_lon as f64
    })
}

/// Longitude means to a circle's values: `[n_lon, 2 orders]`, columns `c_m cos` then `-c_m sin`.
///
/// `c_m` is 2 for orders that stand for a conjugate pair and 1 for those that are alone: 0 and the Nyquist order.
pub fn longitudes_from_spectrum(orders: usize, n_lon: usize) -> Matrix {
    let phases = Phases::new(n_lon);
    Matrix::from_fn(n_lon, 2 * orders, |j, column| {
        let m = column % orders;
        if 2 * m > n_lon {
            return 0.0;
        }
        let alone = m == 0 || 2 * m == n_lon;
        let weight = if alone { 1.0 } else { 2.0 };
        let (cos, sin) = phases.at(m as i64, j);
        weight * if column < orders { cos } else { -sin }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_carries_the_degrees_that_it_integrates() {
        let cases = [
            (0, 0, 0),
            (1, 1, 1),
            (2, 1, 2),
            (3, 2, 3),
            (32, 16, 32),
            (128, 64, 128),
        ];
        for (n, equiangular, gauss) in cases {
            assert_eq!(
                usable_degrees(Latitudes::Equiangular, n),
                equiangular,
                "{n}"
            );
            assert_eq!(usable_degrees(Latitudes::Gauss, n), gauss, "{n}");
        }
    }

    #[test]
    fn analysis_undoes_synthesis_for_every_order() {
        let (degrees, orders) = (12, 7);
        for &latitudes in Latitudes::ALL {
            for n_lat in [1, 2, 5, 8, 12, 23, 24, 31] {
                let forward = analysis(latitudes, n_lat, degrees, orders);
                let back = synthesis(latitudes, n_lat, degrees, orders);
                let carried = usable_degrees(latitudes, n_lat);
                for i in 0..orders * degrees * degrees {
                    let (m, l, other) = (i / degrees / degrees, i / degrees % degrees, i % degrees);
                    let product: f32 = (0..n_lat)
                        .map(|k| {
                            forward[(m * degrees + l) * n_lat + k]
                                * back[(m * n_lat + k) * degrees + other]
                        })
                        .sum();
                    let there = l == other && l >= m && l < carried;
                    let wanted = if there { 1.0 } else { 0.0 };
                    assert!(
                        (product - wanted).abs() < 2e-6,
                        "{latitudes} {n_lat}: {m} {l} {other}"
                    );
                }
            }
        }
    }

    #[test]
    fn longitude_means_are_undone_up_to_the_nyquist_order() {
        for n_lon in [1, 2, 7, 8] {
            let orders = 6;
            let forward = spectrum_from_longitudes(orders, n_lon);
            let back = longitudes_from_spectrum(orders, n_lon);
            for i in 0..n_lon * n_lon {
                let (j, other) = (i / n_lon, i % n_lon);
                let product: f32 = (0..2 * orders)
                    .map(|row| {
                        back.values[j * 2 * orders + row] * forward.values[row * n_lon + other]
                    })
                    .sum();
                let wanted = if j == other { 1.0 } else { 0.0 };
                assert!((product - wanted).abs() < 1e-6, "{n_lon}: {j} {other}");
            }
        }
    }
}
