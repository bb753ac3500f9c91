//! Fields with points that never have a value: from files with a sea to a forecast with one.

use std::fs;
use std::path::Path;

use pno::checkpoint::Checkpoint;

use crate::{Room, npy_values, text, write_npy, zarr_values};

const TIMES: usize = 64;
const LATITUDES: usize = 6;
const LONGITUDES: usize = 8;
const POINTS: usize = LATITUDES * LONGITUDES;
/// What stands for a missing value in the file.
const FILL: f32 = -9999.0;

/// Sea in a corner and an island in the middle, counted from the south, as the data set has them.
fn is_sea(point: usize) -> bool {
    let (y, x) = (point / LONGITUDES, point % LONGITUDES);
    (y < 2 && x < 5) || (y, x) == (4, 6)
}

/// Temperature of the soil, made up; in the file the north comes first.
fn soil(time: usize, point: usize) -> f32 {
    let (y, x) = ((point / LONGITUDES) as f32, (point % LONGITUDES) as f32);
    280.0 + y + (0.7 * time as f32 + 0.8 * x).sin()
}

/// A NetCDF file (classic) of the soil, with changed values.
fn write_netcdf(path: &Path, change: impl Fn(usize, usize, f32) -> f32) {
    let mut bytes = b"CDF\x01".to_vec();
    let int = |bytes: &mut Vec<u8>, value: usize| bytes.extend((value as u32).to_be_bytes());
    let name = |bytes: &mut Vec<u8>, name: &str| {
        bytes.extend((name.len() as u32).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    };
    let (dimension, variable, attribute) = (10, 11, 12);
    let (characters, float, double) = (2, 5, 6);
    let axes = [
        ("time", TIMES),
        ("latitude", LATITUDES),
        ("longitude", LONGITUDES),
    ];
    int(&mut bytes, 0); // no record
    int(&mut bytes, dimension);
    int(&mut bytes, axes.len());
    for (axis, size) in axes {
        name(&mut bytes, axis);
        int(&mut bytes, size);
    }
    bytes.extend([0; 8]); // no attribute of the file

    let doubles = |values: Vec<f64>| values.into_iter().flat_map(f64::to_be_bytes).collect();
    let values = (0..TIMES * POINTS).map(|i| {
        let (time, row) = (i / POINTS, i % POINTS / LONGITUDES);
        let point = (LATITUDES - 1 - row) * LONGITUDES + i % LONGITUDES;
        let value = if is_sea(point) {
            FILL
        } else {
            soil(time, point)
        };
        change(time, point, value)
    });
    let data: [Vec<u8>; 4] = [
        doubles((0..TIMES).map(|i| 6.0 * i as f64).collect()),
        doubles((0..LATITUDES).map(|i| 50.0 - i as f64).collect()),
        doubles((0..LONGITUDES).map(|i| 10.0 + i as f64).collect()),
        values.flat_map(f32::to_be_bytes).collect(),
    ];
    int(&mut bytes, variable);
    int(&mut bytes, data.len());
    let mut places = vec![];
    let units = [
        "hours since 2019-01-01",
        "degrees_north",
        "degrees_east",
        "K",
    ];
    for (i, values) in data.iter().enumerate() {
        name(&mut bytes, axes.get(i).map_or("stl1", |axis| axis.0));
        let own: &[usize] = [&[0][..], &[1], &[2], &[0, 1, 2]][i];
        int(&mut bytes, own.len());
        for &axis in own {
            int(&mut bytes, axis);
        }
        int(&mut bytes, attribute);
        int(&mut bytes, 1 + usize::from(i == 3));
        name(&mut bytes, "units");
        int(&mut bytes, characters);
        name(&mut bytes, units[i]);
        if i == 3 {
            name(&mut bytes, "_FillValue");
            int(&mut bytes, float);
            int(&mut bytes, 1);
            bytes.extend(FILL.to_be_bytes());
        }
        int(&mut bytes, if i == 3 { float } else { double });
        int(&mut bytes, values.len());
        places.push(bytes.len());
        int(&mut bytes, 0); // where it begins, written below
    }
    for (place, values) in places.into_iter().zip(data) {
        let begin = bytes.len() as u32;
        bytes[place..place + 4].copy_from_slice(&begin.to_be_bytes());
        bytes.extend(values);
    }
    fs::write(path, bytes).expect("written");
}

const IMPORT: [&str; 10] = [
    "data",
    "import",
    "era5",
    "soil.nc",
    "--region",
    "all",
    "--steps",
    "2",
    "--out",
    "soil.zarr",
];

fn with_mask() -> Vec<&'static str> {
    [&IMPORT[..], &["--missing", "mask"]].concat()
}

