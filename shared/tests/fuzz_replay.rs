//! The corpus of the fuzzer through the decoder of checkpoints: what once brought it down never does again.
#![allow(missing_docs)]

#[path = "../../fuzz/targets/checkpoint.rs"]
mod checkpoint;
#[path = "../../fuzz/src/memory.rs"]
mod memory;
#[path = "../../fuzz/targets/plan.rs"]
mod plan;
#[path = "../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../fuzz/targets/specification.rs"]
mod specification;

use std::fs;
use std::path::{Path, PathBuf};

use pno::checkpoint::limits::{HASH_BYTES, PREFIX_BYTES, VERSION};
use pno::checkpoint::{Checkpoint, Header, Precision, Provenance};
use pno::ensemble::conformal::Calibration;
use pno::observation::Observation;
use pno::score::Scores;
use pno::spec::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain, Mask, Normalisation, Quantity, Task};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

#[test]
fn checkpoints() {
    replay::replay("checkpoint", checkpoint::target);
}

#[test]
fn specifications() {
    replay::replay("specification", specification::target);
}

/// Otherwise a new version of the format would be fuzzed with files of the old one, which are refused at once.
#[test]
fn the_corpus_has_whole_files_of_the_newest_version() {
    let whole = |path: &PathBuf| {
        let bytes = fs::read(path).expect("an input");
        let file = bytes.strip_prefix(b"f").unwrap_or_default();
        Checkpoint::version(file) == VERSION && Checkpoint::decode(file).is_ok()
    };
    let count = replay::inputs("checkpoint")
        .iter()
        .filter(|path| whole(path))
        .count();
    assert!(
        count >= 3,
        "{count} files of version {VERSION}: run the ignored test seeds_of_the_newest_version"
    );
}

/// Writes small files of the newest version into the corpus, in each of the ways in which the target takes them.
#[test]
#[ignore = "writes into fuzz/corpus"]
fn seeds_of_the_newest_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/checkpoint");
    for (name, model, precision) in models() {
        let file = model.encode(precision).expect("a small model");
        let header = &file[PREFIX_BYTES..]
            [..u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize];
        let alone = postcard::to_stdvec(&Header {
            precision,
            ..model.header
        })
        .expect("a header");
        assert!(header.starts_with(&alone) && file.len() > HASH_BYTES);
        let seeds: [(&str, u8, &[u8]); 4] = [
            ("file", b'f', &file),
            ("sealed", b's', &file),
            ("header", b'h', header),
            ("spec", b't', &alone),
        ];
        for (kind, first, bytes) in seeds {
            let path = folder.join(format!("v{VERSION}-{name}-{kind}"));
            fs::write(path, [&[first], bytes].concat()).expect("a seed");
        }
    }
}

/// One small model of every operator, with everything that a header can have.
fn models() -> Vec<(&'static str, Checkpoint, Precision)> {
    let axis = |name: &str, size| Axis::new(name, size, 0.0, 1.0, "m");
    let scale = Normalisation {
        mean: 1.0,
        std: 2.0,
    };
    let quantity = Quantity {
        increment: Some(0.5),
        ..Quantity::new("u", "K", scale)
    };
    let task = |sizes: [usize; 2], domain| Task {
        input: vec![axis("t", sizes[0]), axis("x", sizes[1])],
        output: vec![axis("t", sizes[0]), axis("x", sizes[1])],
        inputs: vec![quantity.clone()],
        outputs: vec![quantity.clone()],
        coordinates: vec![Coordinate::unit(1)],
        domain,
    };
    let spec = ModelSpec {
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
        modes: vec![2, 2],
        levels: vec![],
        dropout: 0.2,
        fourier_dropout: 0.1,
        networks: 1,
        output: Output::Increment,
        mlp: 2,
        noise: vec![],
        observed: None,
    };
    let level = |scale| Level {
        width: 1,
        modes: vec![2, 2],
        scale: vec![scale; 2],
    };
    let uno = ModelSpec {
        operator: Operator::Uno,
        method: Method::PnoR,
        layers: 0,
        modes: vec![],
        levels: vec![level(0.5), level(2.0)],
        ..spec.clone()
    };
    let sfno = ModelSpec {
        operator: Operator::Sfno,
        method: Method::Laplace,
        ..spec.clone()
    };
    let many = ModelSpec {
        method: Method::Ensemble,
        networks: 2,
        ..spec.clone()
    };
    let noisy = ModelSpec {
        method: Method::PnoF,
        noise: vec![1.5, 3.0],
        observed: Some(Observation {
            noise: 0.3,
            every: 2,
        }),
        ..spec.clone()
    };
    let sphere = Domain::Sphere(Latitudes::Gauss);
    [
        ("noise", noisy, task([6, 5], Domain::Flat), Precision::F16),
        ("fno", spec, task([8, 8], Domain::Flat), Precision::F32),
        ("uno", uno, task([8, 6], Domain::Flat), Precision::F16),
        ("sfno", sfno, task([4, 8], sphere), Precision::F16),
        ("ensemble", many, task([5, 7], Domain::Flat), Precision::F32),
    ]
    .into_iter()
    .map(|(name, spec, task, precision)| {
        let tensors = spec
            .tensors()
            .iter()
            .map(|t| vec![0.5; t.len() * spec.networks])
            .collect();
        let mut model = Checkpoint::new(spec, task, tensors);
        model.header.provenance = Provenance {
            command: "pno train".into(),
            settings: vec![("k".into(), "v".into())],
            ..Provenance::default()
        };
        if name == "fno" {
            add_the_rest(&mut model);
        }
        (name, model, precision)
    })
    .collect()
}

/// What a header may have and need not.
fn add_the_rest(model: &mut Checkpoint) {
    model.header.task.outputs[0].mask = Mask::new(&[8], |x| x == 3);
    model.header.calibration = Some(Calibration {
        coverage: 0.9,
        members: 5,
        cases: 9,
        data: "d".into(),
        channels: 1,
        factors: vec![1.5],
    });
    model.header.scores = Some(Scores {
        members: 2,
        cases: 3,
        l2: 0.1,
        energy_score: 0.2,
        crps: 0.3,
        nll: 0.4,
        coverage: 0.5,
        interval_width: 0.6,
    });
}
