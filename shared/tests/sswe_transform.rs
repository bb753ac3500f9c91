//! The solver's spherical harmonic transform against closed forms and direct sums.

use std::f64::consts::{PI, TAU};

use pno::noise::uniforms;
use pno::pde::sswe::{RADIUS, Transform, coefficients, index};
use pno::sphere::{Latitudes, legendre};
use rustfft::num_complex::Complex64;

const GRIDS: [(Latitudes, usize, usize, usize); 8] = [
    (Latitudes::Equiangular, 128, 256, 43),
    (Latitudes::Equiangular, 32, 64, 11),
    (Latitudes::Equiangular, 31, 60, 11),
    (Latitudes::Equiangular, 24, 23, 12),
    (Latitudes::Gauss, 64, 128, 43),
    (Latitudes::Gauss, 16, 32, 11),
    (Latitudes::Gauss, 17, 45, 17),
    (Latitudes::Gauss, 1, 1, 1),
];

fn noise(seed: u64, degrees: usize) -> Vec<Complex64> {
    let draws = uniforms(seed, 0, 2 * coefficients(degrees));
    let parts = draws.as_chunks::<2>().0.iter().enumerate();
    // The first `degrees` coefficients have order 0 and are real.
    parts
        .map(|(i, &[a, b])| Complex64::new(a - 0.5, if i < degrees { 0.0 } else { b - 0.5 }))
        .collect()
}

fn farthest<T: Copy + std::ops::Sub<Output = T>>(a: &[T], b: &[T], size: impl Fn(T) -> f64) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .fold(0.0, |most, (&a, &b)| size(a - b).max(most))
}

/// Colatitude and longitude of every point.
fn points(latitudes: Latitudes, n_lat: usize, n_lon: usize) -> Vec<(f64, f64)> {
    let circles = latitudes.colatitudes(n_lat).into_iter();
    circles
        .flat_map(|theta| (0..n_lon).map(move |j| (theta, TAU * j as f64 / n_lon as f64)))
        .collect()
}

/// `sum_lm c_m Re(a_lm P_lm e^{im lambda})`, term by term.
fn direct(spectrum: &[Complex64], degrees: usize, theta: f64, longitude: f64) -> f64 {
    let p = legendre::functions(theta, degrees, degrees);
    let mut sum = 0.0;
    for m in 0..degrees {
        for l in m..degrees {
            let turn = Complex64::cis(m as f64 * longitude);
            let pair = if m == 0 { 1.0 } else { 2.0 };
            sum += pair * (spectrum[index(degrees, l, m)] * turn).re * p[m * degrees + l];
        }
    }
    sum
}

#[test]
fn a_field_is_the_direct_sum_of_its_harmonics() {
    for (latitudes, n_lat, n_lon, degrees) in GRIDS {
        let spectrum = noise(1, degrees);
        let mut grid = vec![0.0; n_lat * n_lon];
        let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
        transform.grid_from_spectrum(&spectrum, &mut grid);
        for i in (0..grid.len()).step_by(grid.len().div_ceil(97)) {
            let (theta, longitude) = points(latitudes, n_lat, n_lon)[i];
            let wanted = direct(&spectrum, degrees, theta, longitude);
            assert!((grid[i] - wanted).abs() < 1e-12, "{latitudes} {n_lat}: {i}");
        }
    }
}

#[test]
fn scalars_come_back() {
    for (latitudes, n_lat, n_lon, degrees) in GRIDS {
        let spectrum = noise(2, degrees);
        let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
        let mut grid = vec![0.0; n_lat * n_lon];
        let mut found = vec![Complex64::default(); spectrum.len()];
        transform.grid_from_spectrum(&spectrum, &mut grid);
        transform.spectrum_from_grid(&grid, &mut found);
        let error = farthest(&found, &spectrum, Complex64::norm);
        assert!(error < 1e-13, "{latitudes} {n_lat}: {error:e}");
    }
}

