//! The models of `tests/hostile`: a few hundred bytes each that ask for hours or for gigabytes. They are refused for what they ask.
//!
//! `PNO_WRITE_HOSTILE=1 cargo test -p pno --test hostile_files` writes them; without it they are compared with what is there.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};

use pno::checkpoint::limits::{HASH_BYTES, MAGIC, PREFIX_BYTES, VERSION};
use pno::checkpoint::{Checkpoint, CheckpointError, Header, Precision, Provenance};
use pno::spec::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile")
}

/// The smallest network on a grid of these sizes.
fn header(sizes: &[usize], modes: Vec<usize>, change: impl FnOnce(&mut Header)) -> Header {
    let axes: Vec<Axis> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| Axis::new(["x", "y", "z"][i], size, 0.0, 1.0, ""))
        .collect();
    let quantity = Quantity::new("u", "", Normalisation::NONE);
    let mut header = Header {
        spec: ModelSpec {
            experiment: Experiment::Ks,
            method: Method::PnoD,
            operator: Operator::Fno,
            profile: Profile::Fixed,
            in_channels: 2,
            out_channels: 1,
            width: 1,
            lifting: 1,
            projection: 1,
            layers: 1,
            modes,
            levels: vec![],
            dropout: 0.2,
            fourier_dropout: 0.2,
            networks: 1,
            output: Output::Field,
            mlp: 0,
            noise: vec![],
            observed: None,
        },
        task: Task {
            input: axes.clone(),
            output: axes,
            inputs: vec![quantity.clone()],
            outputs: vec![quantity],
            coordinates: vec![Coordinate::unit(0)],
            domain: Domain::Flat,
        },
        provenance: Provenance::default(),
        scores: None,
        calibration: None,
        precision: Precision::F16,
    };
    change(&mut header);
    header
}

/// A UNO of 32 blocks on a line.
fn uno(modes: usize, scale: impl Fn(usize) -> f64) -> impl FnOnce(&mut Header) {
    move |header| {
        header.spec.operator = Operator::Uno;
        header.spec.layers = 0;
        header.spec.modes.clear();
        header.spec.levels = (0..32)
            .map(|i| Level {
                width: 1,
                modes: vec![modes],
                scale: vec![scale(i)],
            })
            .collect();
    }
}

/// A file with true lengths and hash around a header, with no tensor: no honest writer makes one.
fn sealed(header: &Header) -> Vec<u8> {
    let mut bytes = postcard::to_stdvec(header).expect("encodes");
    bytes.push(0);
    let length = (PREFIX_BYTES + bytes.len()).next_multiple_of(64) + HASH_BYTES;
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend((length as u64).to_le_bytes());
    file.extend(bytes);
    file.resize(length - HASH_BYTES, 0);
    let hash = blake3::hash(&file);
    file.extend(hash.as_bytes());
    file
}

/// Name, bytes, and whether it is the specification (or the task) that is refused.
fn files() -> Vec<(&'static str, Vec<u8>, bool)> {
    let wide = header(&[1 << 12, 1 << 12], vec![1, 1], |header| {
        header.spec.width = 2048;
    });
    let latitudes = header(&[1 << 23, 2], vec![2, 2], |header| {
        header.spec.operator = Operator::Sfno;
        header.task.domain = Domain::Sphere(Latitudes::Equiangular);
    });
    let steps = |i: usize| {
        if i.is_multiple_of(2) {
            8191.0 / 8192.0
        } else {
            8192.0 / 8191.0
        }
    };
    let mut lies = sealed(&header(&[8, 8], vec![1, 1], |_| {}));
    lies.truncate(64);
    lies[12..16].fill(0xff);
    lies[16..24].copy_from_slice(&64_u64.to_le_bytes());
    let sealed_header = |sizes: &[usize], modes, change: Box<dyn FnOnce(&mut Header)>| {
        sealed(&header(sizes, modes, change))
    };
    vec![
        (
            "modes-wrap.pno",
            sealed_header(&[8, 8, 8], vec![4096, 4096, 510], Box::new(|_| {})),
            true,
        ),
        (
            // Equal levels share one table, so this much is within the limits: it is refused for the tensors it lacks.
            "uno-32-levels.pno",
            sealed_header(&[4096], vec![], Box::new(uno(4096, |_| 1.0))),
            false,
        ),
        (
            "resize-8192.pno",
            sealed_header(&[8192], vec![], Box::new(uno(2, steps))),
            true,
        ),
        ("latitudes-2-23.pno", sealed(&latitudes), true),
        ("points-times-width.pno", sealed(&wide), true),
        ("header-lies.pno", lies, false),
    ]
}

#[test]
fn the_files_of_the_folder_are_these() {
    for (name, bytes, _) in files() {
        let path = folder().join(name);
        if std::env::var_os("PNO_WRITE_HOSTILE").is_some() {
            std::fs::write(&path, &bytes).expect("written");
        }
        let there = std::fs::read(&path).unwrap_or_default();
        assert!(
            there == bytes,
            "{name} is another: PNO_WRITE_HOSTILE=1 writes it"
        );
    }
}

#[test]
fn each_is_refused_for_what_it_asks() {
    for (name, bytes, by_specification) in files() {
        let error = Checkpoint::decode(&bytes).expect_err(name);
        let asked = matches!(error, CheckpointError::Spec(_) | CheckpointError::Task(_));
        assert_eq!(asked, by_specification, "{name}: {error}");
        assert!(error.to_string().len() < 500, "{name}: {error}");
    }
}
