//! Propriety by simulation: on average, no forecast scores better than the distribution that the truth comes from.
//! And the invariances that the formulas have.

use std::f64::consts::PI;

use pno::noise::normal::fill;
use pno::score::{Measure, Numbers, Options, Verification, energy_score::energy_score, score_case};

const POINTS: usize = 4;
const MEMBERS: usize = 8;
const CASES: u32 = 6000;

fn normals(stream: u32, n: usize) -> Vec<f32> {
    let mut values = vec![0.0; n];
    fill([97, stream], &mut values);
    values
}

/// Correlated: each point keeps a share of the one before it.
fn correlate(field: &mut [f32], share: f32) {
    for row in field.chunks_exact_mut(POINTS) {
        for p in 1..POINTS {
            row[p] = share * row[p - 1] + (1.0 - share * share).sqrt() * row[p];
        }
    }
}

/// Mean scores of a forecast that is the true distribution, stretched and shifted, against the same truths.
fn mean_scores(stretch: f32, shift: f32, share: f32) -> Numbers {
    let options = Options {
        spectra: false,
        ..Options::default()
    };
    let mut verification = Verification::new(Measure::flat(POINTS), options);
    for case in 0..CASES {
        let mut truth = normals(case, POINTS);
        correlate(&mut truth, 0.6);
        let mut members = normals(100_000 + case, MEMBERS * POINTS);
        correlate(&mut members, share);
        for u in &mut members {
            *u = *u * stretch + shift;
        }
        verification.push(&members, &truth).expect("a case");
    }
    verification.finish().0.scores
}

#[test]
fn the_true_distribution_scores_best() {
    let right = mean_scores(1.0, 0.0, 0.6);
    for (name, stretch, shift) in [
        ("too narrow", 0.6, 0.0),
        ("too wide", 1.6, 0.0),
        ("shifted", 1.0, 0.5),
        ("a point", 0.0, 0.0),
    ] {
        let wrong = mean_scores(stretch, shift, 0.6);
        // Truths and noise are the same on both sides, so that differences are much surer than the means: the margins
        // are more than five of their standard errors.
        let worse = |score: &str, right: f64, wrong: f64| {
            assert!(wrong > right + 0.01, "{score}, {name}: {wrong} and {right}");
        };
        worse("crps", right.crps, wrong.crps);
        let pairs = |numbers: &Numbers| {
            (
                numbers.energy_score.expect("pairs"),
                numbers.kernel_score.expect("pairs"),
            )
        };
        let ((energy, kernel), (wrong_energy, wrong_kernel)) = (pairs(&right), pairs(&wrong));
        worse("energy score", energy, wrong_energy);
        worse("kernel score", kernel, wrong_kernel);
    }
}

#[test]
fn the_variogram_score_sees_wrong_correlations_which_the_crps_does_not() {
    let right = mean_scores(1.0, 0.0, 0.6);
    let white = mean_scores(1.0, 0.0, 0.0);
    assert!((white.crps - right.crps).abs() < 0.01);
    let variogram = |numbers: &Numbers| numbers.variogram_score.expect("asked for");
    assert!(variogram(&white) > variogram(&right) + 0.01);
}

#[test]
fn fair_scores_do_not_depend_on_the_number_of_members_and_plain_ones_do() {
    // One point, truth 0.7: the energy score is the CRPS, and the closed form is that of the standard normal.
    let y = 0.7_f64;
    let density = (-0.5 * y * y).exp() / (2.0 * PI).sqrt();
    // Φ(0.7) by tables.
    let wanted = y * (2.0 * 0.758_036_347_776_927 - 1.0) + 2.0 * density - 1.0 / PI.sqrt();
    let cases = 40_000;
    for members in [2, 3, 10] {
        let ensemble = normals(members, members as usize * cases);
        let each = ensemble.chunks_exact(members as usize);
        let mean = each.map(|m| energy_score(m, &[y as f32])).sum::<f64>() / cases as f64;
        // Each case has a standard deviation below 1 / √M.
        let tolerance = 4.0 / (f64::from(members) * cases as f64).sqrt();
        assert!(
            (mean - wanted).abs() < tolerance,
            "{members}: {mean} for {wanted}"
        );
        // A plain estimate is above by E|u - u'| / (2 M) = 1 / (M √π).
        let field: Vec<f32> = (0..members as usize)
            .flat_map(|m| ensemble[m..].iter().step_by(members as usize))
            .copied()
            .collect();
        let mut verification = Verification::new(Measure::flat(cases), Options::pointwise());
        let numbers = verification
            .push(&field, &vec![y as f32; cases])
            .expect("a case");
        let excess = 1.0 / (f64::from(members) * PI.sqrt());
        assert!((numbers.crps - wanted).abs() < tolerance);
        assert!((numbers.crps_plain - wanted - excess).abs() < tolerance);
    }
}

#[test]
fn scores_keep_under_shifts_and_orders_and_scale_with_the_units() {
    let points = 300;
    let (members, truth) = (normals(1, 12 * points), normals(2, points));
    let base = score_case(&members, &truth);
    let near = |name: &str, found: f64, wanted: f64| {
        assert!(
            (found - wanted).abs() < 2e-6 * wanted.abs(),
            "{name}: {found} for {wanted}"
        );
    };
    // Multiples of 1/8 and a shift by 64 are exact enough in f32; units by a power of two are exact.
    for (factor, shift) in [(1.0, 2.0), (4.0, 0.0), (-2.0, 0.0), (0.5, -1.0)] {
        let change =
            |field: &[f32]| -> Vec<f32> { field.iter().map(|v| v * factor + shift).collect() };
        let found = score_case(&change(&members), &change(&truth));
        let scale = f64::from(factor.abs());
        near("l2", found.l2, scale * base.l2);
        near(
            "energy score",
            found.energy_score,
            scale * base.energy_score,
        );
        near("crps", found.crps, scale * base.crps);
        near("width", found.interval_width, scale * base.interval_width);
        near("nll", found.nll, base.nll + scale.ln());
        assert_eq!(found.coverage, base.coverage);
    }
    // Another order of members.
    let turned: Vec<f32> = members
        .chunks_exact(points)
        .rev()
        .flatten()
        .copied()
        .collect();
    let found = score_case(&turned, &truth);
    near("crps", found.crps, base.crps);
    near("energy score", found.energy_score, base.energy_score);
    // Another order of points, the same for all.
    let turn = |field: &[f32]| -> Vec<f32> {
        field
            .chunks_exact(points)
            .flat_map(|f| f.iter().rev())
            .copied()
            .collect()
    };
    let found = score_case(&turn(&members), &turn(&truth));
    near("crps", found.crps, base.crps);
    near("energy score", found.energy_score, base.energy_score);
}