fn masked_points() -> usize {
    (0..POINTS).filter(|&point| is_sea(point)).count()
}

/// A network that trains in seconds.
const SMALL: [&str; 16] = [
    "--epochs",
    "2",
    "--device",
    "cpu",
    "--test-members",
    "4",
    "--set",
    "model.width=4",
    "--set",
    "model.lifting=8",
    "--set",
    "model.projection=8",
    "--set",
    "model.layers=2",
    "--set",
    "train.batch=8",
];

#[test]
fn a_file_with_a_sea_is_imported_trained_on_scored_and_forecast() {
    let room = Room::new();
    write_netcdf(&room.path("soil.nc"), |_, _, value| value);
    let said = room.refused(1, &IMPORT);
    assert!(said.contains("`stl1` is missing at 2019-01-01"), "{said}");
    assert!(said.contains("latitude 45, longitude 10"), "{said}");
    assert!(said.contains("--missing mask"), "the way out: {said}");

    room.ok(&with_mask());
    let values = zarr_values(&room.path("soil.zarr"), "stl1");
    assert_eq!(values.len(), TIMES * POINTS);
    for (i, value) in values.iter().enumerate() {
        assert_eq!(value.is_nan(), is_sea(i % POINTS), "value {i}");
    }
    let info = room.ok(&["data", "info", "soil.zarr", "--picture", "soil.png"]);
    let masked = masked_points();
    assert!(
        info.contains(&format!("{masked} of {POINTS} points")),
        "{info}"
    );
    let known: Vec<f64> = (values.iter().filter(|v| !v.is_nan()).map(|&v| f64::from(v))).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let said = info
        .split("mean ")
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    let said: f64 = said.and_then(|n| n.parse().ok()).expect("a mean");
    assert!((said - mean).abs() < 0.01, "{mean}: {info}");

    let train = "train era5 --data soil.zarr --size demo --method pno-d --out run";
    let train: Vec<&str> = train.split(' ').collect();
    room.ok(&[&train[..], &SMALL].concat());
    let eval = "eval run --data soil.zarr --members 5 --device cpu --out result --threshold 284";
    let told = room.ok(&eval.split(' ').collect::<Vec<_>>());
    let twice = format!("masked: {} of {} values", 2 * masked, 2 * POINTS);
    assert!(told.contains(&twice), "{told}");
    for score in ["energy score", "CRPS", "persistence"] {
        assert!(told.contains(score), "{told}");
    }
    assert!(!told.contains("NaN"), "{told}");
    let crps = zarr_values(&room.path("result/maps.zarr"), "crps_stl1");
    for (i, value) in crps.iter().enumerate() {
        assert_eq!(value.is_nan(), is_sea(i % POINTS), "map {i}");
    }

    let predict =
        "predict run --data soil.zarr --case 3 --members 3 --device cpu --truth t.npy --out m.npy";
    room.ok(&predict.split(' ').collect::<Vec<_>>());
    for (name, members) in [("m.npy", 3), ("t.npy", 1)] {
        let (_, found) = npy_values(&room.path(name));
        assert_eq!(found.len(), members * 2 * POINTS);
        for (i, value) in found.iter().enumerate() {
            assert_eq!(value.is_nan(), is_sea(i % POINTS), "{name} {i}: {value}");
        }
    }

    // The mask is part of the model: what is masked in an input is not looked at, anything else is wanted.
    let file = fs::read(room.path("run/model.pno")).expect("a model");
    let task = Checkpoint::decode(&file).expect("a model").header.task;
    let mask = task.outputs[0].mask.as_ref().expect("a mask");
    assert_eq!((mask.sizes(), mask.masked()), ([6, 8].as_slice(), masked));
    let window = &values[..2 * POINTS];
    let forecast = |values: &[f32], out: &str| {
        write_npy(&room.path("w.npy"), "2, 6, 8", values);
        let words = format!("predict run --input w.npy --members 2 --device cpu --out {out}");
        room.run(&words.split(' ').collect::<Vec<_>>())
    };
    let filled: Vec<f32> = (window.iter())
        .map(|v| if v.is_nan() { 1e9 } else { *v })
        .collect();
    assert!(forecast(window, "a.npy").status.success());
    assert!(forecast(&filled, "b.npy").status.success());
    let bytes = |name| fs::read(room.path(name)).expect("members");
    assert_eq!(bytes("a.npy"), bytes("b.npy"));
    let mut broken = filled;
    broken[POINTS - 1] = f32::NAN;
    let said = text(&forecast(&broken, "c.npy").stderr);
    assert!(
        said.contains(
            "`stl1` at time -6 hours, latitude 50 degrees_north, longitude 17 degrees_east: NaN"
        ),
        "{said}"
    );
}

