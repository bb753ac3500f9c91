//! Scores against brute force, closed forms, and the ensembles whose scores are known beforehand.

use std::f64::consts::PI;

use pno::noise::uniforms;
use pno::score::{
    ALPHA, ESTIMATORS, EnergyScore, Maps, Scores, coverage, energy_score::energy_score, l2::l2,
    score_case, score_stream,
};

/// Standard normals by Box and Muller.
fn normals(stream: u64, n: usize) -> Vec<f32> {
    uniforms(99, stream, 2 * n)
        .chunks_exact(2)
        .map(|u| ((-2.0 * (1.0 - u[0]).ln()).sqrt() * (2.0 * PI * u[1]).cos()) as f32)
        .collect()
}

/// The formula as it stands, over all ordered pairs: `1/M Σ d(u, y) - 1/(2M(M-1)) ΣΣ d(u, u')`.
fn fair(members: &[&[f32]], truth: &[f32], distance: impl Fn(&[f32], &[f32]) -> f64) -> f64 {
    let count = members.len() as f64;
    let error: f64 = members.iter().map(|m| distance(m, truth)).sum();
    let pairs = members
        .iter()
        .flat_map(|a| members.iter().map(move |b| (a, b)));
    let spread: f64 = pairs.map(|(a, b)| distance(a, b)).sum();
    if members.len() == 1 {
        return error;
    }
    error / count - spread / (2.0 * count * (count - 1.0))
}

fn norm_of_difference(a: &[f32], b: &[f32]) -> f64 {
    let squares = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

fn mean_absolute_difference(a: &[f32], b: &[f32]) -> f64 {
    let absolute = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs());
    absolute.sum::<f64>() / a.len() as f64
}

fn assert_close(name: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{name}: {found} for {wanted}, tolerance {tolerance}"
    );
}

#[test]
fn energy_score_and_crps_are_the_brute_force_sums() {
    for members in [1, 2, 3, 8, 21] {
        for points in [1, 7, 64, 130, 2500] {
            let ensemble = normals((members * points) as u64, members * points);
            let truth = normals(7, points);
            let rows: Vec<&[f32]> = ensemble.chunks_exact(points).collect();
            let scores = score_case(&ensemble, &truth);
            let wanted = fair(&rows, &truth, norm_of_difference);
            assert_close("energy score", scores.energy_score, wanted, 1e-7);
            // The mean over points of absolute differences is linear, so the brute force is one sum as well.
            let wanted = fair(&rows, &truth, mean_absolute_difference);
            assert_close("CRPS", scores.crps, wanted, 1e-12);
        }
    }
}

#[test]
fn every_score_of_a_tiny_case_worked_by_hand() {
    // Two members, two points; truth (1, 0).
    let scores = score_case(&[0.0, 2.0, 4.0, 2.0], &[1.0, 0.0]);
    assert_eq!((scores.members, scores.cases), (2, 1));
    // The mean is (2, 2), its error (1, 2).
    assert_close("L2", scores.l2, 2.5_f64.sqrt(), 1e-15);
    // Errors (-1, 2) and (3, 2), distance (4, 0).
    let wanted = f64::midpoint(2.5_f64.sqrt(), 6.5_f64.sqrt()) - 2.0_f64.sqrt();
    assert_close("energy score", scores.energy_score, wanted, 1e-15);
    // Point 1: (1 + 3) / 2 - 4 / 2 = 0; point 2: 2.
    assert_close("CRPS", scores.crps, 1.0, 1e-15);
    // Point 1: quantiles 0.1 and 3.9 around 1; point 2: 2 and 2 beside 0.
    assert_close("coverage", scores.coverage, 0.5, 0.0);
    assert_close("width", scores.interval_width, 1.9, 1e-6);
    // Point 1: std sqrt(8), error 1; point 2: std clamped to 1e-6, error 2.
    let log_root = 0.5 * (2.0 * PI).ln();
    let first = log_root + 8.0_f64.sqrt().ln() + 1.0 / 16.0;
    let second = log_root + 1e-6_f64.ln() + 0.5 * 4e12;
    assert_close("NLL", scores.nll, f64::midpoint(first, second), 1e-3);
}

