//! `pno data import`: files in, data sets out, by what the usual programs wrote.

use std::fs;
use std::path::{Path, PathBuf};

use crate::server::Server;
use crate::{Room, write_npy, zarr_values};

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// The made-up temperature of `fixtures/era5/make.py` on latitudes 30 to 60 and longitudes -30 to 45.
fn temperature() -> Vec<f32> {
    let mut values = Vec::new();
    for step in 0..48 {
        for latitude in [30.0, 45.0, 60.0] {
            for longitude in [-30.0, -15.0, 0.0, 15.0, 30.0, 45.0] {
                let value = 270.0 + 0.25 * step as f32 + 0.5 * (latitude / 15.0);
                values.push(value + longitude / 15.0 / 8.0);
            }
        }
    }
    values
}

fn import_era5(room: &Room, source: &str, more: &[&str], out: &str) -> String {
    let words = [
        "data",
        "import",
        "era5",
        source,
        "--region",
        "30..60,-30..45",
    ];
    room.ok(&[&words[..], &["--steps", "2", "--out", out], more].concat())
}

#[test]
fn one_temperature_comes_out_of_three_layouts_across_greenwich() {
    let room = Room::new();
    for name in ["wb2.zarr", "cds.nc", "cds.grib"] {
        let source = fixture("era5").join(name);
        let told = import_era5(&room, &source.to_string_lossy(), &[], name);
        assert!(
            told.contains("31 cases (train 23, valid 4, test 4)"),
            "{told}"
        );
        let found = zarr_values(&room.path(name), "2m_temperature");
        let wanted = temperature();
        assert_eq!(found.len(), wanted.len());
        for (i, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            // GRIB packs each map into 16 bits.
            assert!(
                (found - wanted).abs() < 1e-3,
                "{name} {i}: {found}, {wanted}"
            );
        }
        let info = room.ok(&["data", "info", name, "--picture", "map.png", "--force"]);
        assert!(
            info.contains("2020-02-20T00:00 to 2020-02-26T06:00"),
            "{info}"
        );
        assert!(
            info.contains("longitude 6 (-30 to 45 degrees_east)"),
            "{info}"
        );
    }
}

#[test]
fn an_address_with_faults_gives_the_same_values_and_a_cache_asks_no_more() {
    let room = Room::new();
    // Every file fails once, in turns: unavailable, cut short, wrong length.
    let server = Server::start(fixture("era5"), true);
    let address = format!("{}/wb2.zarr", server.address());
    let cache = ["--cache", "cache"];
    import_era5(&room, &address, &cache, "first.zarr");
    let asked = server.requests();
    let values = zarr_values(&room.path("first.zarr"), "2m_temperature");
    assert_eq!(values, temperature());
    import_era5(&room, &address, &cache, "second.zarr");
    assert_eq!(server.requests(), asked, "everything is in the cache");
    let again = zarr_values(&room.path("second.zarr"), "2m_temperature");
    assert_eq!(values, again);
}

#[test]
fn damaged_files_get_a_sentence_and_leave_nothing() {
    let room = Room::new();
    let grib = fs::read(fixture("era5/cds.grib")).expect("read");
    fs::write(room.path("cut.grib"), &grib[..grib.len() - 40]).expect("written");
    let netcdf = fs::read(fixture("era5/cds.nc")).expect("read");
    fs::write(room.path("cut.nc"), &netcdf[..netcdf.len() / 2]).expect("written");
    fs::write(room.path("note.txt"), "not a file of data").expect("written");
    for (name, words) in [
        ("cut.grib", "48"),
        ("cut.nc", "cut.nc"),
        ("note.txt", "GRIB"),
    ] {
        let arguments = [
            "data", "import", "era5", name, "--region", "all", "--out", "x",
        ];
        let message = room.refused(1, &arguments);
        assert!(
            message.contains(name) && message.contains(words),
            "{message}"
        );
        assert!(!room.path("x").exists());
    }
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let room = Room::new();
    let source = fixture("era5/cds.nc").to_string_lossy().into_owned();
    for (more, words) in [
        (&["--region", "0..10,100..110"][..], "--region all"),
        (
            &["--region", "30..60,-30..45", "--step-hours", "4"],
            "every 4 hours",
        ),
        (
            &["--region", "30..60,-30..45", "--variable", "wind"],
            "wind",
        ),
        (
            &[
                "--region",
                "all",
                "--train",
                "2020-02-20..2020-02-24",
                "--valid",
                "2020-02-24..2020-02-27",
                "--test",
                "2020-02-28..2020-03-02",
            ],
            "overlap",
        ),
    ] {
        let words_before = [
            "data", "import", "era5", &source, "--out", "x", "--steps", "2",
        ];
        let message = room.refused(1, &[&words_before[..], more].concat());
        assert!(message.contains(words), "{message}");
        assert!(!room.path("x").exists());
    }
}

