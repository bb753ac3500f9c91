//! `pno bench data` and `pno bench score`, with and without peers. Nothing here depends on how fast anything is.

use crate::skip::skip;
use crate::{Room, text};

#[test]
fn without_a_peer_there_are_our_own_numbers_and_one_sentence_how_to_get_one() {
    let room = Room::new();
    let arguments = [
        "bench", "data", "--only", "ks", "--quick", "--json", "b.json",
    ];
    let output = room
        .command(&arguments)
        .env("PNO_PYTHON", "no-such-python-of-pno")
        .output()
        .expect("pno starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let last = said.lines().last().expect("a sentence");
    assert!(
        last.starts_with("no-such-python-of-pno cannot be started"),
        "{said}"
    );
    assert!(
        last.contains("pip install py-pde numba torch==2.3.1 torch-harmonics==0.6.5"),
        "{said}"
    );

    let json = std::fs::read(room.path("b.json")).expect("a file");
    let report: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{report}");
    assert!(rows[0]["ours"]["clock"].as_f64().expect("a time") > 0.0);
    assert!(rows[0]["one_core"]["clock"].as_f64().expect("a time") > 0.0);
    assert!(rows[0]["peer"].is_null());
    assert_eq!(report["missing"], last);
}

#[test]
fn a_peer_that_was_asked_for_must_be_there() {
    let room = Room::new();
    let said = room.refused(1, &["bench", "data", "--python", "no-such-python-of-pno"]);
    assert!(said.contains("pip install py-pde"), "{said}");
    let said = room.refused(2, &["bench", "data", "--only", "ks,era5"]);
    assert!(
        said.contains("era5") && said.contains("ks, sswe, darcy"),
        "{said}"
    );
}

#[test]
fn scoring_is_measured_without_a_peer_and_in_little_memory() {
    let room = Room::new();
    let arguments = [
        "bench", "score", "--quick", "--points", "200000", "--json", "b.json",
    ];
    let output = room
        .command(&arguments)
        .env("PNO_PYTHON", "no-such-python-of-pno")
        .output()
        .expect("pno starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("100 members x 200000 points"), "{said}");
    let last = said.lines().last().expect("a sentence");
    assert!(last.ends_with("pip install scoringrules numba"), "{said}");

    let json = std::fs::read(room.path("b.json")).expect("a file");
    let report: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert!(report["rows"][0]["ours"]["clock"].as_f64().expect("a time") > 0.0);
    let memory = &report["memory"];
    assert_eq!(memory["input_bytes"].as_u64(), Some(4 * 101 * 200_000));
    if let Some(ratio) = memory["ratio"].as_f64() {
        // The input is in it, so the measurement is not blind; the program itself has some 20 MB.
        assert!((1.0..2.0).contains(&ratio), "{memory}");
    }
}

#[test]
fn a_scoring_peer_that_was_asked_for_must_be_there() {
    let room = Room::new();
    let said = room.refused(
        1,
        &["bench", "score", "--quick", "--python", "no-such-python"],
    );
    assert!(said.contains("pip install scoringrules"), "{said}");
    room.refused(2, &["bench", "score", "--members", "1"]);
}

/// Needs a Python with scoringrules in `PNO_SCORE_PYTHON`.
#[test]
fn the_scoring_peer_finds_the_same_numbers() {
    let Some(python) = std::env::var_os("PNO_SCORE_PYTHON") else {
        skip("PNO_SCORE_PYTHON names no Python with scoringrules");
        return;
    };
    let room = Room::new();
    let python = python.to_string_lossy().into_owned();
    let said = room.ok(&[
        "bench",
        "score",
        "--quick",
        "--members",
        "20",
        "--points",
        "20000",
        "--python",
        &python,
    ]);
    assert!(said.contains("the peer is scoringrules"), "{said}");
    assert!(said.contains("numbers differ by"), "{said}");
}

#[test]
fn a_training_step_is_measured_without_a_peer_and_by_stages() {
    let room = Room::new();
    let arguments = [
        "bench", "train", "--only", "ks", "--batch", "1", "--quick", "--json", "b.json",
    ];
    let output = room
        .command(&arguments)
        .env("PNO_PYTHON", "no-such-python-of-pno")
        .output()
        .expect("pno starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("ks fno, 20 x 256, 1 cases x 3: our time goes to forward"),
        "{said}"
    );
    let last = said.lines().last().expect("a sentence");
    assert!(
        last.contains("pip install torch==2.3.1 neuraloperator==0.3.0"),
        "{said}"
    );

    let json = std::fs::read(room.path("b.json")).expect("a file");
    let report: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert!(report["rows"][0]["ours"]["clock"].as_f64().expect("a time") > 0.0);
    assert!(report["rows"][0]["peer"].is_null());
    for stage in ["forward", "loss", "backward", "clipping", "optimiser"] {
        let ms = report["stages"][0][stage].as_f64().expect("a time");
        assert!(ms > 0.0, "{stage}: {report}");
    }
    let said = room.refused(2, &["bench", "train", "--only", "era5"]);
    assert!(
        said.contains("era5") && said.contains("darcy, ks, sswe"),
        "{said}"
    );
}