#[test]
fn an_ensemble_of_one_is_scored_by_its_error() {
    let (member, truth) = (normals(1, 300), normals(2, 300));
    let scores = score_case(&member, &truth);
    assert_close("L2", scores.l2, norm_of_difference(&member, &truth), 1e-7);
    assert_close("energy score", scores.energy_score, scores.l2, 1e-7);
    assert_close(
        "CRPS",
        scores.crps,
        mean_absolute_difference(&member, &truth),
        1e-12,
    );
    assert_eq!((scores.coverage, scores.interval_width), (0.0, 0.0));
    assert!(scores.nll > 1e10, "the NLL of one member is the clamp's");
}

#[test]
fn repeated_members_are_scored_as_one() {
    let (member, truth) = (normals(1, 300), normals(2, 300));
    let one = score_case(&member, &truth);
    let many = score_case(&member.repeat(12), &truth);
    assert_close("L2", many.l2, one.l2, 1e-12);
    assert_close("energy score", many.energy_score, one.energy_score, 1e-12);
    assert_close("CRPS", many.crps, one.crps, 1e-12);
    assert_eq!((many.coverage, many.interval_width), (0.0, 0.0));
}

/// `∫ φ` from 0 to `y` by Simpson's rule.
fn normal_cdf_above_half(y: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    let h = y / 1000.0;
    let inner = (1..1000).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * density(f64::from(i) * h));
    h / 3.0 * (density(0.0) + inner.sum::<f64>() + density(y))
}

#[test]
fn the_crps_of_normal_members_is_the_closed_form_of_the_normal_distribution() {
    // CRPS(N(0, 1), y) = y (2 Φ(y) - 1) + 2 φ(y) - 1 / √π, in expectation for every M: the estimator is fair.
    let points = 40_000;
    for (members, y) in [(2, 0.0_f64), (5, 0.7), (20, -1.5)] {
        let ensemble = normals(1000 + members as u64, members * points);
        let scores = score_case(&ensemble, &vec![y as f32; points]);
        let density = (-0.5 * y * y).exp() / (2.0 * PI).sqrt();
        let wanted = 2.0 * y * normal_cdf_above_half(y) + 2.0 * density - 1.0 / PI.sqrt();
        // Each point has a standard deviation below 1 / √M.
        let tolerance = 4.0 / ((members * points) as f64).sqrt();
        assert_close("CRPS", scores.crps, wanted, tolerance);
    }
}

#[test]
fn a_perfect_ensemble_of_a_hundred_has_its_known_scores() {
    let (members, points) = (100, 20_000);
    let scores = score_case(&normals(3, members * points), &normals(4, points));
    // Four standard errors of a share, of a mean of z²/2, and of a norm.
    assert_close("coverage", scores.coverage, 0.9312, 4.0 * 0.0018);
    assert_close("coverage", coverage::expected(members, ALPHA), 0.9312, 1e-4);
    // log √2π + E[log s] + 1/2 (1 + 1/M) (M-1)/(M-3), with E[log s] = -1/(2(M-1)) to the digits that matter.
    assert_close("NLL", scores.nll, 0.91894 - 0.00507 + 0.51541, 4.0 * 0.0052);
    assert_close("L2", scores.l2, 1.01_f64.sqrt(), 4.0 * 0.0051);
    assert_close(
        "energy score",
        scores.energy_score,
        0.5_f64.sqrt(),
        4.0 * 0.0051,
    );
    assert_close("CRPS", scores.crps, 1.0 / PI.sqrt(), 4.0 * 0.0036);
    // The expectations of the 3rd and 4th of a hundred normals are -1.94635 and -1.80176; position 2.475 lies between.
    assert_close("width", scores.interval_width, 3.75534, 4.0 * 0.0025);
}