#[test]
fn pdebench_s_layout_becomes_permeability_and_pressure() {
    let room = Room::new();
    let source = fixture("formats/pdebench.hdf5");
    let arguments = [
        "data",
        "import",
        "pdebench",
        &source.to_string_lossy(),
        "--out",
    ];
    let whole = [&arguments[..], &["whole.zarr"]].concat();
    let half = [&arguments[..], &["half.zarr", "--stride", "2"]].concat();
    room.ok(&whole);
    room.ok(&half);
    for name in ["a", "u"] {
        let whole = zarr_values(&room.path("whole.zarr"), name);
        let half = zarr_values(&room.path("half.zarr"), name);
        assert_eq!((whole.len(), half.len()), (4 * 16 * 16, 4 * 8 * 8));
        assert_eq!(half[3 * 64 + 2 * 8 + 5], whole[3 * 256 + 4 * 16 + 10]);
    }
    let paper = [&arguments[..], &["paper.zarr", "--profile", "paper"]].concat();
    room.ok(&paper);
    let info = room.ok(&["data", "info", "paper.zarr"]);
    assert!(info.contains("[8, 8], thinned out"), "{info}");
    let other = fixture("era5/cds.nc");
    let wrong = [
        "data",
        "import",
        "pdebench",
        &other.to_string_lossy(),
        "--out",
        "x",
    ];
    let message = room.refused(1, &wrong);
    assert!(
        message.contains("`nu`") && message.contains("t2m"),
        "{message}"
    );
}

/// The worked example of the documentation, smaller and without Python.
fn rings(room: &Room) {
    let (cases, points) = (40, 16);
    let field = |decay: f32| -> Vec<f32> {
        (0..cases * points)
            .map(|i| {
                let (case, x) = ((i / points) as f32, (i % points) as f32);
                let angle = std::f32::consts::TAU * x / points as f32;
                (angle + case).cos() + decay * (2.0 * angle - case).sin()
            })
            .collect()
    };
    write_npy(&room.path("before.npy"), "40, 16", &field(1.0));
    write_npy(&room.path("after.npy"), "40, 16", &field(0.3));
    let toml = r#"
title = "rings"
axes = ["case", "x"]
[coordinates]
x = { first = 0.0, last = 5.9, unit = "rad" }
[[inputs]]
name = "before"
file = "before.npy"
[[outputs]]
name = "after"
file = "after.npy"
unit = "K"
"#;
    fs::write(room.path("rings.toml"), toml).expect("written");
}

