//! The Kuramoto-Sivashinsky solver against independent integrations and exact properties.

use pno::pde::ks::{CELLS, LENGTH, Solver, initial_condition, whole_frames};

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    let scale: f64 = b.iter().map(|b| b * b).sum();
    (squares / scale).sqrt()
}

fn advanced(dt: f64, initial: &[f64], duration: f64) -> Vec<f64> {
    let mut u = initial.to_vec();
    Solver::new(initial.len(), LENGTH, dt).advance(&mut u, duration);
    u
}

/// The semi-discretised equation, written down cell by cell.
fn tendency(u: &[f64], dx: f64) -> Vec<f64> {
    let cells = u.len();
    let left = |i: usize| (i + cells - 1) % cells;
    let right = |i: usize| (i + 1) % cells;
    let laplacian = |v: &[f64], i: usize| (v[right(i)] - 2.0 * v[i] + v[left(i)]) / (dx * dx);
    let second: Vec<f64> = (0..cells).map(|i| laplacian(u, i)).collect();
    (0..cells)
        .map(|i| {
            let slope = (u[right(i)] - u[left(i)]) / (2.0 * dx);
            -0.5 * u[i] * slope - second[i] - laplacian(&second, i)
        })
        .collect()
}

/// Classical Runge-Kutta in physical space: slow, and shares nothing with the solver.
fn runge_kutta(u: &mut [f64], duration: f64, steps: usize) {
    let dx = LENGTH / u.len() as f64;
    let h = duration / steps as f64;
    let moved = |u: &[f64], k: &[f64], by: f64| -> Vec<f64> {
        u.iter().zip(k).map(|(u, k)| u + by * k).collect()
    };
    for _ in 0..steps {
        let k1 = tendency(u, dx);
        let k2 = tendency(&moved(u, &k1, h / 2.0), dx);
        let k3 = tendency(&moved(u, &k2, h / 2.0), dx);
        let k4 = tendency(&moved(u, &k3, h), dx);
        for i in 0..u.len() {
            u[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}

#[test]
fn agrees_with_runge_kutta_in_physical_space_from_white_noise() {
    let initial = initial_condition(3, 0, CELLS);
    let mut reference = initial.clone();
    let mut time = 0.0;
    // The reference is stable up to a step of 4e-3; halving this one changes it by 1e-7.
    for (until, tolerance) in [(0.1, 1e-6), (2.0, 1e-6), (10.0, 1e-6), (20.0, 1e-5)] {
        runge_kutta(
            &mut reference,
            until - time,
            ((until - time) * 1000.0) as usize,
        );
        time = until;
        let found = advanced(pno::pde::ks::DEFAULT_DT, &initial, until);
        let error = distance(&found, &reference);
        assert!(error < tolerance, "{error:e} at t = {until}");
    }
}

#[test]
fn agrees_with_runge_kutta_on_a_grid_of_odd_size() {
    let initial = initial_condition(4, 0, 75);
    let mut reference = initial.clone();
    runge_kutta(&mut reference, 5.0, 1000);
    let error = distance(&advanced(0.05, &initial, 5.0), &reference);
    assert!(error < 1e-6, "{error:e}");
}

#[test]
fn halving_the_step_divides_the_error_by_sixteen() {
    // On the published grid the fastest waves of the settled field come into the fourth-order range last.
    for (cells, least) in [(128, 15.0), (CELLS, 13.5)] {
        let settled = advanced(0.05, &initial_condition(5, 0, cells), 60.0);
        let fine = advanced(1.0 / 1024.0, &settled, 2.0);
        let [coarse, halved] =
            [64.0, 128.0].map(|rate| distance(&advanced(1.0 / rate, &settled, 2.0), &fine));
        let ratio = coarse / halved;
        assert!(
            (least..17.0).contains(&ratio),
            "{ratio} = {coarse:e} / {halved:e}"
        );
    }
}

#[test]
fn the_default_step_is_accurate_from_white_noise() {
    for trajectory in 0..4 {
        let initial = initial_condition(6, trajectory, CELLS);
        let found = advanced(pno::pde::ks::DEFAULT_DT, &initial, 20.0);
        let fine = advanced(pno::pde::ks::DEFAULT_DT / 8.0, &initial, 20.0);
        let error = distance(&found, &fine);
        assert!(error < 1e-5, "{error:e}");
    }
}

#[test]
fn small_waves_grow_and_decay_at_the_rate_of_their_eigenvalue() {
    // Without the advection term (amplitude 1e-9) one wave is exp(lambda t) times itself.
    let dx = LENGTH / CELLS as f64;
    for wave in [1_u32, 11, 16, 22, 26] {
        let angle = 2.0 * std::f64::consts::PI * f64::from(wave) / CELLS as f64;
        let laplacian = (2.0 * angle.cos() - 2.0) / (dx * dx);
        let growth = (-(laplacian + laplacian * laplacian) * 1.5).exp();
        let initial: Vec<f64> = (0..CELLS)
            .map(|i| 1e-9 * (angle * i as f64).cos())
            .collect();
        let wanted: Vec<f64> = initial.iter().map(|u| u * growth).collect();
        let error = distance(&advanced(0.1, &initial, 1.5), &wanted);
        assert!(error < 1e-6, "{error:e} for wave {wave}");
    }
}

#[test]
fn a_turned_start_gives_the_turned_solution() {
    let initial = initial_condition(7, 0, CELLS);
    let mut turned = initial.clone();
    turned.rotate_left(37);
    let mut wanted = advanced(0.0625, &initial, 20.0);
    wanted.rotate_left(37);
    assert!(distance(&advanced(0.0625, &turned, 20.0), &wanted) < 1e-10);
}

#[test]
fn a_mirrored_start_gives_the_mirrored_solution() {
    // x -> -x, u -> -u is a symmetry of the equation.
    let initial = initial_condition(8, 0, CELLS);
    let mirror = |u: &[f64]| -> Vec<f64> { u.iter().rev().map(|u| -u).collect() };
    let wanted = mirror(&advanced(0.0625, &initial, 20.0));
    assert!(distance(&advanced(0.0625, &mirror(&initial), 20.0), &wanted) < 1e-10);
}

#[test]
fn the_mean_is_conserved() {
    let initial = initial_condition(9, 0, CELLS);
    let mean = |u: &[f64]| u.iter().sum::<f64>() / u.len() as f64;
    let after = advanced(0.0625, &initial, 78.0);
    assert!((mean(&after) - mean(&initial)).abs() < 1e-12);
    assert!(
        mean(&initial).abs() > 1e-3,
        "a mean of zero would show nothing"
    );
}

#[test]
fn zero_stays_zero_and_no_time_changes_nothing() {
    assert_eq!(advanced(0.1, &[0.0; CELLS], 10.0), [0.0; CELLS]);
    let initial = initial_condition(10, 0, CELLS);
    assert!(distance(&advanced(0.1, &initial, 0.0), &initial) < 1e-15);
}

#[test]
fn frames_are_hit_exactly_where_the_step_does_not_divide_them() {
    let initial = initial_condition(11, 0, CELLS);
    let frames = Solver::new(CELLS, LENGTH, 0.0625).trajectory(&initial, 4, 0.7);
    assert_eq!(frames.len(), 4 * CELLS);
    for (i, frame) in frames.chunks_exact(CELLS).enumerate() {
        let frame: Vec<f64> = frame.iter().map(|&u| f64::from(u)).collect();
        let wanted = advanced(0.01, &initial, 0.7 * i as f64);
        assert!(distance(&frame, &wanted) < 1e-6, "frame {i}");
    }
}

#[test]
fn a_trajectory_after_a_burn_in_is_the_end_of_the_longer_one() {
    let initial = initial_condition(13, 0, CELLS);
    let mut solver = Solver::default_plan();
    let whole = solver.trajectory(&initial, 56, 2.0);
    for burn_in in [0_u8, 2, 100] {
        let later = solver.trajectory_from(&initial, f64::from(burn_in), 6, 2.0);
        let first = usize::from(burn_in) / 2 * CELLS;
        assert!(later == whole[first..first + 6 * CELLS], "from {burn_in}");
    }
}

#[test]
fn a_burn_in_must_be_a_whole_number_of_frame_steps() {
    for (time, step, wanted) in [
        (0.0, 2.0, Some(0)),
        (100.0, 2.0, Some(50)),
        (3.0 * 0.2, 0.2, Some(3)),
        (0.0, 0.0, Some(0)),
        (101.0, 2.0, None),
        (-2.0, 2.0, None),
        (2.0, 0.0, None),
        (f64::NAN, 2.0, None),
        (f64::INFINITY, 2.0, None),
        (1e300, 2.0, None),
    ] {
        assert_eq!(whole_frames(time, step), wanted, "{time} in {step}");
    }
}

#[test]
fn a_pair_is_two_single_trajectories() {
    let (a, b) = (
        initial_condition(12, 0, CELLS),
        initial_condition(12, 1, CELLS),
    );
    let mut solver = Solver::default_plan();
    let pair = solver.trajectory_pair([&a, &b], 11, 2.0);
    for (initial, found) in [&a, &b].into_iter().zip(pair) {
        let single = solver.trajectory(initial, 11, 2.0);
        let most = found
            .iter()
            .zip(&single)
            .fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(most < 1e-5, "{most:e}");
    }
}

#[test]
fn the_start_is_the_same_on_every_platform() {
    let start = initial_condition(1, 2, CELLS);
    let bits: Vec<u64> = start[..4].iter().map(|u| u.to_bits()).collect();
    assert_eq!(
        bits,
        [
            13823052097685716604,
            13827959959290355542,
            13828095542851513320,
            4599873695253256088
        ]
    );
    assert!(start.iter().all(|u| (-1.0..1.0).contains(u)));
    assert_ne!(start, initial_condition(1, 3, CELLS));
    assert_ne!(start, initial_condition(2, 2, CELLS));
}