#[test]
fn what_is_missing_sometimes_is_an_error_with_variable_time_and_place() {
    let room = Room::new();
    // A value is missing on the land once.
    write_netcdf(&room.path("soil.nc"), |time, point, value| {
        match (time, point) {
            (9, 47) => FILL,
            _ => value,
        }
    });
    let said = room.refused(1, &with_mask());
    let wanted = "`stl1` is missing at 2019-01-03T06:00 (entry 9), latitude 50, longitude 17";
    assert!(
        said.contains(wanted) || said.contains("2019-01-03"),
        "{said}"
    );
    assert!(
        said.contains("(entry 9), latitude 50, longitude 17"),
        "{said}"
    );
    assert!(!room.path("soil.zarr").exists());
    // The sea has a value once: then it is missing at the other times only.
    write_netcdf(&room.path("soil.nc"), |time, point, value| {
        match (time, point) {
            (9, 0) => 281.0,
            _ => value,
        }
    });
    let said = room.refused(1, &with_mask());
    assert!(
        said.contains("(entry 0), latitude 45, longitude 10"),
        "{said}"
    );
    assert!(said.contains("has a value at 2019-01-03"), "{said}");
    // Nothing at all.
    write_netcdf(&room.path("soil.nc"), |_, _, _| FILL);
    let said = room.refused(1, &with_mask());
    assert!(said.contains("no value at all"), "{said}");
    let said = room.refused(2, &[&IMPORT[..], &["--missing", "fill"]].concat());
    assert!(said.contains("neither error nor mask"), "{said}");
}

/// Two fields of a user: the first has no value at two points, the second at three others.
fn write_arrays(room: &Room, more: &str) {
    let field = |speed: f32, missing: fn(usize) -> bool| -> Vec<f32> {
        (0..40 * 16)
            .map(|i| {
                if missing(i % 16) {
                    return f32::NAN;
                }
                (speed * (i / 16) as f32 + 0.4 * (i % 16) as f32).sin()
            })
            .collect()
    };
    write_npy(&room.path("a.npy"), "40, 16", &field(0.9, |x| x < 2));
    write_npy(&room.path("b.npy"), "40, 16", &field(0.9, |x| x > 12));
    let toml = format!(
        "title = \"ring\"\naxes = [\"case\", \"x\"]\n{more}\n[[inputs]]\nname = \"a\"\nfile = \"a.npy\"\n[[outputs]]\nname = \"b\"\nfile = \"b.npy\"\n"
    );
    fs::write(room.path("ring.toml"), toml).expect("written");
}

