//! Matrices `[n_out, n_in]` that resize one axis of a field.

use std::f64::consts::PI;

use super::tables::Matrix;

/// The free parameter of the cubic convolution kernel, as image libraries choose it.
const A: f64 = -0.75;

/// Bicubic interpolation along one axis with the corners aligned.
///
/// The source coordinate of output `i` is `i (n_in - 1) / (n_out - 1)`; the border is replicated and nothing is
/// smoothed before shrinking. A single output point is the first input point.
pub fn bicubic(n_in: usize, n_out: usize) -> Matrix {
    let mut matrix = Matrix::from_fn(n_out, n_in, |_, _| 0.0);
    let steps = n_out.saturating_sub(1).max(1);
    for i in 0..if n_in == 0 { 0 } else { n_out } {
        let travelled = i * (n_in - 1);
        let (cell, offset) = (travelled / steps, (travelled % steps) as f64 / steps as f64);
        let mut row = vec![0.0; n_in];
        for (tap, distance) in [1.0 + offset, offset, 1.0 - offset, 2.0 - offset]
            .into_iter()
            .enumerate()
        {
            row[(cell + tap).saturating_sub(1).min(n_in - 1)] += kernel(distance);
        }
        for (value, wanted) in matrix.values[i * n_in..].iter_mut().zip(row) {
            *value = wanted as f32;
        }
    }
    matrix
}

/// The cubic convolution kernel at a distance from 0 to 2 (Keys, IEEE Trans. ASSP 29, 1981).
fn kernel(distance: f64) -> f64 {
    let x = distance;
    if x <= 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else {
        ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A
    }
}

/// Periodic band-limited resampling: frequencies with `2 |k| < min(n_in, n_out)` are kept with their amplitude.
///
/// Equal sizes give the identity, Nyquist frequency included.
pub fn fourier(n_in: usize, n_out: usize) -> Matrix {
    if n_in == n_out {
        return Matrix::from_fn(n_out, n_in, |i, j| if i == j { 1.0 } else { 0.0 });
    }
    let highest = n_in.min(n_out).saturating_sub(1) / 2;
    let period = n_in as i64 * n_out as i64;
    Matrix::from_fn(n_out, n_in, |i, j| {
        let distance = i as i64 * n_in as i64 - j as i64 * n_out as i64;
        dirichlet(highest as i64, distance, period) / n_in as f64
    })
}

/// The Dirichlet kernel `sum_{|k| <= highest} cos(2 pi k distance / period)`: `sin((2 highest + 1) h) / sin(h)` at half the
/// angle `h = pi distance / period`.
///
/// Both sines are of angles reduced in whole numbers, so that the quotient keeps its digits where both are small.
fn dirichlet(highest: i64, distance: i64, period: i64) -> f64 {
    let (terms, distance) = (2 * highest + 1, distance % period);
    if distance == 0 {
        return terms as f64;
    }
    half_turns_sine(terms * distance, period) / half_turns_sine(distance, period)
}

