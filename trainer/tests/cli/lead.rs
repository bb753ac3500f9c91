//! `pno eval --by lead`: each lead time of a step operator and of an output with an axis of time, beside forecasts that need no
//! model.

use std::path::Path;

use pno::checkpoint::Precision;
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;
use serde_json::Value;

use crate::{Room, random_checkpoint, random_weights, text};

fn split(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// Columns of a table that begins with these words: a list of numbers or words for each line.
fn table(said: &str, head: &str, nth: usize) -> Vec<Vec<String>> {
    let heads = said.lines().enumerate();
    let mut heads = heads.filter(|(_, line)| line.starts_with(head));
    let (at, _) = heads.nth(nth).unwrap_or_else(|| panic!("{head}: {said}"));
    let lines = said
        .lines()
        .skip(at + 1)
        .take_while(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    lines
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

/// Trajectories of the equation, cases of one step, and a model of that step which nobody trained.
fn steps() -> Room {
    let room = Room::new();
    room.ok(&split(
        "data generate ks-step --samples 8 --seed 3 --out steps",
    ));
    let spec = ModelSpec {
        experiment: Experiment::KsStep,
        modes: vec![6],
        in_channels: 1,
        ..random_checkpoint(Method::PnoD).header.spec
    };
    let model = random_weights(spec, Task::ks_step());
    let bytes = model.encode(Precision::F32).expect("encoded");
    std::fs::write(room.path("step.pno"), bytes).expect("written");
    room
}

const EVAL: &str = "eval step.pno --data steps --split train --limit 2 --members 5 --device cpu";

#[test]
fn every_step_of_an_operator_is_a_lead_time_beside_forecasts_without_a_model() {
    let room = steps();
    let said = room.ok(&split(&format!(
        "{EVAL} --steps 3 --by lead --json s.json --verification v.svg"
    )));
    let found = json(&room.path("s.json"));
    let leads = found["by_lead"].as_array().expect("lead times");
    let times: Vec<f64> = leads
        .iter()
        .map(|l| l["lead"].as_f64().expect("a time"))
        .collect();
    assert_eq!(times, [2.0, 4.0, 6.0], "one step is two units of time");
    let scores = table(&said, "lead time", 0);
    let skills = table(&said, "lead time", 1);
    assert_eq!((scores.len(), skills.len()), (3, 3), "{said}");
    for (i, lead) in leads.iter().enumerate() {
        // The same as the steps, which were there before.
        for key in [
            "l2",
            "crps",
            "energy_score",
            "coverage",
            "spread_skill",
            "rank_correlation",
        ] {
            assert_eq!(lead[key], found["by_step"][i][key], "{key}");
        }
        let rank = lead["rank_correlation"].as_f64().expect("a correlation");
        assert!((-1.0..=1.0).contains(&rank), "{rank}");
        let spectrum = &lead["spectrum"][0];
        assert_eq!(
            (&spectrum["channel"], &spectrum["first"]),
            (&0.into(), &1.into())
        );
        assert!(spectrum["worst"].is_f64(), "{spectrum}");
        let crps = lead["crps"].as_f64().expect("a number");
        for (place, name) in ["zero", "climatology", "persistence"]
            .into_iter()
            .enumerate()
        {
            let other = &lead["baselines"][name];
            let skill = other["skill"]["crps"].as_f64().expect("a skill");
            let wanted = 1.0 - crps / other["crps"].as_f64().expect("a number");
            assert!(
                (skill - wanted).abs() < 1e-9,
                "{name}: {skill} for {wanted}"
            );
            assert_eq!(skills[i][place + 1], format!("{skill:.4}"), "{said}");
        }
        assert_eq!(
            lead["baselines"].as_object().map(serde_json::Map::len),
            Some(3)
        );
        assert_eq!(
            scores[i][1],
            format!("{:.4}", lead["l2"].as_f64().expect("a number"))
        );
    }
    // The last one is that of all scores.
    for name in ["zero", "climatology", "persistence"] {
        assert_eq!(
            found["baselines"][name]["crps"],
            leads[2]["baselines"][name]["crps"]
        );
    }
    let drawn = std::fs::read_to_string(room.path("v.svg")).expect("plots");
    for word in [
        "Spread over error by lead time",
        "climatology",
        "persistence",
        "lead time",
    ] {
        assert!(drawn.contains(word), "{word}");
    }
}

#[test]
fn the_same_seed_is_the_same_climatology_and_another_seed_or_data_set_another() {
    let room = steps();
    room.ok(&split(
        "data generate ks-step --samples 6 --seed 9 --out more",
    ));
    let climatology = |more: &str| -> (Value, Value) {
        room.ok(&split(&format!("{EVAL} --json s.json --force {more}")));
        let found = json(&room.path("s.json"));
        (
            found["by_lead"][0]["baselines"]["climatology"]["crps"].clone(),
            found["climatology"].clone(),
        )
    };
    let (first, from) = climatology("");
    assert_eq!(from, Value::Null);
    assert_eq!(climatology("").0, first);
    assert_ne!(climatology("--seed 5").0, first);
    let (other, from) = climatology("--climatology more");
    assert_ne!(other, first);
    assert_eq!(from["split"], "train");
    assert_eq!(from["fingerprint"].as_str().map(str::len), Some(64));
    // Its own data by another name are its own.
    assert_eq!(climatology("--climatology ./steps").0, first);
}

#[test]
fn persistence_keeps_the_state_as_it_was_observed() {
    let room = steps();
    let persistence = |observe: &str| -> f64 {
        room.ok(&split(&format!(
            "{EVAL} --steps 2 --json s.json --force {observe}"
        )));
        let found = json(&room.path("s.json"));
        let first = &found["by_lead"][0]["baselines"]["persistence"];
        first["rmse"].as_f64().expect("a number")
    };
    let (exact, noisy) = (persistence(""), persistence("--observe noise=2"));
    // The noise is of the observation and no part of what happens: squares add up.
    let wanted = (exact * exact + 4.0).sqrt();
    assert!(
        (noisy - wanted).abs() < 0.1 * wanted,
        "{noisy} for {wanted}"
    );
}

#[test]
fn wavenumbers_are_compared_where_they_are_asked_for() {
    let room = steps();
    room.ok(&split(&format!("{EVAL} --json s.json --wavenumbers 2..5")));
    let spectrum = &json(&room.path("s.json"))["by_lead"][0]["spectrum"][0];
    assert_eq!(
        (&spectrum["first"], &spectrum["last"]),
        (&2.into(), &5.into())
    );
    for wrong in ["5..2", "3", "a..b"] {
        let said = room.refused(2, &split(&format!("{EVAL} --wavenumbers {wrong}")));
        assert!(said.contains("two wavenumbers such as 1..40"), "{said}");
    }
}

#[test]
fn the_sphere_has_lead_times_in_hours_and_spectra_by_degree() {
    let room = Room::new();
    room.ok(&split(
        "data generate sswe --shares 3,1,2 --grid 8x16 --frames 4 --out water",
    ));
    room.ok(&split("init sswe --method pno-r --grid 8x16 --set model.modes=[4,6] --set model.width=4 --out water.pno"));
    let eval =
        "eval water.pno --data water --members 3 --device cpu --steps 2 --by lead --json s.json";
    let said = room.ok(&split(eval));
    assert!(said.contains("lead time [h]"), "{said}");
    let found = json(&room.path("s.json"));
    let leads = found["by_lead"].as_array().expect("lead times");
    assert_eq!(
        (&leads[1]["lead"], &leads[1]["unit"]),
        (&2.0.into(), &"h".into())
    );
    let spectra = leads[0]["spectrum"].as_array().expect("a list");
    assert_eq!(spectra.len(), 3, "one for each quantity");
    for spectrum in spectra {
        // Eight equiangular latitudes carry degrees to 3.
        assert!(
            spectrum["last"].as_u64().is_some_and(|last| last <= 3),
            "{spectrum}"
        );
    }
}

#[test]
fn frames_of_an_output_are_lead_times_after_its_last_input() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoR);
    let eval = "eval random.pno --data tiny.zarr --members 4 --device cpu --by lead --json s.json";
    room.ok(&split(eval));
    let found = json(&room.path("s.json"));
    let leads = found["by_lead"].as_array().expect("lead times");
    assert_eq!(leads.len(), 20);
    assert_eq!(
        (&leads[0]["lead"], &leads[19]["lead"]),
        (&2.0.into(), &40.0.into())
    );
    for (lead, before) in leads
        .iter()
        .zip(found["verification"]["leads"].as_array().expect("a list"))
    {
        assert_eq!(lead["crps"], before["crps"]);
        assert!(lead["baselines"]["climatology"]["crps"].is_f64());
        assert!(lead["spectrum"][0]["worst"].is_f64());
    }
}

#[test]
fn without_time_or_training_cases_it_is_said() {
    let room = steps();
    room.ok(&split(
        "data generate ks-step --shares 0,0,2 --seed 4 --out unseen",
    ));
    let eval = "eval step.pno --data unseen --members 3 --device cpu --by lead";
    let said = room.ok(&split(eval));
    assert!(
        said.contains("no climatology: unseen has too few training cases"),
        "{said}"
    );
    let skills = said
        .lines()
        .filter(|line| line.starts_with("lead time"))
        .nth(1);
    assert!(
        skills.is_some_and(|head| head.ends_with("persistence") && !head.contains("climatology"))
    );
    let said = room.ok(&split(&format!("{eval} --climatology steps")));
    assert!(!said.contains("no climatology"), "{said}");

    room.ok(&split("data generate darcy --samples 4 --out flow"));
    room.ok(&split(
        "init darcy --method pno-r --set model.width=4 --set model.modes=[4,4] --out flow.pno",
    ));
    let output = room.run(&split(
        "eval flow.pno --data flow --members 2 --device cpu --by lead",
    ));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("no axis of time, and it is no step in time"),
        "{said}"
    );
}
