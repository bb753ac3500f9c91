//! Trajectories against the statistics of the published data set (144 windows), normalised by the published 2.6431.

use pno::pde::ks::{CELLS, FRAME_STEP, NORMALISATION, Solver, WINDOW, initial_condition};
use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;

const TRAJECTORIES: u64 = 48;
/// Windows behind the published numbers.
const REFERENCE: f64 = 144.0;

/// Normalised windows: `[frame, cell]`, input and target in one.
fn windows() -> Vec<Vec<f64>> {
    let mut solver = Solver::default_plan();
    let starts = |i| [2 * i, 2 * i + 1].map(|t| initial_condition(2024, t, CELLS));
    (0..TRAJECTORIES / 2)
        .flat_map(|i| {
            let [a, b] = starts(i);
            solver.trajectory_pair([&a, &b], 2 * WINDOW, FRAME_STEP)
        })
        .map(|t| {
            t.iter()
                .map(|&u| f64::from(u) / NORMALISATION.std)
                .collect()
        })
        .collect()
}

fn target(window: &[f64]) -> &[f64] {
    &window[WINDOW * CELLS..]
}

fn mean_square(u: &[f64]) -> f64 {
    u.iter().map(|u| u * u).sum::<f64>() / u.len() as f64
}

fn frame_std(window: &[f64], time: usize) -> f64 {
    let frame = &window[time / 2 * CELLS..][..CELLS];
    mean_square(frame).sqrt()
}

/// Share of the power of the target frames at each wavenumber.
fn power_fractions(window: &[f64]) -> Vec<f64> {
    let transform = FftPlanner::new().plan_fft_forward(CELLS);
    let mut power = vec![0.0; CELLS / 2 + 1];
    for frame in target(window).chunks_exact(CELLS) {
        let mut spectrum: Vec<Complex64> = frame.iter().map(|&u| u.into()).collect();
        transform.process(&mut spectrum);
        for (k, value) in spectrum.iter().enumerate() {
            power[k.min(CELLS - k)] += value.norm_sqr();
        }
    }
    let total: f64 = power.iter().sum();
    power.iter().map(|p| p / total).collect()
}

fn lag_correlation(window: &[f64], lag: usize) -> f64 {
    let target = target(window);
    let (early, late) = (
        &target[..target.len() - lag / 2 * CELLS],
        &target[lag / 2 * CELLS..],
    );
    let product: f64 = early.iter().zip(late).map(|(a, b)| a * b).sum();
    product / early.len() as f64 / (mean_square(early) * mean_square(late)).sqrt()
}

/// The mean over our windows and the published one differ by no more than four standard errors of that difference,
/// plus the rounding of the published number.
fn assert_agrees(name: &str, published: f64, rounding: f64, values: &[f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n + variance / REFERENCE).sqrt();
    println!("{name}: {mean:.4} for {published} (standard error {error:.4})");
    let tolerance = 4.0 * error + rounding;
    assert!(
        (mean - published).abs() < tolerance,
        "{name}: {mean} for {published}, tolerance {tolerance}"
    );
    assert!(
        tolerance < (0.4 * published).max(0.1),
        "{name}: a tolerance of {tolerance} says nothing"
    );
}

#[test]
fn trajectories_have_the_published_statistics() {
    let windows = windows();
    let over = |f: &dyn Fn(&[f64]) -> f64| -> Vec<f64> { windows.iter().map(|w| f(w)).collect() };

    for (time, std) in [
        (0, 0.219),
        (2, 0.107),
        (10, 0.445),
        (20, 0.967),
        (38, 1.025),
    ] {
        assert_agrees(
            &format!("std at t = {time}"),
            std,
            5e-4,
            &over(&|w| frame_std(w, time)),
        );
    }
    assert_agrees(
        "std of the target",
        1.03,
        0.01,
        &over(&|w| mean_square(target(w)).sqrt()),
    );

    let fractions: Vec<Vec<f64>> = windows.iter().map(|w| power_fractions(w)).collect();
    for (k, published) in [
        (9, 0.075),
        (10, 0.126),
        (11, 0.144),
        (12, 0.117),
        (13, 0.090),
    ] {
        let values: Vec<f64> = fractions.iter().map(|f| f[k]).collect();
        assert_agrees(&format!("power at k = {k}"), published, 5e-4, &values);
    }
    for (most, published) in [(6, 0.079), (10, 0.335)] {
        let values: Vec<f64> = fractions.iter().map(|f| f[..=most].iter().sum()).collect();
        assert_agrees(&format!("power at k <= {most}"), published, 5e-4, &values);
    }

    for (lag, published) in [(2, 0.87), (4, 0.62), (6, 0.39), (10, 0.17), (20, 0.02)] {
        assert_agrees(
            &format!("correlation at lag {lag}"),
            published,
            5e-3,
            &over(&|w| lag_correlation(w, lag)),
        );
    }

    assert_agrees(
        "zero forecast",
        1.028,
        5e-4,
        &over(&|w| mean_square(target(w)).sqrt()),
    );
    let persistence = |w: &[f64]| {
        let last = &w[(WINDOW - 1) * CELLS..WINDOW * CELLS];
        let error: Vec<f64> = target(w)
            .iter()
            .zip(last.iter().cycle())
            .map(|(u, l)| u - l)
            .collect();
        mean_square(&error).sqrt()
    };
    assert_agrees("persistence", 1.354, 5e-4, &over(&persistence));
}
