//! The state at t = 2 of the published data set: the exponential against closed forms and the literal scheme.

use std::f64::consts::PI;

use pno::pde::darcy::{
    END_TIME, Law, Scheme, Steady, coefficient, evolve, explicit_f32, explicit_f64, initial_field,
};

fn wide(field: &[f32]) -> Vec<f64> {
    field.iter().copied().map(f64::from).collect()
}

fn evolved(n: usize, a: &[f64], initial: &[f64], duration: f64) -> Vec<f64> {
    let scheme = Scheme::default();
    let (state, _) = evolve(n, a, initial, duration, scheme).expect("a state");
    state
}

fn steady(n: usize, a: &[f64]) -> Vec<f64> {
    let mut steady = Steady::new(n, a, Scheme::default()).expect("a coefficient");
    steady.solve().expect("a solution");
    steady.pressure()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}

#[test]
fn a_wave_decays_at_its_rate() {
    let n = 32;
    let a = vec![0.1; n * n];
    let rest = steady(n, &a);
    // The square is as wide as n + 1 cells: see the published border.
    let wave = |k: usize, i: usize| (PI * (k * (i + 1)) as f64 / (n + 1) as f64).sin();
    let rate = |k: usize| {
        let angle = PI * k as f64 / (2 * (n + 1)) as f64;
        0.1 * (2.0 * n as f64 * angle.sin()).powi(2)
    };
    let waves = [(1, 1, 3.0), (2, 1, -1.0), (3, 5, 2.0), (31, 32, 1.0)];
    for duration in [0.01, 0.3, 2.0] {
        let sum = |t: f64, cell: usize| -> f64 {
            let wave = |&(k, l, amplitude): &(usize, usize, f64)| {
                amplitude * (-(rate(k) + rate(l)) * t).exp() * wave(k, cell / n) * wave(l, cell % n)
            };
            waves.iter().map(wave).sum()
        };
        let at = |t: f64| -> Vec<f64> { (0..n * n).map(|k| rest[k] + sum(t, k)).collect() };
        let found = evolved(n, &a, &at(0.0), duration);
        let error = largest_difference(&found, &at(duration));
        assert!(error < 1e-9, "{error:e} after {duration}");
    }
}

#[test]
fn agrees_with_the_published_scheme_to_the_resolution_of_f32() {
    for (law, index, n) in [
        (Law::Bumps, 0, 32),
        (Law::Bumps, 1, 30),
        (Law::Bumps, 2, 17),
        (Law::Gaussian, 0, 12),
    ] {
        let a = wide(&coefficient(law, 21, index, n));
        let initial = initial_field(21, index, n);
        let literal = explicit_f64(n, &a, &initial, END_TIME);
        let found = evolved(n, &a, &initial, END_TIME);
        let error = largest_difference(&found, &literal);
        println!("{law:?} {index} on {n} cells: {error:e}");
        // The midpoint rule's own error falls with h to the fourth: 1e-10 on 128 cells.
        let own = 2e-2 * (n as f64).powi(-4);
        assert!(error < 1e-8 + own, "{error:e} on {n} cells");
    }
}

#[test]
fn the_slowest_sample_of_all_is_integrated_as_well() {
    let n = 32;
    let (a, initial) = (vec![0.1; n * n], vec![10.0; n * n]);
    let literal = explicit_f64(n, &a, &initial, END_TIME);
    let found = evolved(n, &a, &initial, END_TIME);
    assert!(largest_difference(&found, &steady(n, &a)) > 0.1);
    let error = largest_difference(&found, &literal);
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn short_times_need_more_dimensions_but_come_out_right() {
    let n = 64;
    let a = wide(&coefficient(Law::Bumps, 21, 5, n));
    let initial = initial_field(21, 5, n);
    for duration in [0.001, 0.01, 0.1, 1.0] {
        let literal = explicit_f64(n, &a, &initial, duration);
        let (found, report) =
            evolve(n, &a, &initial, duration, Scheme::default()).expect("a state");
        println!("{duration}: {report:?}");
        assert!(report.dimensions < 40);
        // The midpoint rule's own error again: in proportion to (dt / duration)².
        let dt = 0.125 / (n * n) as f64;
        let error = largest_difference(&found, &literal);
        assert!(error < 1e-8 + 2.0 * (dt / duration).powi(2), "{error:e}");
    }
}

#[test]
fn two_times_in_a_row_are_one() {
    let n = 64;
    let a = wide(&coefficient(Law::Bumps, 21, 3, n));
    let initial = initial_field(21, 3, n);
    let once = evolved(n, &a, &initial, 1.0);
    let twice = evolved(n, &a, &evolved(n, &a, &initial, 0.3), 0.7);
    assert!(largest_difference(&once, &twice) < 2e-9);
}

#[test]
fn after_a_long_time_the_state_is_steady() {
    let n = 128;
    let a = wide(&coefficient(Law::Bumps, 21, 4, n));
    let initial = initial_field(21, 4, n);
    let rest = steady(n, &a);
    let far =
        [0.5, 2.0, 8.0, 30.0].map(|t| largest_difference(&evolved(n, &a, &initial, t), &rest));
    assert!(
        far[0] > far[1] && far[1] > far[2] && far[3] < 1e-9,
        "{far:?}"
    );
}

#[test]
fn f32_stands_still_before_it_is_steady() {
    // f64 has arrived; f32 stopped on the way.
    let n = 32;
    let a = vec![1.0; n * n];
    let rest = steady(n, &a);
    let far = |u: &[f32]| largest_difference(&wide(u), &rest);
    let single = explicit_f32(n, &vec![1.0; n * n], &vec![1.0; n * n], END_TIME);
    let double = explicit_f64(n, &a, &vec![1.0; n * n], END_TIME);
    assert!(largest_difference(&double, &rest) < 1e-10);
    assert!((1e-7..1e-4).contains(&far(&single)), "{:e}", far(&single));
}