#[test]
fn own_arrays_have_a_mask_for_each_field() {
    let room = Room::new();
    write_arrays(&room, "");
    let import = [
        "data",
        "import",
        "arrays",
        "ring.toml",
        "--out",
        "ring.zarr",
    ];
    let said = room.refused(1, &import);
    assert!(
        said.contains("case 0, x 0") && said.contains("--missing mask"),
        "{said}"
    );
    write_arrays(&room, "missing = \"mask\"");
    room.ok(&import);
    let info = room.ok(&["data", "info", "ring.zarr"]);
    assert!(
        info.contains("2 of 16 points") && info.contains("3 of 16 points"),
        "{info}"
    );
    let again = room.refused(
        1,
        &[&import[..], &["--force", "--missing", "error"]].concat(),
    );
    assert!(
        again.contains("case 0, x 0"),
        "the flag is stronger: {again}"
    );

    // Every method trains and scores; the fit of the last layer and the calibration leave out what is masked.
    for method in ["pno-r", "det"] {
        let train = format!("train arrays --data ring.zarr --method {method} --out {method}");
        room.ok(&[&train.split(' ').collect::<Vec<_>>()[..], &SMALL].concat());
    }
    let laplace = "laplace det --data ring.zarr --device cpu --out la.pno";
    room.ok(&laplace.split(' ').collect::<Vec<_>>());
    let conformal = "conformal pno-r --data ring.zarr --split train --coverage 0.8 --members 8 --device cpu --out cal.pno";
    room.ok(&conformal.split(' ').collect::<Vec<_>>());
    for model in ["pno-r", "la.pno", "cal.pno"] {
        let eval = format!("eval {model} --data ring.zarr --members 5 --device cpu");
        let told = room.ok(&eval.split(' ').collect::<Vec<_>>());
        assert!(told.contains("masked: 3 of 16 values"), "{model}: {told}");
        assert!(
            told.contains("a spectrum is that of rows without them"),
            "{told}"
        );
        assert!(!told.contains("NaN"), "{model}: {told}");
    }
    // Data that miss more than the model does are refused.
    fs::remove_dir_all(room.path("ring.zarr")).expect("removed");
    let values: Vec<f32> = (0..40 * 16)
        .map(|i| if i % 16 < 4 { f32::NAN } else { i as f32 })
        .collect();
    write_npy(&room.path("a.npy"), "40, 16", &values);
    room.ok(&import);
    let said = room.refused(
        1,
        &["eval", "pno-r", "--data", "ring.zarr", "--device", "cpu"],
    );
    assert!(
        said.contains("`a` has no value at 2 of 16 points"),
        "{said}"
    );
}

#[test]
fn a_model_is_scored_on_a_finer_grid_whose_coast_is_not_that_of_its_own_points() {
    let room = Room::new();
    write_arrays(&room, "missing = \"mask\"");
    let import = "data import arrays ring.toml --out";
    let import =
        |out: &str| room.ok(&[&import.split(' ').collect::<Vec<_>>()[..], &[out]].concat());
    import("ring.zarr");
    let train = "train arrays --data ring.zarr --method pno-r --out run";
    room.ok(&[&train.split(' ').collect::<Vec<_>>()[..], &SMALL].concat());

    // Twice as many points. The nearest of the model's are masked from 25 on in the output, the data from 24 on; in the
    // input up to 2 and up to 4.
    write_arrays(
        &room,
        "missing = \"mask\"\n[coordinates]\nx = { first = 0.0, last = 15.5 }",
    );
    let field = |missing: fn(usize) -> bool| -> Vec<f32> {
        let value = |i: usize| (0.9 * (i / 32) as f32 + 0.2 * (i % 32) as f32).sin();
        let known = |i: usize| if missing(i % 32) { f32::NAN } else { value(i) };
        (0..40 * 32).map(known).collect()
    };
    write_npy(&room.path("a.npy"), "40, 32", &field(|x| x < 5));
    write_npy(&room.path("b.npy"), "40, 32", &field(|x| x > 23));
    import("fine.zarr");
    let eval = "eval run --data fine.zarr --members 5 --device cpu";
    let told = room.ok(&eval.split(' ').collect::<Vec<_>>());
    assert!(told.contains("masked: 8 of 32 values"), "{told}");
    assert!(!told.contains("NaN"), "{told}");
}

#[test]
fn a_damaged_mask_is_told() {
    let room = Room::new();
    write_arrays(&room, "missing = \"mask\"");
    room.ok(&["data", "import", "arrays", "ring.toml", "--out", "r"]);
    let before = room.ok(&["data", "info", "r"]);
    // Without its mask the values are broken, and the fingerprint hears of the mask.
    fs::rename(room.path("r/mask_b"), room.path("mask_b")).expect("moved");
    let said = room.refused(1, &["data", "info", "r"]);
    assert!(said.contains("`b` is NaN at case 0, x 13"), "{said}");
    fs::rename(room.path("r/mask_a"), room.path("r/mask_b")).expect("moved");
    let said = room.refused(1, &["data", "info", "r"]);
    assert!(said.contains("`a` is NaN at case 0, x 0"), "{said}");
    assert!(before.contains("fingerprint"), "{before}");
}
