//! Closed forms: single harmonics, and rotations about the axis.

use std::f64::consts::{PI, TAU};

use crate::grids::{CASES, CHANNELS, ROWS, analyse, gap, pairs, pairs_of_fields, wave};

/// A function on the sphere and its only coefficient.
struct Harmonic {
    shape: fn(f64, f64) -> f64,
    degree: usize,
    order: usize,
    value: (f64, f64),
}

/// The first harmonics, from `P_11 = sqrt(3/8pi) sin` and its like: a pair `m > 0` has half of each amplitude.
fn harmonics() -> Vec<Harmonic> {
    let harmonic = |degree, order, value, shape| Harmonic {
        shape,
        degree,
        order,
        value,
    };
    let root = |x: f64| (x * PI).sqrt();
    vec![
        harmonic(0, 0, (root(4.0), 0.0), |_, _| 1.0),
        harmonic(1, 0, (root(4.0 / 3.0), 0.0), |t, _| t.cos()),
        harmonic(1, 1, (root(2.0 / 3.0), 0.0), |t, l| t.sin() * l.cos()),
        harmonic(1, 1, (0.0, -root(2.0 / 3.0)), |t, l| t.sin() * l.sin()),
        harmonic(2, 0, (root(16.0 / 5.0), 0.0), |t, _| {
            3.0 * t.cos().powi(2) - 1.0
        }),
        harmonic(2, 1, (0.0, -root(2.0 / 15.0)), |t, l| {
            t.sin() * t.cos() * l.sin()
        }),
        harmonic(2, 2, (root(8.0 / 15.0), 0.0), |t, l| {
            t.sin().powi(2) * (2.0 * l).cos()
        }),
        harmonic(3, 2, (root(8.0 / 105.0), 0.0), |t, l| {
            t.sin().powi(2) * t.cos() * (2.0 * l).cos()
        }),
        harmonic(3, 3, (0.0, -root(16.0 / 35.0)), |t, l| {
            t.sin().powi(3) * (3.0 * l).sin()
        }),
    ]
}

#[test]
fn single_harmonics_have_their_one_coefficient() {
    let grids = CASES
        .iter()
        .filter(|case| case.degrees > 3 && case.orders > 3);
    for case in grids {
        for harmonic in harmonics() {
            let places = case.places();
            let mut field = vec![0.0; ROWS * case.points() * CHANNELS];
            // In one row and channel only, to see that none reaches its neighbours.
            let (row, channel) = (1, 1);
            for (p, &(theta, lambda)) in places.iter().enumerate() {
                field[(row * places.len() + p) * CHANNELS + channel] =
                    (harmonic.shape)(theta, lambda) as f32;
            }
            let mut wanted = vec![0.0; case.spectrum().len()];
            let i = case.index(harmonic.degree, row, harmonic.order, channel);
            (wanted[i], wanted[i + CHANNELS]) = (harmonic.value.0 as f32, harmonic.value.1 as f32);
            let gap = gap(&analyse(case, &field), &wanted);
            assert!(
                gap < 2e-6,
                "{} {:?}: Y_{} {} is off by {gap}",
                case.latitudes,
                case.grid,
                harmonic.degree,
                harmonic.order
            );
        }
    }
}

#[test]
fn a_rotation_about_the_axis_is_a_phase() {
    for case in CASES {
        let [n_lat, n_lon] = case.grid;
        let shift = n_lon / 3;
        let alpha = TAU * shift as f64 / n_lon as f64;
        let field = wave(ROWS * case.points() * CHANNELS, 0.0);
        let mut turned = vec![0.0; field.len()];
        for circle in 0..ROWS * n_lat {
            for j in 0..n_lon {
                let to = (circle * n_lon + (j + shift) % n_lon) * CHANNELS;
                let from = (circle * n_lon + j) * CHANNELS;
                turned[to..to + CHANNELS].copy_from_slice(&field[from..from + CHANNELS]);
            }
        }
        let (mut wanted, found) = (analyse(case, &field), analyse(case, &turned));
        for (l, m) in pairs(case.degrees, case.orders) {
            for (row, channel) in pairs_of_fields() {
                let i = case.index(l, row, m, channel);
                let (re, im) = (wanted[i], wanted[i + CHANNELS]);
                let (sin, cos) = (m as f64 * alpha).sin_cos();
                let (sin, cos) = (sin as f32, cos as f32);
                wanted[i] = re * cos + im * sin;
                wanted[i + CHANNELS] = im * cos - re * sin;
            }
        }
        let gap = gap(&found, &wanted);
        assert!(gap < 5e-6, "{} {:?}: {gap}", case.latitudes, case.grid);
    }
}
