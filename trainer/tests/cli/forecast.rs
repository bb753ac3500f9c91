//! `pno predict` and `pno eval`.

use std::fs;
use std::path::Path;

use pno::checkpoint::Checkpoint;
use pno::spec::Method;
use serde_json::Value;

use crate::skip::skip;
use crate::{CELLS, FRAMES, Room, npy_values, random_checkpoint, write_npy, zarr_values};

const POINTS: usize = 20 * CELLS;

/// The error of a forecast from an input, given the truth.
type Error<'a> = &'a dyn Fn(&[f32], &[f32]) -> Vec<f64>;

fn case(values: &[f32], index: usize) -> (&[f32], &[f32]) {
    values[index * FRAMES * CELLS..(index + 1) * FRAMES * CELLS].split_at(POINTS)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

#[test]
fn a_case_and_a_numpy_file_with_its_input_give_the_same_members() {
    let room = Room::new();
    let values = zarr_values(&room.tiny_data(), "u");
    let (input, truth) = case(&values, 4);
    write_npy(&room.path("in.npy"), "20, 256", input);
    for method in [Method::PnoD, Method::PnoR] {
        room.random_model(method);
        let tail = [
            "--members",
            "5",
            "--seed",
            "7",
            "--device",
            "cpu",
            "--force",
        ];
        let from =
            |source: &[&str]| room.ok(&[&["predict", "random.pno"], source, &tail[..]].concat());
        from(&[
            "--data",
            "tiny.zarr",
            "--case",
            "4",
            "--out",
            "a.npy",
            "--truth",
            "truth.npy",
        ]);
        from(&["--input", "in.npy", "--out", "b.npy"]);
        from(&["--input", "in.npy", "--out", "c.zarr"]);
        let (shape, members) = npy_values(&room.path("a.npy"));
        assert_eq!(shape, "5, 20, 256");
        assert_eq!(
            fs::read(room.path("a.npy")).expect("read"),
            fs::read(room.path("b.npy")).expect("read")
        );
        assert_eq!(zarr_values(&room.path("c.zarr"), "u"), members);
        assert_eq!(npy_values(&room.path("truth.npy")).1, truth);
        assert_ne!(
            members[..POINTS],
            members[POINTS..2 * POINTS],
            "{method}: members differ"
        );
    }
}

#[test]
fn fewer_members_are_the_first_of_more() {
    let room = Room::new();
    room.tiny_data();
    room.random_model(Method::PnoD);
    let predict = |members: &str, out: &str| {
        let head = [
            "predict",
            "random.pno",
            "--data",
            "tiny.zarr",
            "--case",
            "0",
            "--device",
            "cpu",
        ];
        room.ok(&[&head[..], &["--members", members, "--out", out]].concat());
        npy_values(&room.path(out)).1
    };
    assert_eq!(
        predict("3", "few.npy"),
        predict("9", "many.npy")[..3 * POINTS]
    );
}

#[test]
fn the_gpu_and_the_cpu_draw_the_same_members() {
    let room = Room::new();
    room.tiny_data();
    for method in [Method::PnoD, Method::PnoR] {
        room.random_model(method);
        let head = [
            "predict",
            "random.pno",
            "--data",
            "tiny.zarr",
            "--case",
            "0",
            "--members",
            "3",
        ];
        let on = |device: &'static str| {
            [
                &head[..],
                &["--out", "m.npy", "--force", "--device", device],
            ]
            .concat()
        };
        let gpu = room.run(&on("wgpu"));
        if !gpu.status.success() {
            let said = crate::text(&gpu.stderr);
            assert!(said.contains("there is no wgpu adapter"), "{said}");
            skip(&said);
            return;
        }
        let gpu = npy_values(&room.path("m.npy")).1;
        room.ok(&on("cpu"));
        let cpu = npy_values(&room.path("m.npy")).1;
        let power: f64 = cpu.iter().map(|v| f64::from(v * v)).sum();
        let std = (power / cpu.len() as f64).sqrt();
        let apart = cpu
            .iter()
            .zip(&gpu)
            .map(|(a, b)| f64::from((a - b).abs()))
            .fold(0.0, f64::max);
        assert!(apart < 1e-3 * std, "{method}: {apart} of {std}");
    }
}

