//! Shallow water over hours and days: known solutions, conservation laws, convergence.

use std::f64::consts::TAU;

use pno::pde::sswe::{
    RADIUS, RossbyHaurwitz, Solver, State, Stepper, degrees, random_initial_condition,
    steps_per_hour, zonal_flow,
};
use pno::spec::Profile;
use pno::sphere::Latitudes;
use rustfft::num_complex::Complex64;

const DAY_HOURS: usize = 24;

fn solver(n_lat: usize, profile: Profile) -> Solver {
    Solver::new(n_lat, 2 * n_lat, Latitudes::Equiangular, profile)
}

/// Norm of each field's difference over the norm of the second, without its mean.
fn distances(a: &State, b: &State) -> [f64; 3] {
    let norm = |field: Vec<Complex64>| -> f64 {
        let degrees = a.degrees();
        let pair = |i| if i < degrees { 1.0 } else { 2.0 };
        let squares = field.iter().enumerate().skip(1);
        squares
            .map(|(i, z)| pair(i) * z.norm_sqr())
            .sum::<f64>()
            .sqrt()
    };
    std::array::from_fn(|channel| {
        let (a, b) = (a.fields()[channel], b.fields()[channel]);
        norm(a.iter().zip(b).map(|(a, b)| a - b).collect()) / norm(b.to_vec())
    })
}

/// A random state after its burn-in.
fn settled(n_lat: usize) -> State {
    let mut solver = solver(n_lat, Profile::Fixed);
    solver.start(2, 0);
    solver.state().clone()
}

#[test]
fn a_balanced_zonal_flow_stays_for_five_days() {
    let speed = TAU * RADIUS / (12.0 * 24.0 * 3600.0);
    for (n_lat, profile) in [
        (32, Profile::Paper),
        (64, Profile::Paper),
        (64, Profile::Fixed),
        (128, Profile::Paper),
    ] {
        let mut solver = solver(n_lat, profile);
        let start = zonal_flow(solver.degrees(), speed, 2.94e4);
        solver.load(&start);
        for _ in 0..5 * DAY_HOURS {
            solver.advance_hours(1);
        }
        let [phi, zeta, _] = distances(solver.state(), &start);
        let scale = start.zeta[1].norm();
        let divergence = solver.state().delta.iter().map(|d| d.norm()).sum::<f64>() / scale;
        println!("{n_lat} {profile}: phi {phi:.1e}, zeta {zeta:.1e}, delta {divergence:.1e}");
        // What is left is rounding, and the damping of degree 1 itself: (2 / (L (L - 1)))^4 in two hours.
        let last = (solver.degrees() * (solver.degrees() - 1)) as f64;
        let damped = 60.0 * (2.0 / last).powi(4);
        for error in [phi, zeta, divergence] {
            assert!(error < 1e-9 + 3.0 * damped, "{n_lat} {profile}: {error:e}");
        }
    }
}

#[test]
fn mass_is_exact_and_energy_nearly_conserved_over_a_day() {
    let n_lat = 64;
    let dt_secs = 3600.0 / steps_per_hour(n_lat) as f64;
    let start = settled(n_lat);
    let mut drifts = Vec::new();
    for dt_secs in [dt_secs, dt_secs / 2.0, dt_secs / 4.0] {
        let mut stepper = Stepper::new(start.degrees(), dt_secs, Profile::Fixed).undamped();
        stepper.load(&start);
        let before = stepper.diagnostics();
        stepper.advance((86_400.0 / dt_secs) as usize);
        let after = stepper.diagnostics();
        assert_eq!(before.mass, after.mass);
        let energy = after.energy() / before.energy() - 1.0;
        let enstrophy = after.potential_enstrophy / before.potential_enstrophy - 1.0;
        println!("undamped, {dt_secs} s: energy {energy:.2e}, potential enstrophy {enstrophy:.2e}");
        drifts.push(energy.abs());
    }
    // Adams-Bashforth 3 damps the fastest gravity waves by (3/8) (angle per step)^4, and this state is full of them.
    assert!(drifts[0] < 0.1, "{drifts:?}");
    assert!(drifts[1] < drifts[0] / 5.0, "{drifts:?}");
    assert!(drifts[2] < drifts[1] / 7.0, "{drifts:?}");

    let mut solver = solver(n_lat, Profile::Paper);
    solver.load(&start);
    let before = solver.diagnostics();
    for _ in 0..DAY_HOURS {
        solver.advance_hours(1);
    }
    let after = solver.diagnostics();
    let energy = after.energy() / before.energy() - 1.0;
    println!("as published: energy {energy:.2e}, {before:?} {after:?}");
    assert_eq!(before.mass, after.mass);
    assert!((-0.7..0.05).contains(&energy), "{energy}");
}

