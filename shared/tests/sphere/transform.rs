//! The transform against direct sums, Parseval and its own inverse.

use std::f64::consts::PI;

use pno::sphere::{Latitudes, legendre};

use crate::grids::{
    CASES, CHANNELS, ROWS, analyse, case, gap, multiplicity, pairs, pairs_of_fields, synthesise,
    wave,
};

#[test]
fn band_limited_fields_survive_the_round_trip() {
    for case in CASES {
        let spectrum = case.spectrum();
        let field = synthesise(case, &spectrum);
        let found = analyse(case, &field);
        let (there, back) = (
            gap(&found, &spectrum),
            gap(&synthesise(case, &found), &field),
        );
        let name = format!("{} {:?}", case.latitudes, case.grid);
        println!("{name}: spectrum {there:.1e}, field {back:.1e}");
        assert!(there < 1e-5 && back < 1e-5, "{name}: {there} {back}");
    }
}

#[test]
fn synthesis_is_the_sum_over_harmonics() {
    for case in CASES.iter().filter(|case| case.points() < 2000) {
        let spectrum = case.spectrum();
        let (mut wanted, orders) = (vec![], case.orders);
        let places = case.places();
        for row in 0..ROWS {
            for &(theta, lambda) in &places {
                let p = legendre::functions(theta, case.degrees, orders);
                for channel in 0..CHANNELS {
                    let mut sum = 0.0;
                    for (l, m) in pairs(case.degrees, orders) {
                        let i = case.index(l, row, m, channel);
                        let (re, im) = (f64::from(spectrum[i]), f64::from(spectrum[i + CHANNELS]));
                        let (sin, cos) = (m as f64 * lambda).sin_cos();
                        sum += multiplicity(m) * p[m * case.degrees + l] * (re * cos - im * sin);
                    }
                    wanted.push(sum as f32);
                }
            }
        }
        let gap = gap(&synthesise(case, &spectrum), &wanted);
        assert!(gap < 2e-6, "{} {:?}: {gap}", case.latitudes, case.grid);
    }
}

#[test]
fn the_mean_square_over_the_sphere_is_that_of_the_coefficients() {
    for case in CASES {
        let spectrum = case.spectrum();
        let field = synthesise(case, &spectrum);
        let area = case.latitudes.area_weights(case.grid[0], case.grid[1]);
        for (row, channel) in pairs_of_fields() {
            let integral: f64 = (0..case.points())
                .map(|p| {
                    let value = field[(row * case.points() + p) * CHANNELS + channel];
                    area[p] * f64::from(value).powi(2)
                })
                .sum::<f64>()
                * (4.0 * PI / case.points() as f64);
            let squares: f64 = pairs(case.degrees, case.orders)
                .map(|(l, m)| {
                    let i = case.index(l, row, m, channel);
                    let (re, im) = (spectrum[i], spectrum[i + CHANNELS]);
                    multiplicity(m) * (f64::from(re).powi(2) + f64::from(im).powi(2))
                })
                .sum();
            let error = (integral - squares).abs();
            assert!(error < 2e-6 * squares, "{integral} and {squares}");
        }
    }
}

#[test]
fn a_coarse_grid_leaves_out_what_it_cannot_carry() {
    for (latitudes, n_lat, carried) in [(Latitudes::Equiangular, 16, 8), (Latitudes::Gauss, 8, 8)] {
        // 32 degrees and 16 orders were trained; the grid carries 8 degrees, and orders up to 5.
        let coarse = case(latitudes, [n_lat, 10], 32, 16);
        let found = analyse(&coarse, &wave(ROWS * coarse.points() * CHANNELS, 0.3));
        for (l, m) in pairs(32, 16).filter(|&(l, m)| l >= carried || m > 5) {
            assert_eq!(found[coarse.index(l, 0, m, 0)], 0.0, "{l} {m}");
        }
        let again = analyse(&coarse, &synthesise(&coarse, &found));
        assert!(gap(&again, &found) < 1e-5, "{latitudes}");
    }
}
