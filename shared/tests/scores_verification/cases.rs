//! Many cases: means over them, other sizes, skill, and the report as a file.

use pno::score::{CaseError, Measure, Options, Report, Verification};
use pno::task::Mask;

use crate::brute::Brute;
use crate::reliability::calibrated;
use crate::{close, normals};

#[test]
fn cases_are_averaged_and_nothing_grows_with_them() {
    let (mut mean, cases) = (0.0, 7);
    let mut verification = Verification::new(Measure::flat(30), Options::default());
    let mut squares = vec![0.0; 30];
    for case in 0..cases {
        let (members, truth) = (normals(20 + case, 150), normals(40 + case, 30));
        let numbers = verification.push(&members, &truth).expect("a case");
        mean += numbers.l2 / f64::from(cases);
        let measure = Measure::flat(30);
        let brute = Brute {
            members: &members,
            truth: &truth,
            measure: &measure,
        };
        for (v, sum) in squares.iter_mut().enumerate() {
            *sum += brute.moments(v).0.powi(2) / f64::from(cases);
        }
    }
    let (report, maps) = verification.finish();
    close("mean of norms", report.scores.l2, mean, 1e-12);
    let rmse = (squares.iter().sum::<f64>() / 30.0).sqrt();
    close("root of mean", report.scores.rmse, rmse, 1e-6);
    assert!(report.scores.l2 < report.scores.rmse);
    for (v, square) in squares.iter().enumerate() {
        close(
            "map of error",
            f64::from(maps.error[v]),
            square.sqrt(),
            1e-6,
        );
    }
}

#[test]
fn skill_is_measured_against_a_forecast_of_the_same_cases() {
    let measured = |scale: f32, measure: Measure| {
        let points = measure.points();
        let mut verification = Verification::new(measure, Options::default());
        let truth = normals(61, points);
        let members: Vec<f32> = normals(60, 8 * points).iter().map(|u| u * scale).collect();
        verification.push(&members, &truth).expect("a case");
        verification.finish().0
    };
    let verified = |scale, points| measured(scale, Measure::flat(points));
    let (good, bad) = (verified(1.0, 400), verified(4.0, 400));
    let skill = good.skill(&bad).expect("the same cases");
    close(
        "crps",
        skill["crps"],
        1.0 - good.scores.crps / bad.scores.crps,
        1e-12,
    );
    assert!(skill["crps"] > 0.3 && skill["energy_score"] > 0.3);
    assert_eq!(good.skill(&good).expect("itself")["l2"], 0.0);
    assert!(!skill.contains_key("nll"), "its best value is not zero");
    assert_eq!(good.skill(&verified(1.0, 401)), None);
    // The same cases, but their points count in another way.
    let line = || Measure::flat(400);
    let rising = (1..=400).map(f64::from).collect();
    for other in [
        line().with_weights(rising),
        line().with_masks(vec![Mask::new(&[400], |x| x < 9)]),
        line().with_extent(0.5),
    ] {
        let other = measured(4.0, other);
        assert_eq!(good.skill(&other), None);
        assert!(other.skill(&other).is_some());
    }
}

#[test]
fn a_report_comes_back_from_a_file_with_its_estimators() {
    let report = calibrated(1, 3, 50, 1.0);
    let bytes = postcard::to_stdvec(&report).expect("bytes");
    let back: Report = postcard::from_bytes(&bytes).expect("a report");
    assert_eq!(report, back);
    for (key, _) in report.scores.named() {
        assert!(!report.estimators[key].is_empty());
    }
    let fair = &report.estimators["crps"];
    assert!(fair.contains("fair") && report.estimators["crps_plain"].contains("plain"));
    // A NaN comes back as a NaN.
    let nothing = Verification::new(Measure::flat(3), Options::default())
        .finish()
        .0;
    let bytes = postcard::to_stdvec(&nothing).expect("bytes");
    let back: Report = postcard::from_bytes(&bytes).expect("a report");
    assert!(back.scores.l2.is_nan() && back.cases == 0);
}

#[test]
fn cases_of_another_size_are_refused_in_a_sentence() {
    let mut verification = Verification::new(Measure::grid(&[2, 3]), Options::default());
    verification
        .push(&[0.0; 12], &[0.0; 6])
        .expect("two members");
    let refused = |error: CaseError| error.to_string();
    let truth = verification.push(&[0.0; 12], &[0.0; 5]).expect_err("truth");
    assert_eq!(
        refused(truth),
        "the truth of case 1 has 5 values, but the grid [2, 3] with 1 channels has 6"
    );
    for members in [0, 13] {
        let error = verification.push(&vec![0.0; members], &[0.0; 6]);
        let said = refused(error.expect_err("members"));
        assert!(said.contains(&format!("have {members} values")), "{said}");
    }
    let count = verification.push(&[0.0; 18], &[0.0; 6]).expect_err("count");
    assert_eq!(
        refused(count),
        "case 1 has 3 members, but the cases before it have 2"
    );
    assert_eq!(verification.finish().0.cases, 1);
}
