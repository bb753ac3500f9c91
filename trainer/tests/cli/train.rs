//! `pno train` from outside: a run, Ctrl-C, `--resume`, refusals.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pno::checkpoint::Checkpoint;

use crate::{Room, text};

/// A training that takes seconds: a tiny network, no shrinking of the rate, so that runs of different length can be compared.
pub fn arguments<'a>(out: &'a str, method: &'a str, epochs: &'a str) -> Vec<&'a str> {
    let mut arguments = vec![
        "train",
        "ks",
        "--data",
        "tiny.zarr",
        "--method",
        method,
        "--out",
        out,
        "--epochs",
        epochs,
        "--device",
        "cpu",
        "--test-members",
        "4",
    ];
    for set in [
        "model.width=4",
        "model.lifting=8",
        "model.projection=8",
        "model.layers=2",
        "model.modes=[4,6]",
        "train.batch=2",
        "train.schedule=constant",
    ] {
        arguments.extend(["--set", set]);
    }
    arguments
}

fn resume<'a>(out: &'a str, epochs: &'a str) -> Vec<&'a str> {
    vec![
        "train",
        "ks",
        "--data",
        "tiny.zarr",
        "--out",
        out,
        "--resume",
        "--epochs",
        epochs,
        "--device",
        "cpu",
        "--test-members",
        "0",
    ]
}

/// Validation losses of a run, to the last bit.
fn losses(room: &Room, run: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(room.path(run).join("history.json")).expect("a history");
    let records: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    records
        .iter()
        .map(|r| r["valid_loss"].as_f64().expect("a loss"))
        .collect()
}

fn model(path: &Path) -> Checkpoint {
    Checkpoint::decode(&std::fs::read(path).expect("a model")).expect("a checkpoint")
}

#[test]
fn a_run_ends_with_a_model_that_says_how_it_was_made_and_how_good_it_is() {
    let room = Room::new();
    room.tiny_data();
    for method in ["pno-d", "pno-r"] {
        let told = room.ok(&arguments(method, method, "2"));
        assert!(
            told.contains("epoch 1/2") && told.contains("energy score"),
            "{told}"
        );
        let checkpoint = model(&room.path(method).join("model.pno"));
        let header = checkpoint.header;
        assert_eq!(header.spec.method.name(), method);
        assert_eq!(header.provenance.epochs, 2);
        assert!(header.provenance.command.starts_with("pno train ks"));
        assert!(
            header
                .provenance
                .settings
                .contains(&("train.batch".into(), "2".into()))
        );
        let scores = header.scores.expect("scores of the test");
        assert!(scores.energy_score.is_finite() && scores.members == 4 && scores.cases == 1);
    }
}

#[test]
fn a_resumed_run_is_the_run_that_was_never_stopped() {
    let room = Room::new();
    room.tiny_data();
    room.ok(&arguments("whole", "pno-d", "3"));
    room.ok(&arguments("parts", "pno-d", "1"));
    room.ok(&resume("parts", "3"));
    assert_eq!(losses(&room, "parts"), losses(&room, "whole"));
    let (parts, whole) = (
        model(&room.path("parts/model.pno")),
        model(&room.path("whole/model.pno")),
    );
    assert_eq!(parts.tensors, whole.tensors);
}

/// Waits until a file is there, or fails.
pub fn wait_for(path: &Path) {
    let begin = Instant::now();
    while !path.exists() {
        assert!(
            begin.elapsed() < Duration::from_mins(2),
            "{} never came",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn after_ctrl_c_the_model_is_there_and_the_run_goes_on() {
    let room = Room::new();
    room.tiny_data();
    let child = room
        .command(&arguments("run", "pno-r", "100000"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pno starts");
    wait_for(&room.path("run/history.json"));
    let signal = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(signal.expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("`--resume` goes on"), "{message}");
    model(&room.path("run/model.pno"));
    let done = losses(&room, "run").len();
    let more = (done + 1).to_string();
    room.ok(&resume("run", &more));
    assert_eq!(losses(&room, "run").len(), done + 1);
}

#[test]
fn what_cannot_be_trained_gets_one_sentence() {
    let room = Room::new();
    room.tiny_data();
    let with = |extra: &[&'static str]| {
        let mut all = arguments("x", "pno-d", "1");
        all.extend(extra);
        room.refused(1, &all)
    };
    assert!(with(&["--set", "train.bath=3"]).contains("did you mean `train.batch`?"));
    assert!(with(&["--set", "model.width=0"]).contains("width is 0"));
    assert!(
        room.refused(2, &["train", "kss", "--data", "tiny.zarr", "--out", "x"])
            .contains("darcy, ks")
    );
    let darcy = room.refused(1, &["train", "darcy", "--data", "tiny.zarr", "--out", "x"]);
    assert!(darcy.contains("data set of `ks`"), "{darcy}");
    room.ok(&arguments("again", "pno-d", "1"));
    let again = room.refused(1, &arguments("again", "pno-d", "1"));
    assert!(again.contains("--resume"), "{again}");
    assert!(!room.path("x").exists(), "a refused run leaves nothing");
}

#[test]
fn a_dry_run_shows_every_setting_and_the_number_of_parameters() {
    let room = Room::new();
    room.tiny_data();
    let shown = room.ok(&[
        "train",
        "ks",
        "--data",
        "tiny.zarr",
        "--method",
        "pno-r",
        "--size",
        "paper",
        "--dry-run",
    ]);
    assert!(
        shown.contains("batch = 64") && shown.contains("234406 parameters"),
        "{shown}"
    );
}
