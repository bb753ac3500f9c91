//! Tests of the format. Hostile bytes at large are in `shared/tests/checkpoint_hostile.rs`.

use super::*;
use crate::spec::{Experiment, Method, Operator, Output, Profile};
use crate::task::{Axis, Coordinate, Domain, Mask, Normalisation, Quantity};

mod masks;
mod networks;
mod newest;
mod page;
mod posterior;
mod refusals;
mod spelling;
mod writing;

/// A tiny model with every kind of field filled in.
fn sample() -> Checkpoint {
    let axis = |name: &str, size| Axis::new(name, size, 0.5, 0.25, "m");
    let scale = |mean, std| Normalisation { mean, std };
    let spec = ModelSpec {
        experiment: Experiment::Ks,
        method: Method::PnoD,
        operator: Operator::Fno,
        profile: Profile::Fixed,
        in_channels: 3,
        out_channels: 1,
        width: 2,
        lifting: 3,
        projection: 3,
        layers: 1,
        modes: vec![2, 3],
        levels: vec![],
        dropout: 0.2,
        fourier_dropout: 0.1,
        networks: 1,
        output: Output::Increment,
        mlp: 0,
        noise: vec![],
        observed: None,
    };
    // Divisions round alike everywhere, and few of these values are f16 numbers.
    let mut values = (0..).map(|i| ((i * 37 % 101) as f32 - 50.0) / 97.0);
    let tensors = spec
        .tensors()
        .iter()
        .map(|t| values.by_ref().take(t.len()).collect())
        .collect();
    Checkpoint {
        header: Header {
            spec,
            task: Task {
                input: vec![axis("time", 4), axis("x", 300)],
                output: vec![axis("time", 4), axis("x", 300)],
                inputs: vec![Quantity::new("u", "m/s", scale(0.5, 2.6431))],
                outputs: vec![Quantity {
                    mask: Mask::new(&[300], |x| x % 100 == 9),
                    increment: Some(0.75),
                    ..Quantity::new("u", "m/s", scale(0.5, 2.6431))
                }],
                coordinates: vec![Coordinate::unit(1), Coordinate::unit(0)],
                domain: Domain::Flat,
            },
            provenance: Provenance {
                command: "pno train ks --method pno-d".into(),
                created: "2026-01-02".into(),
                version: "0.1.0".into(),
                data: "1000 trajectories".into(),
                seed: u64::MAX,
                epochs: 300,
                settings: vec![("train.batch".into(), "32".into())],
                note: "small, für Tests".into(),
            },
            scores: Some(Scores {
                members: 100,
                cases: 200,
                l2: 0.5,
                energy_score: 0.25,
                crps: 0.125,
                nll: -0.5,
                coverage: 0.93,
                interval_width: 1.5,
            }),
            calibration: Some(Calibration {
                coverage: 0.95,
                members: 100,
                cases: 40,
                data: "0123abcd valid".into(),
                channels: 1,
                factors: vec![1.25, 1.5],
            }),
            precision: Precision::F32,
        },
        tensors,
    }
}

/// A file around any header and data bytes, with true lengths and a true hash: what a lying writer would make.
fn sealed(header: &[u8], data: &[u8]) -> Vec<u8> {
    let start = layout::data_start(header.len());
    let mut out = limits::MAGIC.to_vec();
    out.extend(limits::VERSION.to_le_bytes());
    out.extend((header.len() as u32).to_le_bytes());
    out.extend(((start + data.len() + limits::HASH_BYTES) as u64).to_le_bytes());
    out.extend(header);
    out.resize(start, 0);
    out.extend(data);
    out.extend([0; limits::HASH_BYTES]);
    resealed(out)
}

/// The same file with the hash of what it holds now.
fn resealed(mut file: Vec<u8>) -> Vec<u8> {
    let end = file.len() - limits::HASH_BYTES;
    let hash = blake3::hash(&file[..end]);
    file[end..].copy_from_slice(hash.as_bytes());
    file
}
