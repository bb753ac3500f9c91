//! Bad input gets one sentence and the right exit code, and nothing is written.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use pno::spec::Method;

use crate::{Room, write_npy};

#[test]
fn wrong_usage_ends_with_two_and_says_what_is_known() {
    let room = Room::new();
    for (arguments, word) in [
        (
            &["data", "generate", "kss", "--out", "x.zarr"][..],
            "darcy, ks, sswe, era5",
        ),
        (
            &["data", "generate", "era5", "--out", "x.zarr"],
            "pno data import era5",
        ),
        (
            &[
                "data", "generate", "ks", "--law", "bumps", "--out", "x.zarr",
            ],
            "--law is for darcy, not for ks",
        ),
        (
            &[
                "data", "generate", "darcy", "--grid", "a", "--out", "x.zarr",
            ],
            "64x128",
        ),
        (
            &[
                "data", "generate", "darcy", "--shares", "1,2", "--out", "x.zarr",
            ],
            "800,100,100",
        ),
        (&["data", "generate", "ks"], "--out"),
        (
            &[
                "data",
                "generate",
                "ks",
                "--samples",
                "0",
                "--out",
                "x.zarr",
            ],
            "--samples",
        ),
        (
            &["eval", "m.pno", "--data", "d", "--split", "exam"],
            "train, valid, test",
        ),
        (
            &["eval", "m.pno", "--data", "d", "--figure", "f.pdf"],
            ".svg or .png",
        ),
        (
            &["eval", "m.pno", "--data", "d", "--verification", "v.png"],
            "v.png: plots are written as .svg",
        ),
        (&["predict", "m.pno", "--out", "o.npy"], "--input"),
        (
            &["predict", "m.pno", "--data", "d", "--out", "o.npy"],
            "--case",
        ),
        (
            &["predict", "m.pno", "--input", "i.npy", "--out", "o.csv"],
            ".npy or .zarr",
        ),
        (&["fly"], "fly"),
    ] {
        let message = room.refused(2, arguments);
        assert!(message.contains(word), "{arguments:?}: {message}");
    }
    assert_eq!(
        fs::read_dir(room.path(".")).expect("listed").count(),
        0,
        "nothing was written"
    );
}

#[test]
fn every_command_shows_examples() {
    let room = Room::new();
    for command in [
        &["data", "generate"][..],
        &["data", "info"],
        &["train"],
        &["eval"],
        &["predict"],
        &["inspect"],
        &["export"],
        &["import"],
    ] {
        let help = room.ok(&[command, &["--help"]].concat());
        assert!(
            help.to_lowercase().contains("examples") && help.contains("pno "),
            "{command:?}: {help}"
        );
    }
}

#[test]
fn a_damaged_or_missing_chunk_is_named() {
    let room = Room::new();
    let chunk = room.tiny_data().join("u/c/0/0/0");
    room.random_model(Method::PnoR);
    let eval = [
        "eval",
        "random.pno",
        "--data",
        "tiny.zarr",
        "--device",
        "cpu",
    ];
    let whole = fs::read(&chunk).expect("read");
    fs::write(&chunk, &whole[..whole.len() / 2]).expect("written");
    for arguments in [&["data", "info", "tiny.zarr"][..], &eval] {
        let message = room.refused(1, arguments);
        assert!(
            message.contains("tiny.zarr")
                && message.contains("u/c/0/0/0")
                && message.contains("damaged"),
            "{message}"
        );
    }
    let mut flipped = whole;
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    fs::write(&chunk, flipped).expect("written");
    assert!(room.refused(1, &eval).contains("u/c/0/0/0"));
    fs::remove_file(&chunk).expect("removed");
    assert!(room.refused(1, &eval).contains("missing"));
}