#[test]
fn too_little_and_too_much_spread_show_in_the_coverage_and_in_the_scores() {
    let (members, points) = (100, 5000);
    let (noise, truth) = (normals(5, members * points), normals(6, points));
    let scaled = |by: f32| -> Scores {
        let ensemble: Vec<f32> = noise.iter().map(|u| u * by).collect();
        score_case(&ensemble, &truth)
    };
    let (narrow, right, wide) = (scaled(0.5), scaled(1.0), scaled(2.0));
    assert!(narrow.coverage < 0.75 && wide.coverage > 0.99);
    for wrong in [narrow, wide] {
        assert!(wrong.energy_score > right.energy_score + 0.03);
        assert!(wrong.crps > right.crps + 0.02);
        assert!(wrong.nll > right.nll + 0.2);
    }
}

#[test]
fn members_that_stream_in_are_scored_as_if_they_came_at_once() {
    let points = 1500;
    let (ensemble, truth) = (normals(8, 10 * points), normals(9, points));
    let mut stream = EnergyScore::new(truth.clone());
    let mut taken = 0;
    for members in [1, 1, 3, 5] {
        stream.push(&ensemble[taken * points..(taken + members) * points]);
        taken += members;
        assert_eq!(stream.count(), taken);
        let at_once = energy_score(&ensemble[..taken * points], &truth);
        assert_close("energy score", stream.value(), at_once, 1e-12);
    }
    let (streamed, at_once) = (score_stream(&stream), score_case(&ensemble, &truth));
    assert_close(
        "energy score",
        streamed.energy_score,
        at_once.energy_score,
        1e-12,
    );
    assert_eq!(
        Scores {
            energy_score: at_once.energy_score,
            ..streamed
        },
        at_once
    );
}

#[test]
fn the_maps_are_the_scores_point_by_point() {
    let points = 700;
    let (ensemble, truth) = (normals(10, 30 * points), normals(11, points));
    let maps = Maps::new(&ensemble, &truth, ALPHA);
    let scores = score_case(&ensemble, &truth);
    let hits = maps.hits.iter().filter(|&&hit| hit).count();
    assert_close(
        "coverage",
        scores.coverage,
        hits as f64 / points as f64,
        1e-15,
    );
    assert_close("L2", l2(&maps.mean, &truth), scores.l2, 1e-6);
    let width = maps
        .upper
        .iter()
        .zip(&maps.lower)
        .map(|(u, l)| f64::from(u - l))
        .sum::<f64>();
    assert_close("width", width / points as f64, scores.interval_width, 1e-6);
}

#[test]
fn one_nan_makes_every_score_nan() {
    let points = 70;
    let (ensemble, truth) = (normals(12, 5 * points), normals(13, points));
    let mut cases = Vec::new();
    for nan in [f32::NAN, -f32::NAN] {
        for place in [0, 2 * points + 65, 5 * points - 1] {
            let mut broken = ensemble.clone();
            broken[place] = nan;
            cases.push(score_case(&broken, &truth));
        }
        let mut broken = truth.clone();
        broken[40] = nan;
        cases.push(score_case(&ensemble, &broken));
    }
    for s in cases {
        for score in [
            s.l2,
            s.energy_score,
            s.crps,
            s.nll,
            s.coverage,
            s.interval_width,
        ] {
            assert!(score.is_nan(), "{s:?}");
        }
    }
}

#[test]
#[should_panic(expected = "not a whole number of fields")]
fn members_of_another_size_than_the_truth_are_refused() {
    score_case(&[1.0, 2.0, 3.0], &[1.0, 2.0]);
}

#[test]
fn every_score_names_its_estimator() {
    let printed = format!("{:?}", score_case(&[1.0], &[1.0]));
    for (key, estimator) in ESTIMATORS {
        assert!(printed.contains(&format!("{key}: ")), "{key} in {printed}");
        assert!(!estimator.is_empty());
    }
    assert_eq!(ESTIMATORS.len() + 2, printed.matches(": ").count());
}