#[test]
fn a_rossby_haurwitz_wave_turns_at_its_speed() {
    // The closed form is that of a fluid without divergence; the deeper the fluid, the closer it comes.
    let n_lat = 64;
    let published = RossbyHaurwitz::default();
    let mut errors = Vec::new();
    for (depth, hours) in [(1.0, DAY_HOURS), (10.0, DAY_HOURS), (100.0, 12)] {
        let wave = RossbyHaurwitz {
            pole: depth * published.pole,
            ..published
        };
        let dt_secs = 3600.0 / (steps_per_hour(n_lat) as f64 * f64::sqrt(depth).ceil());
        let mut stepper = Stepper::new(degrees(n_lat), dt_secs, Profile::Fixed);
        stepper.load(&wave.state(degrees(n_lat)));
        assert!(wave.angle(stepper.state()).abs() < 1e-12);
        stepper.advance((hours as f64 * 3600.0 / dt_secs).round() as usize);
        let found = wave.angle(stepper.state()) / (hours as f64 * 3600.0);
        let error = found / wave.angular_speed() - 1.0;
        println!(
            "{depth} times as deep: {found:.4e} rad/s, {:.2} % off",
            100.0 * error
        );
        errors.push(error.abs());
    }
    for (error, tolerance) in errors.into_iter().zip([0.07, 0.01, 0.002]) {
        assert!(error < tolerance, "{error}");
    }
}

fn advanced(start: &State, dt_secs: f64, secs: f64, profile: Profile) -> State {
    let mut stepper = Stepper::new(start.degrees(), dt_secs, profile);
    stepper.load(start);
    stepper.advance((secs / dt_secs).round() as usize);
    stepper.state().clone()
}

#[test]
fn halving_the_step_divides_the_error_as_the_scheme_promises() {
    let start = settled(32);
    // Paper: first order, by its damping and its start. Fixed: third order.
    for (profile, expected) in [(Profile::Paper, 2.0), (Profile::Fixed, 8.0)] {
        let hours = 2.0 * 3600.0;
        let fine = advanced(&start, 600.0 / 128.0, hours, Profile::Fixed);
        let [coarse, halved] =
            [75.0, 37.5].map(|dt| distances(&advanced(&start, dt, hours, profile), &fine));
        for channel in 0..3 {
            let ratio = coarse[channel] / halved[channel];
            println!(
                "{profile}, channel {channel}: {ratio:.2} = {:.1e} / {:.1e}",
                coarse[channel], halved[channel]
            );
            assert!(
                (ratio / expected - 1.0).abs() < 0.25,
                "{profile} {channel}: {ratio}"
            );
        }
    }
}

#[test]
fn the_default_step_is_accurate_at_every_resolution() {
    for n_lat in [32, 64, 128] {
        let start = settled(n_lat);
        let dt_secs = 3600.0 / steps_per_hour(n_lat) as f64;
        let fine = advanced(&start, dt_secs / 8.0, 3600.0, Profile::Fixed);
        for profile in [Profile::Fixed, Profile::Paper] {
            let found = distances(&advanced(&start, dt_secs, 3600.0, profile), &fine);
            println!("{n_lat} {profile}, {dt_secs} s, relative error after 1 h: {found:.5?}");
            let most = if profile == Profile::Fixed {
                0.05
            } else {
                0.12
            };
            assert!(
                found.iter().all(|&error| error < most),
                "{n_lat} {profile}: {found:?}"
            );
        }
    }
}

#[test]
fn a_coarse_grid_resolves_the_same_dynamics_from_a_smooth_start() {
    let smooth = random_initial_condition(9, 0, 8);
    let run = |n_lat: usize| {
        let mut solver = solver(n_lat, Profile::Fixed);
        solver.load(&smooth.truncated(solver.degrees()));
        solver.advance_hours(6);
        solver.state().truncated(degrees(64))
    };
    let found = distances(&run(64), &run(128));
    println!("64 x 128 and 128 x 256 after 6 h: {found:.5?}");
    for (error, tolerance) in found.into_iter().zip([1e-2, 1e-2, 2e-2]) {
        assert!(error < tolerance, "{found:?}");
    }
}