#[test]
fn a_user_s_own_arrays_are_imported_trained_on_and_scored() {
    let room = Room::new();
    rings(&room);
    let told = room.ok(&[
        "data",
        "import",
        "arrays",
        "rings.toml",
        "--out",
        "rings.zarr",
    ]);
    assert!(
        told.contains("40 cases (train 32, valid 4, test 4)"),
        "{told}"
    );
    let info = room.ok(&["data", "info", "rings.zarr"]);
    assert!(info.contains("before on x 16 (0 to 5.9 rad)"), "{info}");
    let train = [
        "train",
        "arrays",
        "--data",
        "rings.zarr",
        "--method",
        "pno-r",
        "--out",
        "run",
    ];
    let small = ["--epochs", "2", "--device", "cpu", "--test-members", "4"];
    room.ok(&[&train[..], &small].concat());
    let eval = ["eval", "run", "--data", "rings.zarr", "--members", "5"];
    let scores = room.ok(&[&eval[..], &["--device", "cpu", "--figure", "f.svg"]].concat());
    assert!(scores.contains("energy score"), "{scores}");
    let predict = ["predict", "run", "--data", "rings.zarr", "--case", "3"];
    room.ok(&[
        &predict[..],
        &["--members", "4", "--out", "m.npy", "--device", "cpu"],
    ]
    .concat());
    assert_eq!(crate::npy_values(&room.path("m.npy")).0, "4, 16");
}

#[test]
fn own_arrays_that_do_not_fit_are_told_with_their_place() {
    let room = Room::new();
    rings(&room);
    let toml = fs::read_to_string(room.path("rings.toml")).expect("read");
    let import = ["data", "import", "arrays", "rings.toml", "--out", "x"];
    let refused = |toml: &str, words: &str| {
        fs::write(room.path("rings.toml"), toml).expect("written");
        let message = room.refused(1, &import);
        assert!(message.contains(words), "{message}");
        assert!(!room.path("x").exists());
    };
    refused(&toml.replace("after.npy", "gone.npy"), "gone.npy");
    refused(
        &toml.replace("[\"case\", \"x\"]", "[\"case\"]"),
        "must name each",
    );
    refused(&toml.replace("axes = [\"case\", \"x\"]", ""), "axes");
    let mut values = vec![0.0; 40 * 16];
    values[5 * 16 + 7] = f32::NAN;
    write_npy(&room.path("after.npy"), "40, 16", &values);
    refused(&toml, "case 5, x 7");
    write_npy(&room.path("after.npy"), "40, 8", &vec![0.0; 40 * 8]);
    refused(&toml, "[40, 8]");
    write_npy(&room.path("after.npy"), "40, 16", &vec![3.0; 40 * 16]);
    refused(&toml, "has the value 3 everywhere");
}

#[test]
fn frames_and_windows_are_cut_out_of_a_series() {
    let room = Room::new();
    // Two cases of five frames of three points: 100 case + 10 frame + point.
    let values: Vec<f32> = (0..90)
        .map(|i| (100 * (i / 15) + 10 * (i / 3 % 5) + i % 3) as f32)
        .collect();
    write_npy(&room.path("u.npy"), "6, 5, 3", &values);
    let toml = "title = \"t\"\naxes = [\"case\", \"time\", \"x\"]\n[frames]\ninput = \"0..2\"\noutput = \"3..5\"\n\
                [[inputs]]\nname = \"u\"\nfile = \"u.npy\"\n[[outputs]]\nname = \"u\"\nfile = \"u.npy\"\n";
    fs::write(room.path("a.toml"), toml).expect("written");
    room.ok(&["data", "import", "arrays", "a.toml", "--out", "a.zarr"]);
    let info = room.ok(&["data", "info", "a.zarr"]);
    assert!(info.contains("u on time 2 (3 to 4) x x 3"), "{info}");
    write_npy(&room.path("u.npy"), "30, 3", &values);
    let windows = toml.replace("\"case\", \"time\"", "\"time\"").replace(
        "[frames]\ninput = \"0..2\"\noutput = \"3..5\"",
        "[windows]\nsteps = 2",
    );
    fs::write(room.path("b.toml"), windows).expect("written");
    let told = room.ok(&["data", "import", "arrays", "b.toml", "--out", "b.zarr"]);
    assert!(told.contains("cases"), "{told}");
    assert_eq!(zarr_values(&room.path("b.zarr"), "u"), values);
}
