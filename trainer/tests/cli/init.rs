//! `pno init`: untrained models that every other command can use.

use crate::{Room, npy_values, write_npy};

/// Makes a model, draws two members of a simple input, and gives their shape.
fn drawn(init: &[&str], shape: &str) -> String {
    let room = Room::new();
    room.ok(&[&["init"], init, &["--out", "model.pno"]].concat());
    let sizes = shape
        .split(", ")
        .map(|n| n.parse::<usize>().expect("a size"));
    let values: Vec<f32> = (0..sizes.product()).map(|i| (i as f32).sin()).collect();
    write_npy(&room.path("in.npy"), shape, &values);
    let asked = ["--input", "in.npy", "--members", "2", "--device", "cpu"];
    room.ok(&[&["predict", "model.pno"], &asked[..], &["--out", "out.npy"]].concat());
    let (shape, members) = npy_values(&room.path("out.npy"));
    assert!(members.iter().any(|&v| v != members[0]), "a field");
    shape
}

#[test]
fn fresh_models_of_every_kind_forecast() {
    let small = ["--set", "model.width=4", "--set", "model.lifting=4"];
    let with = |words: &[&'static str]| [words, &small].concat();
    let line = with(&["ks", "--grid", "32", "--set", "model.modes=[8]"]);
    assert_eq!(drawn(&line, "32"), "2, 32");
    let cube = with(&["era5", "--grid", "4x6x8", "--set", "model.modes=[4,4,4]"]);
    assert_eq!(drawn(&cube, "4, 6, 8"), "2, 4, 6, 8");
    let sphere = with(&["sswe", "--grid", "6x12", "--latitudes", "gauss"]);
    assert_eq!(drawn(&sphere, "6, 12, 3"), "2, 6, 12, 3");
    let uno = with(&["ks", "--operator", "uno", "--grid", "8x32"]);
    assert_eq!(drawn(&uno, "8, 32"), "2, 8, 32");
}

#[test]
fn an_existing_file_is_left_as_it_is() {
    let room = Room::new();
    std::fs::write(room.path("model.pno"), b"precious").expect("written");
    let message = room.refused(1, &["init", "ks", "--out", "model.pno"]);
    assert!(message.contains("left as it is"), "{message}");
    assert_eq!(
        std::fs::read(room.path("model.pno")).expect("there"),
        b"precious"
    );
    let message = room.refused(2, &["init", "era5", "--operator", "uno", "--out", "x.pno"]);
    assert!(message.contains("it has: fno"), "{message}");
}