#[test]
fn winds_come_back_poles_included() {
    for (latitudes, n_lat, n_lon, degrees) in GRIDS {
        let (mut zeta, mut delta) = (noise(3, degrees), noise(4, degrees));
        // A wind on a sphere has neither in the mean.
        zeta[0] = 0.0.into();
        delta[0] = 0.0.into();
        let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
        let [mut u, mut v] = [(); 2].map(|()| vec![0.0; n_lat * n_lon]);
        transform.wind_from_spectra(&zeta, &delta, &mut u, &mut v);
        let [mut curl, mut divergence] = [(); 2].map(|()| vec![Complex64::default(); zeta.len()]);
        transform.spectra_from_wind(&u, &v, &mut curl, &mut divergence);
        let error = farthest(&curl, &zeta, Complex64::norm).max(farthest(
            &divergence,
            &delta,
            Complex64::norm,
        ));
        assert!(error < 2e-13, "{latitudes} {n_lat}: {error:e}");
    }
}

#[test]
fn the_vorticity_of_a_solid_body_is_its_rotation() {
    for (latitudes, n_lat, n_lon, degrees) in GRIDS.into_iter().filter(|grid| grid.3 > 1) {
        let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
        let (mut u, v): (Vec<f64>, Vec<f64>) = points(latitudes, n_lat, n_lon)
            .into_iter()
            .map(|(theta, _)| (38.0 * theta.sin(), 0.0))
            .unzip();
        let [mut zeta, mut delta] =
            [(); 2].map(|()| vec![Complex64::default(); coefficients(degrees)]);
        transform.spectra_from_wind(&u, &v, &mut zeta, &mut delta);
        let mut wanted = vec![Complex64::default(); zeta.len()];
        wanted[index(degrees, 1, 0)] = (2.0 * 38.0 / RADIUS * (4.0 * PI / 3.0).sqrt()).into();
        assert!(farthest(&zeta, &wanted, Complex64::norm) < 1e-18);
        assert!(delta.iter().all(|d| d.norm() < 1e-18));
        let before = u.clone();
        let mut v = v;
        transform.wind_from_spectra(&wanted, &delta, &mut u, &mut v);
        assert!(farthest(&u, &before, f64::abs) < 1e-12);
        assert!(v.iter().all(|v| v.abs() < 1e-12));
    }
}

#[test]
fn a_flow_over_the_poles_is_a_solid_body_about_an_axis_in_the_equator() {
    // Rotation about the axis through (equator, longitude 0): velocity = w x r.
    let (latitudes, n_lat, n_lon, degrees) = GRIDS[1];
    let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
    let mut zeta = vec![Complex64::default(); coefficients(degrees)];
    let delta = zeta.clone();
    // zeta = 2 w sin(theta) cos(lambda), and Y_11 = sqrt(3 / 8 pi) sin(theta).
    zeta[index(degrees, 1, 1)] = (20.0 / RADIUS * (8.0 * PI / 3.0).sqrt() / 2.0).into();
    let [mut u, mut v] = [(); 2].map(|()| vec![0.0; n_lat * n_lon]);
    transform.wind_from_spectra(&zeta, &delta, &mut u, &mut v);
    for (i, (theta, longitude)) in points(latitudes, n_lat, n_lon).into_iter().enumerate() {
        let wanted = (
            -10.0 * theta.cos() * longitude.cos(),
            10.0 * longitude.sin(),
        );
        assert!((u[i] - wanted.0).abs() < 1e-12, "{theta} {longitude}");
        assert!((v[i] - wanted.1).abs() < 1e-12, "{theta} {longitude}");
    }
}

