//! `pno data`.

use std::fs;
use std::time::Duration;

use crate::{CELLS, FRAMES, Room, zarr_values};

fn fingerprint(room: &Room, folder: &str) -> String {
    let info = room.ok(&["data", "info", folder]);
    let line = info
        .lines()
        .find(|line| line.trim_start().starts_with("fingerprint"))
        .expect("a fingerprint");
    line.split_whitespace().last().expect("a hash").to_owned()
}

#[test]
fn a_generated_data_set_holds_the_solver_s_trajectories() {
    let room = Room::new();
    let values = zarr_values(&room.tiny_data(), "u");
    assert_eq!(values.len(), 8 * FRAMES * CELLS);
    let start = pno::pde::ks::initial_condition(3, 5, CELLS);
    let solved = pno::pde::ks::Solver::default_plan().trajectory(&start, FRAMES, 2.0);
    // Two trajectories are solved together: the rounding is another one, and the equation makes it grow.
    let stored = &values[5 * FRAMES * CELLS..6 * FRAMES * CELLS];
    let largest = stored.iter().zip(&solved).map(|(a, b)| (a - b).abs());
    assert!(largest.fold(0.0, f32::max) < 1e-4);
}

#[test]
fn info_tells_sizes_splits_and_statistics_and_draws_a_picture() {
    let room = Room::new();
    let values = zarr_values(&room.tiny_data(), "u");
    let info = room.ok(&[
        "data",
        "info",
        "tiny.zarr",
        "--case",
        "2",
        "--picture",
        "case.svg",
    ]);
    for word in [
        "train 6, valid 1, test 1",
        "u on time 20 (40 to 78) x x 256 (0 to 99.609)",
        "profile           paper",
        "seed              3",
    ] {
        assert!(info.contains(word), "{word} is missing in\n{info}");
    }
    let n = values.len() as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let std = (values
        .iter()
        .map(|&v| (f64::from(v) - mean).powi(2))
        .sum::<f64>()
        / n)
        .sqrt();
    let told = |word: &str| -> f64 {
        let rest = info.split(&format!("{word} ")).nth(1).expect("told");
        let number = rest.split([',', ' ']).next().expect("a number");
        number.parse().expect("a number")
    };
    // Five digits.
    assert!((told("mean") - mean).abs() <= 1e-4 * mean.abs(), "{info}");
    assert!((told("std") - std).abs() <= 1e-4 * std, "{info}");
    let picture = fs::read_to_string(room.path("case.svg")).expect("a picture");
    assert!(picture.starts_with("<svg") && picture.contains("data:image/png;base64,"));
}

#[test]
fn the_fingerprint_is_that_of_the_values() {
    let room = Room::new();
    room.tiny_data();
    let generate = |seed: &str, out: &str| {
        room.ok(&[
            "data",
            "generate",
            "ks",
            "--samples",
            "8",
            "--profile",
            "paper",
            "--seed",
            seed,
            "--out",
            out,
        ])
    };
    generate("3", "same.zarr");
    generate("4", "other.zarr");
    assert_eq!(
        fingerprint(&room, "tiny.zarr"),
        fingerprint(&room, "same.zarr")
    );
    assert_ne!(
        fingerprint(&room, "tiny.zarr"),
        fingerprint(&room, "other.zarr")
    );
}

#[test]
fn an_existing_data_set_is_replaced_only_by_force() {
    let room = Room::new();
    room.tiny_data();
    let before = fingerprint(&room, "tiny.zarr");
    let again = [
        "data",
        "generate",
        "ks",
        "--samples",
        "3",
        "--out",
        "tiny.zarr",
    ];
    assert!(room.refused(1, &again).contains("--force"));
    assert_eq!(fingerprint(&room, "tiny.zarr"), before);
    room.ok(&[&again[..], &["--force"]].concat());
    assert_ne!(fingerprint(&room, "tiny.zarr"), before);
    assert_eq!(
        fs::read_dir(room.path(".")).expect("listed").count(),
        1,
        "nothing is left beside it"
    );
}

/// Starts `generate`, and interrupts it as soon as it has begun.
#[cfg(unix)]
fn interrupted(room: &Room, arguments: &[&str], partial: &str) -> std::process::ExitStatus {
    let mut child = room
        .command(arguments)
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("pno starts");
    while !room.path(partial).join("u/zarr.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let signalled = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(signalled.is_ok_and(|status| status.success()));
    child.wait().expect("ended")
}

#[cfg(unix)]
#[test]
fn two_commands_with_the_same_out_do_not_disturb_each_other() {
    let room = Room::new();
    let generate = |seed, out| {
        [
            "data",
            "generate",
            "ks",
            "--samples",
            "60",
            "--seed",
            seed,
            "--out",
            out,
        ]
    };
    room.ok(&generate("9", "alone.zarr"));
    let mut first = room
        .command(&generate("9", "both.zarr"))
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("pno starts");
    while !room.path(".both.zarr.partial/u/zarr.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The same request and another one, which would have cleared the work of the first away.
    for seed in ["9", "10"] {
        let said = room.refused(
            1,
            &[&generate(seed, "both.zarr")[..], &["--force"]].concat(),
        );
        let holder = format!("both.zarr is being made by process {}", first.id());
        assert!(said.contains(&holder), "{said}");
    }
    assert!(first.wait().expect("ended").success());
    assert_eq!(
        fingerprint(&room, "alone.zarr"),
        fingerprint(&room, "both.zarr")
    );
    assert_eq!(
        fs::read_dir(room.path(".")).expect("listed").count(),
        2,
        "nothing is left beside them"
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_data_set_and_goes_on_from_whole_chunks() {
    let room = Room::new();
    let generate = |out| {
        [
            "data",
            "generate",
            "ks",
            "--samples",
            "60",
            "--seed",
            "9",
            "--out",
            out,
        ]
    };
    let status = interrupted(&room, &generate("b.zarr"), ".b.zarr.partial");
    assert_eq!(status.code(), Some(130));
    assert!(!room.path("b.zarr").exists());

    // As if two chunks had been finished and the third one cut short.
    room.ok(&generate("a.zarr"));
    let chunk = |folder: &str, index: usize| room.path(folder).join(format!("u/c/{index}/0/0"));
    for index in 0..3 {
        fs::create_dir_all(chunk(".b.zarr.partial", index).parent().expect("a folder"))
            .expect("made");
        fs::copy(chunk("a.zarr", index), chunk(".b.zarr.partial", index)).expect("copied");
    }
    let whole = fs::read(chunk("a.zarr", 2)).expect("read");
    fs::write(chunk(".b.zarr.partial", 2), &whole[..whole.len() / 2]).expect("written");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let kept = fs::File::options()
        .write(true)
        .open(chunk(".b.zarr.partial", 0))
        .expect("opened");
    kept.set_modified(long_ago).expect("set");

    room.ok(&generate("b.zarr"));
    assert_eq!(fingerprint(&room, "a.zarr"), fingerprint(&room, "b.zarr"));
    let modified = fs::metadata(chunk("b.zarr", 0))
        .and_then(|m| m.modified())
        .expect("a time");
    assert_eq!(modified, long_ago, "a whole chunk is not made again");
    assert!(!room.path(".b.zarr.partial").exists());
}
