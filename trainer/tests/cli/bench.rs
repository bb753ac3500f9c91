//! `pno bench data` with and without peers. Nothing here depends on how fast anything is.

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
