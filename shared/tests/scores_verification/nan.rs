//! What a NaN does.

use pno::score::{Event, NanPolicy, Options, Verification};

use crate::brute::Brute;
use crate::{measure, normals};

#[test]
fn skipped_truth_is_left_out_and_counted() {
    let measure = measure();
    let (members, mut truth) = (normals(9, 9 * 210), normals(10, 210));
    for v in [0, 3, 80, 81, 209] {
        truth[v] = f32::NAN;
    }
    // A member without value where there is no truth either does no harm: land in an ocean model.
    let mut members = members;
    members[4 * 210 + 80] = f32::NAN;
    let options = Options {
        nan: NanPolicy::Skip,
        ..Options::default()
    };
    let mut verification = Verification::new(measure.clone(), options);
    let numbers = verification.push(&members, &truth).expect("a case");
    let brute = Brute {
        members: &members,
        truth: &truth,
        measure: &measure,
    };
    brute.check("the rest", &numbers, &brute.kept(|_| true), true);
    // A case without any truth is no case.
    let empty = verification
        .push(&members, &[f32::NAN; 210])
        .expect("a case");
    assert!(empty.crps.is_nan() && empty.l2.is_nan());
    let (report, maps) = verification.finish();
    assert_eq!((report.cases, report.empty_cases), (1, 1));
    assert_eq!(report.skipped_values, 5 + 210);
    assert_eq!(report.scores, numbers);
    assert_eq!(report.rank_histogram.samples, 205);
    for v in 0..210 {
        assert_eq!(maps.crps[v].is_nan(), truth[v].is_nan());
    }
    brute.check(
        "step 1",
        &report.leads[1],
        &brute.kept(|v| v / 70 == 1),
        true,
    );
}

#[test]
fn a_nan_spoils_every_number_that_it_takes_part_in() {
    let event = Event::above(0.0);
    for policy in [NanPolicy::Propagate, NanPolicy::Skip] {
        for is_truth in [true, false] {
            if policy == NanPolicy::Skip && is_truth {
                continue;
            }
            let (mut members, mut truth) = (normals(11, 5 * 210), normals(12, 210));
            if is_truth {
                truth[100] = f32::NAN;
            } else {
                members[3 * 210 + 100] = -f32::NAN;
            }
            let options = Options {
                nan: policy,
                events: vec![event],
                ..Options::default()
            };
            let mut verification = Verification::new(measure(), options);
            let broken = verification.push(&members, &truth).expect("a case");
            for (name, value) in broken.named() {
                assert!(value.expect(name).is_nan(), "{name} of {broken:?}");
            }
            let whole = verification.push(&normals(13, 5 * 210), &normals(14, 210));
            assert!(whole.expect("a case").crps.is_finite());
            let (report, maps) = verification.finish();
            assert!(report.scores.crps.is_nan() && report.scores.coverage.is_nan());
            assert!(report.leads[1].crps.is_nan(), "value 100 is in step 1");
            assert!(report.leads[0].crps.is_finite() && report.leads[2].nll.is_finite());
            assert!(report.rank_histogram.frequencies.iter().all(|f| f.is_nan()));
            assert!(report.pit.iter().all(|f| f.is_nan()));
            assert!(report.events[0].brier.score.is_nan());
            assert!(report.quantile_scores.iter().all(|s| s.score.is_nan()));
            assert!(maps.crps[100].is_nan() && maps.coverage[100].is_nan());
            assert!(maps.crps[99].is_finite());
        }
    }
}

#[test]
fn a_case_whose_truths_have_no_neighbours_has_no_part_in_the_mean_variogram_score() {
    let options = Options {
        nan: NanPolicy::Skip,
        ..Options::default()
    };
    let (members, truth) = (normals(15, 5 * 210), normals(16, 210));
    let mut alone = Verification::new(measure(), options.clone());
    let wanted = alone.push(&members, &truth).expect("a case");

    let mut verification = Verification::new(measure(), options);
    let mut isolated = vec![f32::NAN; 210];
    isolated[100] = truth[100];
    let numbers = verification.push(&members, &isolated).expect("a case");
    assert!(numbers.variogram_score.is_some_and(f64::is_nan), "no pair");
    assert!(numbers.crps.is_finite(), "but a truth");
    verification.push(&members, &truth).expect("a case");
    let (report, _) = verification.finish();
    assert_eq!(report.cases, 2);
    assert_eq!(report.scores.variogram_score, wanted.variogram_score);
    assert!(report.scores.energy_score.is_some_and(f64::is_finite));
}
