//! `pno data case`: an array and its note, as the page takes them.

use std::fs;

use serde_json::Value;

use crate::import::fixture;
use crate::{Room, npy_values};

#[test]
fn a_case_is_the_window_that_was_asked_for_with_south_first_and_its_note() {
    let room = Room::new();
    let source = fixture("era5").join("cds.nc");
    let source = source.to_string_lossy();
    let start = [
        "data",
        "case",
        &source,
        "--start",
        "2020-02-20T06:00",
        "--steps",
        "2",
        "--region",
        "30..60,-30..45",
    ];
    let more = [
        "--title", "A place", "--credit", "made up", "--out", "case.npy",
    ];
    let told = room.ok(&[&start[..], &more].concat());
    assert!(
        told.contains("[4, 3, 6] [time, latitude, longitude] in K"),
        "{told}"
    );
    let (shape, values) = npy_values(&room.path("case.npy"));
    assert_eq!(shape, "4, 3, 6");
    // Step 2 of the file is the second of the case; latitude 45, longitude 15.
    let wanted = 270.0 + 0.25 * 2.0 + 0.5 * 3.0 + 1.0 / 8.0;
    assert!(
        (values[18 + 6 + 3] - wanted).abs() < 1e-3,
        "{}",
        values[18 + 6 + 3]
    );
    let note = fs::read_to_string(room.path("case.json")).expect("a note");
    let note: Value = serde_json::from_str(&note).expect("JSON");
    assert_eq!(note["start"], "2020-02-20T06:00");
    assert_eq!(
        (&note["title"], &note["credit"]),
        (&"A place".into(), &"made up".into())
    );
    let task: pno::task::Task = serde_json::from_value(note["task"].clone()).expect("a task");
    assert_eq!(task.input_array(), [2, 3, 6]);
    assert_eq!((task.output[0].start, task.output[2].start), (6.0, -30.0));
}

#[test]
fn a_case_that_the_files_do_not_hold_is_refused_and_nothing_is_written() {
    let room = Room::new();
    let source = fixture("era5").join("cds.nc");
    let source = source.to_string_lossy();
    let case = |start: &str, out: &str, code: i32| {
        room.refused(
            code,
            &["data", "case", &source, "--start", start, "--out", out],
        )
    };
    let late = case("2020-03-02T00:00", "case.npy", 1);
    assert!(
        late.contains("the period 2020-03-02T00:00 to 2020-03-06T18:00 is not in"),
        "{late}"
    );
    assert!(case("tomorrow", "case.npy", 2).contains("--start"));
    assert!(case("2020-02-20", "case.txt", 2).contains("a case is written as .npy"));
    assert!(!room.path("case.npy").exists() && !room.path("case.json").exists());
}
