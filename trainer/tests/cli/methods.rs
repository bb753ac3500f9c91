//! Methods, losses and steps from outside: what trains, what forecasts, what is refused.

use pno::checkpoint::Checkpoint;

use crate::Room;

/// A training that takes seconds.
fn train<'a>(experiment: &'a str, data: &'a str, out: &'a str, extra: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["train", experiment, "--data", data, "--out", out];
    arguments.extend(["--device", "cpu", "--epochs", "1", "--test-members", "3"]);
    for set in [
        "model.width=4",
        "model.lifting=8",
        "model.projection=8",
        "model.layers=2",
        "model.modes=[4,6]",
        "train.batch=2",
    ] {
        arguments.extend(["--set", set]);
    }
    arguments.extend(extra);
    arguments
}

fn model(room: &Room, run: &str) -> Checkpoint {
    let bytes = std::fs::read(room.path(run).join("model.pno")).expect("a model");
    Checkpoint::decode(&bytes).expect("a checkpoint")
}

#[test]
fn networks_without_a_score_of_members_train_and_forecast() {
    let room = Room::new();
    room.tiny_data();
    for method in ["det", "mcd"] {
        room.ok(&train("ks", "tiny.zarr", method, &["--method", method]));
        let header = model(&room, method).header;
        assert_eq!(header.spec.method.name(), method);
        let settings = header.provenance.settings;
        assert!(settings.contains(&("train.loss".into(), "\"l2\"".into())));
        let scores = header.scores.expect("scores of the test");
        let alike = scores.interval_width == 0.0;
        assert_eq!(alike, method == "det", "{method}: {scores:?}");
        if alike {
            let gap = (scores.energy_score - scores.l2).abs();
            assert!(gap < 1e-6, "one output: {scores:?}");
        }
    }
}

#[test]
fn a_loss_can_be_chosen_and_is_recorded() {
    let room = Room::new();
    room.tiny_data();
    let extra = [
        "--loss",
        "energy+crps",
        "--set",
        "train.loss_weight=0.5",
        "--set",
        "train.members_schedule=[[0,2],[1,4]]",
    ];
    room.ok(&train("ks", "tiny.zarr", "both", &extra));
    let settings = model(&room, "both").header.provenance.settings;
    for (key, value) in [
        ("train.loss", "\"energy+crps\""),
        ("train.loss_weight", "0.5"),
        ("train.members_schedule", "[[0, 2], [1, 4]]"),
    ] {
        let pair = (key.to_owned(), value.to_owned());
        assert!(settings.contains(&pair), "{key}: {settings:?}");
    }
}

#[test]
fn what_does_not_go_together_gets_one_sentence_and_leaves_nothing() {
    let room = Room::new();
    room.tiny_data();
    for (extra, told) in [
        (
            &["--method", "det", "--loss", "energy"][..],
            "method `det` cannot be trained with loss `energy`",
        ),
        (&["--loss", "l2"], "is the method `mcd`"),
        (
            &["--method", "laplace", "--loss", "crps"],
            "method `laplace` cannot be trained with loss `crps`",
        ),
        (
            &["--method", "ensemble", "--set", "model.networks=1"],
            "networks is 1, but must be 2 to 64",
        ),
        (
            &["--set", "train.steps=2"],
            "2 steps need an output that can be the next input",
        ),
        (&["--set", "train.members=1"], "at least 2"),
    ] {
        let said = room.refused(1, &train("ks", "tiny.zarr", "x", extra));
        assert!(said.contains(told), "{extra:?}: {said}");
    }
    let said = room.refused(2, &train("ks", "tiny.zarr", "x", &["--loss", "energie"]));
    assert!(
        said.contains("energy, crps, energy+crps, kernel, l2"),
        "{said}"
    );
    assert!(!room.path("x").exists());
    let help = room.ok(&["train", "--help"]);
    for word in [
        "pno-d",
        "pno-r",
        "mcd",
        "det",
        "laplace",
        "ensemble",
        "energy+crps",
        "kernel",
        "l2",
    ] {
        assert!(help.contains(&format!("\n  {word} ")), "{word}: {help}");
    }
}

#[test]
fn shallow_water_is_trained_and_scored_over_several_steps() {
    let room = Room::new();
    let generate = "data generate sswe --shares 3,1,2 --grid 8x16 --frames 4 --out water";
    room.ok(&generate.split(' ').collect::<Vec<_>>());
    let extra = ["--method", "pno-r", "--set", "train.steps=2"];
    room.ok(&train("sswe", "water", "run", &extra));
    let eval = |steps: &'static str, rollout: &'static str| {
        vec![
            "eval",
            "run",
            "--data",
            "water",
            "--device",
            "cpu",
            "--members",
            "4",
            "--steps",
            steps,
            "--rollout",
            rollout,
            "--json",
            "scores.json",
            "--force",
        ]
    };
    let mut scores = vec![];
    for (steps, rollout) in [("1", "member"), ("3", "member"), ("3", "mean")] {
        room.ok(&eval(steps, rollout));
        let json = std::fs::read_to_string(room.path("scores.json")).expect("scores");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["steps"].to_string(), steps);
        scores.push(json["energy_score"]["value"].as_f64().expect("a score"));
    }
    assert!(
        scores[0] != scores[1] && scores[1] != scores[2],
        "{scores:?}"
    );
    let said = room.refused(1, &eval("4", "member"));
    assert!(
        said.contains("need frame 4 of every case") && said.contains("4 frames"),
        "{said}"
    );
    let extra = ["--set", "train.steps=4"];
    let said = room.refused(1, &train("sswe", "water", "x", &extra));
    assert!(said.contains("train.steps"), "{said}");
}