#[test]
fn a_turned_start_gives_the_turned_solution() {
    let start = settled(32);
    let turned = |state: &State| {
        let mut state = state.clone();
        let n = state.degrees();
        for m in 0..n {
            for l in m..n {
                let i = pno::pde::sswe::index(n, l, m);
                let turn = Complex64::cis(0.7 * m as f64);
                for field in [&mut state.phi, &mut state.zeta, &mut state.delta] {
                    field[i] *= turn;
                }
            }
        }
        state
    };
    let found = advanced(&turned(&start), 600.0, 36_000.0, Profile::Paper);
    let wanted = turned(&advanced(&start, 600.0, 36_000.0, Profile::Paper));
    assert!(
        distances(&found, &wanted)
            .iter()
            .all(|&error| error < 1e-11)
    );
}

#[test]
fn the_same_seed_gives_the_same_bits_whatever_was_solved_before() {
    for profile in [Profile::Paper, Profile::Fixed] {
        let mut solver = solver(32, profile);
        let first = solver.trajectory(4, 7, 3);
        let other = solver.trajectory(4, 8, 3);
        assert_ne!(first, other);
        let bits = |frames: &[f32]| -> Vec<u32> { frames.iter().map(|v| v.to_bits()).collect() };
        assert_eq!(bits(&first), bits(&solver.trajectory(4, 7, 3)));
        assert_eq!(bits(&first), bits(&solver.clone().trajectory(4, 7, 3)));
    }
}

#[test]
fn frames_are_an_hour_apart_after_three_hours() {
    let mut solver = solver(32, Profile::Fixed);
    let frames = solver.trajectory(5, 0, 3);
    assert_eq!(frames.len(), 3 * solver.frame_len());
    let mut stepper = Stepper::new(solver.degrees(), 600.0, Profile::Fixed);
    stepper.load(&random_initial_condition(5, 0, solver.degrees()));
    stepper.advance(5 * 6);
    assert_eq!(stepper.state(), solver.state());
    let mut last = vec![0.0; solver.frame_len()];
    solver.show(&mut last);
    assert_eq!(last, frames[2 * last.len()..]);
}

#[test]
fn a_frame_holds_the_whole_state() {
    for latitudes in [Latitudes::Equiangular, Latitudes::Gauss] {
        let mut solver = Solver::new(64, 128, latitudes, Profile::Fixed);
        solver.start(5, 1);
        let (state, mut frame) = (solver.state().clone(), vec![0.0; solver.frame_len()]);
        solver.show(&mut frame);
        solver.load_frame(&frame);
        // A frame is rounded to f32, and the geopotential around a large mean.
        let [phi, zeta, delta] = distances(solver.state(), &state);
        assert!(
            phi < 1e-5 && zeta < 1e-7 && delta < 1e-7,
            "{phi} {zeta} {delta}"
        );
    }
}

#[test]
fn the_wind_of_a_frame_is_that_of_its_vorticity() {
    // A solid body: u = speed cos(lat) everywhere, also where the poles are.
    let mut solver = solver(32, Profile::Fixed);
    solver.load(&zonal_flow(solver.degrees(), 30.0, 1e5));
    let [mut u, mut v] = [(); 2].map(|()| vec![0.0; 32 * 64]);
    solver.show_wind(&mut u, &mut v);
    for (i, theta) in Latitudes::Equiangular
        .colatitudes(32)
        .into_iter()
        .enumerate()
    {
        assert!((u[64 * i + 5] - 30.0 * theta.sin()).abs() < 1e-11);
        assert!(v[64 * i + 5].abs() < 1e-11);
    }
}

#[test]
fn days_are_stable_at_every_resolution() {
    for n_lat in [16, 32, 64] {
        let mut solver = solver(n_lat, Profile::Paper);
        solver.start(6, 0);
        let before = solver.diagnostics().energy();
        for _ in 0..10 * DAY_HOURS {
            solver.advance_hours(1);
        }
        let after = solver.diagnostics().energy();
        println!("{n_lat}: energy after ten days {:.3}", after / before);
        assert!(after < 1.02 * before, "{n_lat}: {before} to {after}");
    }
}