/// `sin(pi part / whole)`.
fn half_turns_sine(part: i64, whole: i64) -> f64 {
    // Over two half turns the sine comes again; in the second it has the other sign, and each is its own mirror image.
    let part = part.rem_euclid(2 * whole);
    let (sign, part) = if part < whole {
        (1.0, part)
    } else {
        (-1.0, part - whole)
    };
    sign * (PI * part.min(whole - part) as f64 / whole as f64).sin()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    const SIZES: [usize; 9] = [1, 2, 3, 4, 5, 8, 13, 16, 31];

    fn apply(matrix: &Matrix, field: &[f64]) -> Vec<f64> {
        assert_eq!(field.len(), matrix.columns);
        matrix
            .values
            .chunks(matrix.columns)
            .map(|row| row.iter().zip(field).map(|(&a, b)| f64::from(a) * b).sum())
            .collect()
    }

    #[test]
    fn constants_stay_and_equal_sizes_change_nothing() {
        for resize in [bicubic, fourier] {
            for (n_in, n_out) in SIZES.iter().flat_map(|&a| SIZES.map(|b| (a, b))) {
                let matrix = resize(n_in, n_out);
                assert_eq!((matrix.rows, matrix.columns), (n_out, n_in));
                for (row, sum) in apply(&matrix, &vec![1.0; n_in]).iter().enumerate() {
                    assert!(
                        (sum - 1.0).abs() < 1e-5,
                        "{n_in} to {n_out}, row {row}: {sum}"
                    );
                }
                if n_in == n_out {
                    let identity = Matrix::from_fn(n_in, n_in, |i, j| f64::from(u8::from(i == j)));
                    assert_eq!(matrix, identity);
                }
            }
            assert!(resize(0, 3).values.is_empty() && resize(3, 0).values.is_empty());
        }
    }

    #[test]
    fn bicubic_weights_are_the_textbook_ones() {
        // Half way between two points: k(3/2), k(1/2), k(1/2), k(3/2) = -3/32, 19/32, 19/32, -3/32.
        // 4 to 7 has its odd outputs half way; beyond the border the first and last points are repeated.
        let found = bicubic(4, 7);
        let wanted = [
            [32.0, 0.0, 0.0, 0.0],
            [16.0, 19.0, -3.0, 0.0],
            [0.0, 32.0, 0.0, 0.0],
            [-3.0, 19.0, 19.0, -3.0],
            [0.0, 0.0, 32.0, 0.0],
            [0.0, -3.0, 19.0, 16.0],
            [0.0, 0.0, 0.0, 32.0_f32],
        ];
        for (found, wanted) in found.values.iter().zip(wanted.as_flattened()) {
            assert_eq!(*found, wanted / 32.0);
        }
        // 6 to 3: coordinates 0, 5/2, 5. No smoothing, so what lies between the taps is not seen.
        let found = bicubic(6, 3);
        let middle = [0.0, -3.0 / 32.0, 19.0 / 32.0, 19.0 / 32.0, -3.0 / 32.0, 0.0];
        assert_eq!(found.values[6..12], middle);
        // 2 to 4 at coordinate 1/3 with a = -3/4: k(4/3) = -1/9, k(1/3) = 43/54, k(2/3) = 7/18, k(5/3) = -2/27.
        let found = bicubic(2, 4);
        let wanted = [
            1.0,
            0.0,
            37.0 / 54.0,
            17.0 / 54.0,
            17.0 / 54.0,
            37.0 / 54.0,
            0.0,
            1.0,
        ];
        for (found, wanted) in found.values.iter().zip(wanted) {
            assert!((found - wanted as f32).abs() < 1e-7, "{found} and {wanted}");
        }
        // One output point is the first input point.
        assert_eq!(bicubic(3, 1).values, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn fourier_is_exact_for_what_both_grids_carry() {
        for (n_in, n_out) in SIZES.iter().flat_map(|&a| SIZES.map(|b| (a, b))) {
            let highest = (n_in.min(n_out) - 1) / 2;
            let wave = |n: usize| -> Vec<f64> {
                (0..n)
                    .map(|x| {
                        let angle = TAU * x as f64 / n as f64;
                        (0..=highest)
                            .map(|k| ((k as f64) * angle + 0.3 * k as f64).cos() / (k + 1) as f64)
                            .sum()
                    })
                    .collect()
            };
            for (found, wanted) in apply(&fourier(n_in, n_out), &wave(n_in))
                .iter()
                .zip(wave(n_out))
            {
                assert!((found - wanted).abs() < 1e-6, "{n_in} to {n_out}");
            }
        }
    }

    #[test]
    fn the_closed_form_is_the_sum() {
        let sum = |highest: i64, distance: i64, period: i64| -> f64 {
            let turns = |k: i64| (k * distance).rem_euclid(period) as f64 / period as f64;
            let waves: f64 = (1..=highest).map(|k| (TAU * turns(k)).cos()).sum();
            1.0 + 2.0 * waves
        };
        let sizes = SIZES.into_iter().chain([12, 63, 64, 100, 255, 256]);
        for (n_in, n_out) in sizes
            .clone()
            .flat_map(|a| sizes.clone().map(move |b| (a, b)))
        {
            let (highest, period) = ((n_in.min(n_out) - 1) / 2, n_in * n_out);
            for place in (0..period).step_by(1 + period / 997) {
                let (i, j) = (place / n_in, place % n_in);
                let distance = (i * n_in) as i64 - (j * n_out) as i64;
                let (highest, period) = (highest as i64, period as i64);
                let found = dirichlet(highest, distance, period);
                let wanted = sum(highest, distance, period);
                assert!(
                    (found - wanted).abs() < 1e-12 * n_in as f64,
                    "{n_in} to {n_out}, [{i}, {j}]: {found}, not {wanted}"
                );
            }
        }
        // Fine grids of nearly the same size, where neighbours nearly coincide: at a handful of entries.
        let (n_in, n_out) = (8192_i64, 8191_i64);
        for (i, j) in [
            (0, 0),
            (1, 1),
            (4095, 4095),
            (8190, 8191),
            (8190, 0),
            (17, 5000),
        ] {
            let distance = i * n_in - j * n_out;
            let found = dirichlet(4095, distance, n_in * n_out) / n_in as f64;
            let wanted = sum(4095, distance, n_in * n_out) / n_in as f64;
            assert!(
                (found - wanted).abs() < 1e-12,
                "[{i}, {j}]: {found}, not {wanted}"
            );
        }
    }

    #[test]
    fn fourier_drops_what_the_smaller_grid_cannot_carry() {
        let (n_in, n_out) = (16, 8);
        for k in 4..=8 {
            let wave: Vec<f64> = (0..n_in)
                .map(|x| (TAU * (k * x) as f64 / n_in as f64).cos())
                .collect();
            let found = apply(&fourier(n_in, n_out), &wave);
            assert!(found.iter().all(|v| v.abs() < 1e-6), "{k}: {found:?}");
        }
    }
}
