//! Samples against the statistics of a replica of the published data set (200 samples), and their reproducibility.
//!
//! The replica's largest steady pressure, 0.78, gives its grid away: a square full of 0.1 has 0.0737 (1 + h)² / 0.1,
//! which is 0.783 on 32 cells and 0.748 on the 128 of the published file. So the comparison is on 32, and the test on
//! 128 cells only asks for what the finer grid should change.

use pno::pde::darcy::{CELLS, Law, Sample, Solver, coefficient, gaussian_field, sample};
use pno::spec::Profile;

/// Cells of the replica.
const REPLICA: usize = 32;
const SAMPLES: u64 = 600;
/// Samples behind the replica's numbers.
const REFERENCE: f64 = 200.0;

struct Pair {
    paper: Sample,
    steady: Sample,
}

/// Samples of several batches, in both profiles.
fn pairs(n: usize, samples: u64) -> Vec<Pair> {
    let mut solver = Solver::new(n);
    let mut solved = |index, profile| {
        let found = solver.sample(2024, index, profile, Law::Bumps);
        found.expect("a solution")
    };
    (0..samples)
        .map(|k| 4 * k + 5)
        .map(|index| Pair {
            paper: solved(index, Profile::Paper),
            steady: solved(index, Profile::Fixed),
        })
        .collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

fn of_field(field: &[f32], value: impl Fn(f64) -> f64) -> f64 {
    mean(field.iter().map(|u| value(f64::from(*u))))
}

/// The mean over our samples and the replica's differ by no more than four standard errors of that difference, plus
/// the rounding of the replica's number.
fn assert_agrees(name: &str, replica: f64, rounding: f64, values: &[f64]) {
    let n = values.len() as f64;
    let found = mean(values.iter().copied());
    let variance = values.iter().map(|v| (v - found).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n + variance / REFERENCE).sqrt();
    println!("{name}: {found:.4} for {replica} (standard error {error:.4})");
    let tolerance = 4.0 * error + rounding;
    assert!(
        (found - replica).abs() < tolerance,
        "{name}: {found} for {replica}, tolerance {tolerance}"
    );
    assert!(
        tolerance < 0.5 * replica,
        "{name}: a tolerance of {tolerance} says nothing"
    );
}

#[test]
fn samples_have_the_statistics_of_the_replica() {
    let pairs = pairs(REPLICA, SAMPLES);
    let over = |f: &dyn Fn(&Pair) -> f64| -> Vec<f64> { pairs.iter().map(f).collect() };

    let ones = |p: &Pair| of_field(&p.paper.coefficient, |a| f64::from(a == 1.0));
    assert_agrees("share of 1.0", 0.49, 0.005, &over(&ones));

    let paper = |p: &Pair| of_field(&p.paper.solution, |u| u);
    let steady = |p: &Pair| of_field(&p.steady.solution, |u| u);
    assert_agrees("mean, paper", 0.169, 5e-4, &over(&paper));
    assert_agrees("mean, steady", 0.165, 5e-4, &over(&steady));
    let square = |mean: f64| move |u: f64| (u - mean).powi(2);
    let paper = |p: &Pair| of_field(&p.paper.solution, square(0.169));
    let steady = |p: &Pair| of_field(&p.steady.solution, square(0.165));
    assert_agrees("variance, paper", 0.129 * 0.129, 2e-4, &over(&paper));
    assert_agrees("variance, steady", 0.120 * 0.120, 2e-4, &over(&steady));

    let most = pairs.iter().flat_map(|p| &p.steady.solution);
    let most = most.fold(0.0_f32, |most, u| most.max(*u));
    assert!((0.75..0.79).contains(&most), "{most} for 0.78");

    // What is left of the initial field, in standard deviations: next to nothing, but for a few samples.
    // The replica's windows cut away the whole field and not only its waves, so it has about half of this.
    let left = |p: &Pair| {
        let both = p.paper.solution.iter().zip(&p.steady.solution);
        mean(both.map(|(a, b)| (f64::from(*a - *b) / 0.129).powi(2))).sqrt()
    };
    let mut left = over(&left);
    left.sort_by(f64::total_cmp);
    let rms = mean(left.iter().map(|l| l * l)).sqrt();
    let (median, high) = (left[left.len() / 2], left[left.len() * 9 / 10]);
    println!("left: RMS {rms:.3}, median {median:.1e}, nine tenths {high:.3}");
    assert!((0.1..0.25).contains(&rms), "RMS {rms} for 0.14");
    assert!((3e-4..1.5e-3).contains(&median), "median {median} for 3e-4");
    assert!((0.03..0.25).contains(&high), "nine tenths {high} for 0.03");
}

#[test]
fn the_published_grid_has_lower_pressures_than_the_replica() {
    let samples = 24;
    let [fine, coarse] = [CELLS, REPLICA].map(|n| pairs(n, samples));
    let total = |pairs: &[Pair]| mean(pairs.iter().map(|p| of_field(&p.steady.solution, |u| u)));
    let ratio = total(&fine) / total(&coarse);
    println!("mean on {CELLS} over mean on {REPLICA}: {ratio:.4}");
    assert!((0.90..0.96).contains(&ratio), "{ratio}");
    for pair in &fine {
        assert!(pair.steady.report.iterations <= 13);
        assert!(pair.steady.solution.iter().all(|u| (0.0..0.75).contains(u)));
        assert!(pair.paper.solution.iter().all(|u| (0.0..1.1).contains(u)));
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let n = 48;
    for law in [Law::Bumps, Law::Gaussian] {
        for profile in [Profile::Fixed, Profile::Paper] {
            let found = |index| sample(3, index, profile, law, n).expect("a solution");
            let first = found(7);
            assert_eq!(first, found(7));
            assert_ne!(first.solution, found(8).solution);
            assert_eq!(first.coefficient, coefficient(law, 3, 7, n));
            // Whatever the solver did before.
            let mut solver = Solver::new(n);
            for index in [250, 8, 7] {
                let kept = solver.sample(3, index, profile, law);
                assert_eq!(kept.expect("a solution"), found(index));
            }
        }
    }
}

#[test]
fn the_gaussian_field_has_the_variance_of_its_law() {
    let n = 24;
    let samples = 400;
    let mut squares = vec![0.0; n * n];
    let mut mean_value = 0.0_f64;
    for index in 0..samples {
        let field = gaussian_field(5, index, n);
        // No constant part; on cells, waves that they cannot tell from a constant leave a little.
        mean_value = mean_value.max((field.iter().sum::<f64>() / field.len() as f64).abs());
        for (sum, g) in squares.iter_mut().zip(field) {
            *sum += g * g / samples as f64;
        }
    }
    assert!(mean_value < 1e-2, "{mean_value}");
    // At each cell, the sum over waves of (c_k c_l cos cos)² / (pi² (k² + l²) + 9)².
    let wave = |k: usize, i: usize| {
        let angle = std::f64::consts::PI * k as f64 * (i as f64 + 0.5) / n as f64;
        if k == 0 {
            1.0
        } else {
            2.0 * angle.cos().powi(2)
        }
    };
    let pi = std::f64::consts::PI;
    let modes = || (0..128 * 128).map(|m: usize| (m / 128, m % 128)).skip(1);
    let law = |k: usize, l: usize| (pi * pi * (k * k + l * l) as f64 + 9.0).powi(-2);
    for cell in [0, n / 2, n * n / 2 + n / 2, n * n - 1] {
        let (i, j) = (cell / n, cell % n);
        let wanted: f64 = modes()
            .map(|(k, l)| law(k, l) * wave(k, i) * wave(l, j))
            .sum();
        let error = (2.0 / samples as f64).sqrt();
        let ratio = squares[cell] / wanted;
        assert!((ratio - 1.0).abs() < 4.0 * error, "{ratio} in cell {cell}");
    }
    // Cells are correlated, so the mean over them is not much better known than one of them.
    let total: f64 = modes().map(|(k, l)| law(k, l)).sum();
    let ratio = squares.iter().sum::<f64>() / (n * n) as f64 / total;
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
}

#[test]
fn the_gaussian_field_is_one_function_at_64_and_128() {
    let (coarse, fine) = (64, 128);
    let (a, b) = (gaussian_field(6, 0, coarse), gaussian_field(6, 0, fine));
    // Four fine centres lie around a coarse one: their mean differs by the curvature only.
    let mut squares = [0.0; 2];
    for k in 0..coarse * coarse {
        let at = 2 * (k / coarse) * fine + 2 * (k % coarse);
        let around = (b[at] + b[at + 1] + b[at + fine] + b[at + fine + 1]) / 4.0;
        squares[0] += (a[k] - around).powi(2);
        squares[1] += a[k].powi(2);
    }
    let relative = (squares[0] / squares[1]).sqrt();
    assert!(relative < 0.03, "{relative}");

    let [a, b] = [coarse, fine].map(|n| coefficient(Law::Gaussian, 6, 0, n));
    let outliers = (0..coarse * coarse).filter(|k| {
        let at = 2 * (k / coarse) * fine + 2 * (k % coarse);
        [0, 1, fine, fine + 1].iter().all(|d| b[at + d] != a[*k])
    });
    assert!(outliers.count() < coarse * coarse / 200);
}