#[test]
fn an_evaluation_agrees_with_its_baselines_and_writes_everything() {
    let room = Room::new();
    let values = zarr_values(&room.tiny_data(), "u");
    room.random_model(Method::PnoR);
    let outputs = ["--json", "scores.json", "--figure", "figure.svg"];
    let head = [
        "eval",
        "random.pno",
        "--data",
        "tiny.zarr",
        "--split",
        "train",
        "--members",
        "6",
        "--device",
        "cpu",
    ];
    let table = room.ok(&[&head[..], &outputs].concat());
    for word in ["energy score", "persistence", "6 members, 6 cases"] {
        assert!(table.contains(word), "{table}");
    }

    let report = json(&room.path("scores.json"));
    for key in [
        "l2",
        "energy_score",
        "crps",
        "nll",
        "coverage",
        "interval_width",
    ] {
        assert!(
            report[key]["value"].is_f64() && report[key]["estimator"].is_string(),
            "{key}: {report:#}"
        );
    }
    assert_eq!(
        (report["members"].as_u64(), report["cases"].as_u64()),
        (Some(6), Some(6))
    );
    assert_eq!(
        report["data"]["fingerprint"].as_str().map(str::len),
        Some(64)
    );
    let rms =
        |field: &[f64]| (field.iter().map(|v| v * v).sum::<f64>() / field.len() as f64).sqrt();
    let shares = split_of(&room.path("tiny.zarr"));
    let train: Vec<usize> = (0..8).filter(|&i| shares[i] == 0).collect();
    let mean = |error: Error| {
        let norms = train
            .iter()
            .map(|&i| case(&values, i))
            .map(|(input, truth)| rms(&error(input, truth)) / 2.6431);
        norms.sum::<f64>() / train.len() as f64
    };
    let zero = mean(&|_, truth| truth.iter().map(|&v| f64::from(v)).collect());
    let persistence = mean(&|input, truth| {
        let last = &input[POINTS - CELLS..];
        truth
            .iter()
            .enumerate()
            .map(|(i, &v)| f64::from(v) - f64::from(last[i % CELLS]))
            .collect()
    });
    for (name, wanted) in [("zero", zero), ("persistence", persistence)] {
        for score in ["l2", "energy_score"] {
            let found = report["baselines"][name][score].as_f64().expect("a number");
            assert!(
                (found - wanted).abs() < 1e-5,
                "{name} {score}: {found} instead of {wanted}"
            );
        }
    }
    let figure = fs::read_to_string(room.path("figure.svg")).expect("a figure");
    for word in [
        "truth",
        "ensemble mean",
        "absolute error",
        "standard deviation",
        "coverage",
        "KS PNO_R",
    ] {
        assert!(figure.contains(word), "{word}");
    }
}

/// The split of every case: 0 train, 1 valid, 2 test.
pub fn split_of(folder: &Path) -> Vec<i8> {
    let store =
        std::sync::Arc::new(zarrs::filesystem::FilesystemStore::new(folder).expect("a store"));
    let array = zarrs::array::Array::open(store, "/split").expect("an array");
    array
        .retrieve_array_subset(&array.subset_all())
        .expect("values")
}

#[test]
fn scores_are_stored_in_the_model_and_nothing_else_changes() {
    let room = Room::new();
    room.tiny_data();
    let model = room.random_model(Method::PnoR);
    let eval = [
        "eval",
        "random.pno",
        "--data",
        "tiny.zarr",
        "--members",
        "4",
        "--device",
        "cpu",
    ];
    room.ok(&[&eval[..], &["--json", "scores.json", "--write-scores"]].concat());
    let stored = Checkpoint::decode(&fs::read(model).expect("read")).expect("a model");
    let scores = stored.header.scores.expect("scores");
    let report = json(&room.path("scores.json"));
    assert_eq!(
        report["energy_score"]["value"].as_f64(),
        Some(scores.energy_score)
    );
    assert_eq!((scores.members, scores.cases), (4, 1));
    let mut untouched = stored;
    untouched.header.scores = None;
    assert_eq!(untouched, random_checkpoint(Method::PnoR));
    let message = room.refused(
        2,
        &[&eval[..], &["--write-scores", "--split", "valid"]].concat(),
    );
    assert!(message.contains("test split"), "{message}");
}

#[test]
fn an_input_on_another_grid_is_forecast_on_that_grid() {
    let room = Room::new();
    room.random_model(Method::PnoR);
    write_npy(&room.path("in.npy"), "20, 128", &vec![0.5; 20 * 128]);
    let said = room.ok(&[
        "predict",
        "random.pno",
        "--input",
        "in.npy",
        "--members",
        "3",
        "--out",
        "out.npy",
        "--device",
        "cpu",
    ]);
    assert!(said.contains("trained on [20, 256]"), "{said}");
    let (shape, values) = npy_values(&room.path("out.npy"));
    assert_eq!(shape, "3, 20, 128");
    assert_eq!(values.len(), 3 * 20 * 128);
}