#[test]
fn the_wind_of_one_harmonic_is_the_gradient_of_its_potential() {
    // chi = Y_lm, so delta = -l(l+1)/a² Y_lm and (u, v) = grad chi; and psi = Y_lm turns it by a right angle.
    let (latitudes, n_lat, n_lon, degrees) = GRIDS[0];
    let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
    let zeros = vec![Complex64::default(); coefficients(degrees)];
    let [mut u, mut v, mut turned_u, mut turned_v] = [(); 4].map(|()| vec![0.0; n_lat * n_lon]);
    for (l, m) in [(1, 0), (3, 1), (7, 7), (20, 3), (42, 1), (42, 42)] {
        let amplitude = Complex64::new(0.6, if m == 0 { 0.0 } else { 0.8 });
        let mut potential = zeros.clone();
        potential[index(degrees, l, m)] = amplitude;
        let mut laplacian = zeros.clone();
        laplacian[index(degrees, l, m)] = -((l * (l + 1)) as f64) / (RADIUS * RADIUS) * amplitude;
        transform.wind_from_spectra(&zeros, &laplacian, &mut u, &mut v);
        transform.wind_from_spectra(&laplacian, &zeros, &mut turned_u, &mut turned_v);
        assert!(farthest(&turned_v, &u, f64::abs) < 1e-18);
        assert!(
            farthest(
                &turned_u.iter().map(|u| -u).collect::<Vec<_>>(),
                &v,
                f64::abs
            ) < 1e-18
        );
        // Central differences of fourth order, away from the poles.
        let h = 2e-4;
        let all = points(latitudes, n_lat, n_lon);
        for i in (n_lon..all.len() - n_lon).step_by(1777) {
            let (theta, longitude) = all[i];
            let chi = |t: f64, x: f64| direct(&potential, degrees, theta + t, longitude + x);
            let slope = |f: &dyn Fn(f64) -> f64| {
                (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
            };
            let east = slope(&|x| chi(0.0, x)) / (RADIUS * theta.sin());
            let north = -slope(&|t| chi(t, 0.0)) / RADIUS;
            let tolerance = 1e-7 * l as f64 / RADIUS;
            assert!((u[i] - east).abs() < tolerance, "{l} {m}: {} {east}", u[i]);
            assert!(
                (v[i] - north).abs() < tolerance,
                "{l} {m}: {} {north}",
                v[i]
            );
        }
    }
}

#[test]
fn an_imaginary_mean_along_circles_changes_nothing() {
    let (latitudes, n_lat, n_lon, degrees) = GRIDS[1];
    let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
    let spectrum = noise(5, degrees);
    let [mut clean, mut grid] = [(); 2].map(|()| vec![0.0; n_lat * n_lon]);
    transform.grid_from_spectrum(&spectrum, &mut clean);
    let mut spoilt = spectrum;
    for z in &mut spoilt[..degrees] {
        z.im = 1.0;
    }
    transform.grid_from_spectrum(&spoilt, &mut grid);
    assert_eq!(grid, clean);
}

#[test]
fn frames_have_their_channels_last() {
    let (latitudes, n_lat, n_lon, degrees) = GRIDS[2];
    let mut transform = Transform::new(latitudes, n_lat, n_lon, degrees);
    let spectra = [6, 7, 8].map(|seed| noise(seed, degrees));
    let mut frame = vec![0.0; 3 * n_lat * n_lon];
    transform.fields_from_spectra(spectra.each_ref().map(Vec::as_slice), &mut frame);
    let mut grid = vec![0.0; n_lat * n_lon];
    for (channel, spectrum) in spectra.iter().enumerate() {
        transform.grid_from_spectrum(spectrum, &mut grid);
        let channel: Vec<f64> = frame[channel..]
            .iter()
            .step_by(3)
            .map(|&v| v.into())
            .collect();
        assert!(farthest(&channel, &grid, f64::abs) < 1e-6);
    }
}

#[test]
#[should_panic(expected = "carry 1 to 16 degrees")]
fn a_grid_that_is_too_coarse_is_refused() {
    Transform::new(Latitudes::Equiangular, 32, 64, 17);
}
