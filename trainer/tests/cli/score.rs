//! `pno score`: numbers that can be worked out by hand, from files of every kind.

use std::fs;

use crate::{Room, write_npy};

fn json(room: &Room, name: &str) -> serde_json::Value {
    let text = fs::read_to_string(room.path(name)).expect("written");
    serde_json::from_str(&text).expect("JSON")
}

/// Two cases of three members on two points.
fn small(room: &Room) {
    let members = [
        0.0, 10.0, 1.0, 12.0, 5.0, 14.0, // case 0
        2.0, 0.0, 2.0, 3.0, 5.0, 3.0, // case 1
    ];
    write_npy(&room.path("m.npy"), "2, 3, 2", &members);
    write_npy(&room.path("y.npy"), "2, 2", &[4.0, 12.0, 3.0, 1.0]);
}

/// The fair CRPS, as its definition has it.
fn crps(members: &[f64], truth: f64) -> f64 {
    let m = members.len() as f64;
    let skill: f64 = members.iter().map(|u| (u - truth).abs()).sum::<f64>() / m;
    let pairs = members
        .iter()
        .flat_map(|a| members.iter().map(move |b| (a - b).abs()));
    skill - pairs.sum::<f64>() / (2.0 * m * (m - 1.0))
}

#[test]
fn a_small_ensemble_is_scored_as_by_hand_and_plotted() {
    let room = Room::new();
    small(&room);
    let told = room.ok(&[
        "score",
        "--members",
        "m.npy",
        "--truth",
        "y.npy",
        "--json",
        "s.json",
        "--plots",
        "p.svg",
        "--threshold",
        "3.5",
    ]);
    assert!(
        told.contains("3 members, 2 cases") && told.contains("Brier score"),
        "{told}"
    );
    let found = json(&room, "s.json");
    let wanted = [
        crps(&[0.0, 1.0, 5.0], 4.0),
        crps(&[10.0, 12.0, 14.0], 12.0),
        crps(&[2.0, 2.0, 5.0], 3.0),
        crps(&[0.0, 3.0, 3.0], 1.0),
    ];
    let mean = wanted.iter().sum::<f64>() / 4.0;
    let number = |key: &str| found[key]["value"].as_f64().expect("a number");
    assert!(
        (number("crps") - mean).abs() < 1e-6,
        "{} {mean}",
        number("crps")
    );
    assert!(
        found["crps"]["estimator"]
            .as_str()
            .is_some_and(|e| e.contains("fair"))
    );
    // Means 2 and 12, then 3 and 2: errors 2 and 0, then 0 and 1.
    let l2 = f64::midpoint(2.0_f64.sqrt(), 0.5_f64.sqrt());
    assert!((number("l2") - l2).abs() < 1e-6, "{} {l2}", number("l2"));
    let maps = found["maps"]["crps"].as_array().expect("a map");
    let first = maps[0].as_f64().expect("a number");
    assert!((first - f64::midpoint(wanted[0], wanted[2])).abs() < 1e-6);
    let plots = fs::read_to_string(room.path("p.svg")).expect("plots");
    assert!(
        plots.starts_with("<svg")
            && plots.contains("Rank histogram")
            && plots.contains("above 3.5")
    );
}

#[test]
fn weights_and_missing_truths_do_what_they_say() {
    let room = Room::new();
    small(&room);
    write_npy(&room.path("w.npy"), "2", &[1.0, 0.0]);
    let score = |more: &[&str]| {
        let words = [
            "score",
            "--members",
            "m.npy",
            "--truth",
            "y.npy",
            "--json",
            "s.json",
            "--force",
        ];
        room.ok(&[&words[..], more].concat());
        json(&room, "s.json")["crps"]["value"].as_f64()
    };
    let first_points = f64::midpoint(crps(&[0.0, 1.0, 5.0], 4.0), crps(&[2.0, 2.0, 5.0], 3.0));
    let found = score(&["--weights", "w.npy"]).expect("a number");
    assert!((found - first_points).abs() < 1e-6, "{found}");
    write_npy(&room.path("y.npy"), "2, 2", &[4.0, f32::NAN, 3.0, f32::NAN]);
    assert_eq!(score(&[]), None, "NaN stays");
    let found = score(&["--nan", "skip"]).expect("a number");
    assert!((found - first_points).abs() < 1e-6, "{found}");
    assert_eq!(json(&room, "s.json")["verification"]["skipped_values"], 2);
}

#[test]
fn an_infinite_member_is_a_broken_forecast_and_an_infinite_truth_is_refused() {
    let room = Room::new();
    small(&room);
    let mut members = vec![0.5; 12];
    (members[2], members[7]) = (f32::INFINITY, f32::NEG_INFINITY);
    write_npy(&room.path("m.npy"), "2, 3, 2", &members);
    let words = [
        "score",
        "--members",
        "m.npy",
        "--truth",
        "y.npy",
        "--threshold",
        "3.5",
        "--json",
        "s.json",
    ];
    let told = room.ok(&words);
    assert!(told.contains("infinite: 2 values of members"), "{told}");
    let found = json(&room, "s.json");
    // Not even those that only ask how many members are above.
    for key in ["l2", "crps", "coverage", "interval_width", "energy_score"] {
        assert!(found[key]["value"].is_null(), "{key}: {}", found[key]);
    }
    let verification = &found["verification"];
    assert!(verification["events"][0]["brier"]["score"].is_null());
    assert_eq!(verification["scores"]["energy_score"], "NaN");

    small(&room);
    write_npy(
        &room.path("y.npy"),
        "2, 2",
        &[4.0, 12.0, 3.0, f32::INFINITY],
    );
    for policy in ["fail", "skip"] {
        let more = ["--force", "--nan", policy];
        let said = room.refused(1, &[&words[..], &more].concat());
        assert!(said.contains("of case 1 is inf at [1]"), "{said}");
    }
    let said = room.refused(2, &[&words[..], &["--threshold", "inf"]].concat());
    assert!(said.contains("`inf` is no finite number"), "{said}");
}

#[test]
fn what_does_not_belong_together_is_told() {
    let room = Room::new();
    small(&room);
    let refused = |code, more: &[&str]| {
        let words = ["score", "--members", "m.npy", "--truth", "y.npy"];
        room.refused(code, &[&words[..], more].concat())
    };
    assert!(refused(1, &["--weights", "latitude"]).contains("latitude:FIRST..LAST"));
    assert!(refused(1, &["--weights", "latitude:100..-90"]).contains("second-last"));
    assert!(refused(2, &["--nan", "maybe"]).contains("neither fail nor skip"));
    assert!(refused(2, &["--plots", "p.pdf"]).contains(".svg"));
    write_npy(&room.path("y.npy"), "4, 2", &[0.0; 8]);
    assert!(refused(1, &[]).contains("do not belong"));
    write_npy(&room.path("y.npy"), "2", &[0.0; 2]);
    assert!(refused(1, &[]).contains("[2, 3, 2]"));
}