#[test]
fn a_data_set_of_another_kind_is_refused() {
    let room = Room::new();
    let folder = room.tiny_data();
    let eval = ["data", "info", "tiny.zarr"];
    let description = fs::read_to_string(folder.join("zarr.json")).expect("read");
    let renamed = |name: &str| {
        description.replace(
            "\"experiment\": \"ks\"",
            &format!("\"experiment\": \"{name}\""),
        )
    };
    for (text, word) in [
        (
            description.replace("\"format\": 2", "\"format\": 1"),
            "format 1, but 2",
        ),
        (
            description.replace("\"pno\"", "\"other\""),
            "`pno` is missing",
        ),
        (
            description.replace("\"number\": 20", "\"number\": 21"),
            "21 frames",
        ),
        (renamed("weather"), "unknown experiment `weather`"),
        ("{".into(), "zarr.json"),
    ] {
        fs::write(folder.join("zarr.json"), text).expect("written");
        let message = room.refused(1, &eval);
        assert!(
            message.contains("tiny.zarr") && message.contains(word),
            "{message}"
        );
    }
    fs::write(folder.join("zarr.json"), &description).expect("written");
    let u = folder.join("u/zarr.json");
    let array = fs::read_to_string(&u).expect("read");
    let squeezed = array.replacen("256", "128", 2);
    assert_ne!(array, squeezed);
    fs::write(&u, squeezed).expect("written");
    let message = room.refused(1, &eval);
    assert!(
        message.contains("`u`") && message.contains("128") && message.contains("256"),
        "{message}"
    );
    fs::remove_dir_all(folder.join("u")).expect("removed");
    assert!(room.refused(1, &eval).contains("`u` is missing"));
    assert!(
        room.refused(1, &["data", "info", "nowhere.zarr"])
            .contains("no such folder")
    );
}

#[test]
fn a_bad_numpy_file_is_refused() {
    let room = Room::new();
    room.random_model(Method::PnoR);
    let predict = [
        "predict",
        "random.pno",
        "--input",
        "in.npy",
        "--out",
        "out.npy",
        "--device",
        "cpu",
    ];
    assert!(room.refused(1, &predict).contains("in.npy"));
    fs::write(room.path("in.npy"), "not an array").expect("written");
    assert!(room.refused(1, &predict).contains("magic"));
    write_npy(&room.path("in.npy"), "5100", &vec![0.0; 20 * 255]);
    let message = room.refused(1, &predict);
    assert!(
        message.contains("[5100]") && message.contains("[20, 256]"),
        "{message}"
    );
    let mut values = vec![0.0; 20 * 256];
    values[77] = f32::NAN;
    write_npy(&room.path("in.npy"), "20, 256", &values);
    let message = room.refused(1, &predict);
    assert!(
        message.contains("no finite value for `u` at time 0, x 30.078125: NaN, at position 77"),
        "{message}"
    );
    assert!(!room.path("out.npy").exists());
}

#[test]
fn a_missing_or_broken_model_is_refused() {
    let room = Room::new();
    room.tiny_data();
    let eval = [
        "eval",
        "random.pno",
        "--data",
        "tiny.zarr",
        "--device",
        "cpu",
    ];
    assert!(room.refused(1, &eval).contains("random.pno"));
    let model = room.random_model(Method::PnoR);
    let mut bytes = fs::read(&model).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&model, bytes).expect("written");
    assert!(room.refused(1, &eval).contains("random.pno"));
}

#[test]
fn a_device_that_is_not_there_says_what_to_do() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoR);
    let eval = |device| {
        [
            "eval",
            "random.pno",
            "--data",
            "tiny.zarr",
            "--device",
            device,
        ]
    };
    assert!(room.refused(2, &eval("toaster")).contains("cuda:N"));
    let message = room.refused(1, &eval("cuda:4095"));
    assert!(
        message.contains("--device cpu") || message.contains("no device 4095"),
        "{message}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let room = Room::new();
    room.tiny_data();
    let mut child = room
        .command(&["data", "info", "tiny.zarr"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pno starts");
    drop(child.stdout.take());
    let mut message = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut message)
        .expect("text");
    assert!(child.wait().expect("ended").success(), "{message}");
    assert_eq!(message, "");
}
