use pno::score::{Event, Measure, Options, Verification};

use super::*;

/// A result of two members; with `broken`, of which one is NaN.
fn result(broken: bool) -> ResultFile {
    let options = Options {
        events: vec![Event::above(0.1)],
        ..Options::default()
    };
    let mut verification = Verification::new(Measure::grid(&[2, 8]).with_time(), options);
    let truth: Vec<f32> = (0_u8..16).map(|i| (f32::from(i) * 0.7).sin()).collect();
    let mut members: Vec<f32> = (0_u8..32)
        .map(|i| (f32::from(i) * 0.9).cos() / 3.0)
        .collect();
    if broken {
        members[5] = f32::NAN;
    }
    verification.push(&members, &truth).expect("a case");
    let report = verification.finish().0;
    let skill = report.skill(&report).map(|skills| {
        let known = skills.into_iter();
        known
            .map(|(key, s)| (key, Some(s).filter(|s| s.is_finite())))
            .collect()
    });
    let baseline = Baseline {
        scores: report.scores,
        skill,
    };
    ResultFile {
        scores: estimated(&report.scores),
        members: report.members,
        cases: report.cases,
        baselines: BTreeMap::from([("zero".to_owned(), baseline)]),
        verification: report,
        units: "network units".into(),
        model: ModelAbout {
            hash: "ab12".into(),
            experiment: "ks".into(),
            method: "pno-d".into(),
            operator: "fno".into(),
            parameters: 1234,
        },
        data: DataAbout {
            fingerprint: "cd34".into(),
            split: "test".into(),
        },
        seed: u64::MAX,
        observation: Observation::noisy(0.1),
        steps: 3,
        rollout: Some(Rollout::Mean),
        by_step: vec![],
        by_lead: vec![],
        climatology: None,
        trajectory: None,
        device: "CPU".into(),
        command: "pno eval".into(),
        pno_version: "0".into(),
    }
}

fn written(result: &ResultFile) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = result.json().expect("text");
    fs::write(folder.path().join(SCORES), text).expect("written");
    folder
}

#[test]
fn a_result_comes_back_as_it_was() {
    let result = result(false);
    assert!(result.scores["crps"].value.is_some_and(|v| v > 0.0));
    let folder = written(&result);
    assert_eq!(read(folder.path()).expect("reads"), result);
}

#[test]
fn a_broken_forecast_comes_back_as_nothing_and_not_as_an_error() {
    let result = result(true);
    let folder = written(&result);
    let found = read(folder.path()).expect("reads");
    assert_eq!(found.scores["crps"].value, None);
    let Report { scores, leads, .. } = &found.verification;
    assert!(scores.crps.is_nan());
    // Asked for and NaN is not the same as not asked for.
    assert!(scores.energy_score.is_some_and(f64::is_nan));
    assert!(scores.variogram_score.is_some_and(f64::is_nan));
    assert!(leads[0].energy_score.is_some_and(f64::is_nan));
    assert_eq!(leads[0].variogram_score, None);
    assert!(
        found
            .verification
            .rank_histogram
            .frequencies
            .iter()
            .all(|f| f.is_nan())
    );
    assert_eq!(found.json().expect("text"), result.json().expect("text"));
}

#[test]
fn an_infinite_score_comes_back_as_it_was() {
    // A mean without error, of members that differ: the spread is infinitely larger.
    let mut verification = Verification::new(Measure::flat(4), Options::default());
    let members = [[1.0; 4], [-1.0; 4]].concat();
    verification.push(&members, &[0.0; 4]).expect("a case");
    let mut result = result(false);
    result.verification = verification.finish().0;
    let Report { scores, pit, .. } = &mut result.verification;
    assert_eq!(scores.spread_skill, f64::INFINITY);
    (scores.bias, scores.energy_score) = (f64::NEG_INFINITY, Some(f64::INFINITY));
    scores.kernel_score = None;
    pit[3] = f64::INFINITY;
    result.scores = estimated(&result.verification.scores);
    assert_eq!(result.scores["energy_score"].value, None);

    let folder = written(&result);
    assert_eq!(read(folder.path()).expect("reads"), result);
    let path = folder.path().join(SCORES);
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.contains("\"bias\": \"-Infinity\""), "{text}");
    fs::write(&path, text.replace("-Infinity", "very little")).expect("written");
    let said = format!("{:#}", read(folder.path()).expect_err("no number"));
    assert!(said.contains("a score is \"very little\""), "{said}");
}

#[test]
fn the_first_thing_that_differs_is_named() {
    let result = result(false);
    let folder = written(&result);
    check(folder.path(), &result.request()).expect("the same request");
    let refused = |change: &dyn Fn(&mut ResultFile)| {
        let mut other = result.clone();
        change(&mut other);
        let said = check(folder.path(), &other.request()).expect_err("another");
        said.to_string()
    };
    let said = refused(&|other| other.model.hash = "ef".into());
    assert!(
        said.contains("its model hash is ab12, but here it is ef"),
        "{said}"
    );
    let said = refused(&|other| (other.seed, other.rollout) = (1, None));
    assert!(said.contains("its seed is 18446744073709551615"), "{said}");
    let said = refused(&|other| other.verification.events.clear());
    assert!(said.contains("its list of thresholds is [0.1]"), "{said}");
    // The device, the command and the program may differ.
    let mut again = result.clone();
    (again.device, again.command) = ("GPU".into(), "pno eval again".into());
    check(folder.path(), &again.request()).expect("the same request");
}

/// Leaves out what older programs did not write.
fn forget(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.remove("rank_correlation");
            fields.values_mut().for_each(forget);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

#[test]
fn a_result_from_before_lead_times_is_still_read() {
    let result = result(false);
    let mut value = serde_json::to_value(&result).expect("JSON");
    forget(&mut value);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(SCORES), value.to_string()).expect("written");
    let found = read(folder.path()).expect("reads");
    assert_eq!(found.verification.scores.rank_correlation, None);
    assert_eq!(
        found.verification.scores.crps,
        result.verification.scores.crps
    );
    assert!(found.by_lead.is_empty() && found.climatology.is_none());
    check(folder.path(), &result.request()).expect("the same request");
}
