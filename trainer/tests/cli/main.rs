//! The program from outside: what it writes, what it says, and how it ends.

mod bench;
mod case;
mod data;
mod ensembles;
mod exchange;
mod experiments;
mod flags;
mod forecast;
mod import;
mod init;
mod laplace;
mod lead;
mod masks;
mod methods;
mod refusals;
mod reproduce;
mod result;
mod resume;
mod score;
mod server;
#[path = "../../../shared/tests/skip/mod.rs"]
mod skip;
mod sources;
mod train;
mod xarray;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use pno::checkpoint::{Checkpoint, Precision};
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;

/// Frames of a case, and cells of a frame.
const FRAMES: usize = 40;
const CELLS: usize = 256;

/// A folder of its own for each test.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `pno` with these arguments, run in this folder.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pno"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("CLICOLOR_FORCE");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("pno starts")
    }

    /// Standard output of a run that must succeed.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "pno {arguments:?}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    /// The one sentence of a run that must fail with this exit code.
    fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "pno {arguments:?}: {message}"
        );
        assert!(!message.contains("panicked"), "{message}");
        if code == 1 {
            // How far it was is told before.
            let is_progress = |line: &&str| line.contains(" of ") && !line.starts_with("pno: ");
            let sentences = message.trim_end().lines().filter(|line| !is_progress(line));
            assert_eq!(sentences.count(), 1, "one sentence: {message}");
        }
        message
    }

    /// A data set of eight cases.
    fn tiny_data(&self) -> PathBuf {
        self.ok(&[
            "data",
            "generate",
            "ks",
            "--samples",
            "8",
            "--seed",
            "3",
            "--profile",
            "paper",
            "--out",
            "tiny.zarr",
        ]);
        self.path("tiny.zarr")
    }

    /// A small model that nobody trained.
    fn random_model(&self, method: Method) -> PathBuf {
        let path = self.path("random.pno");
        let bytes = random_checkpoint(method)
            .encode(Precision::F32)
            .expect("encoded");
        std::fs::write(&path, bytes).expect("written");
        path
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn random_checkpoint(method: Method) -> Checkpoint {
    let spec = ModelSpec {
        width: 4,
        lifting: 8,
        projection: 8,
        layers: 2,
        modes: vec![4, 6],
        ..ModelSpec::paper_fno(Experiment::Ks, method).expect("an FNO")
    };
    random_weights(spec, Task::ks())
}

/// A model that nobody trained.
fn random_weights(spec: ModelSpec, task: Task) -> Checkpoint {
    let tensors = spec.tensors();
    let weights = |(stream, length): (usize, usize)| {
        let uniforms = pno::noise::uniforms(1, stream as u64, length);
        uniforms.into_iter().map(|u| (u - 0.5) as f32).collect()
    };
    let tensors = tensors
        .iter()
        .map(pno::spec::TensorSpec::len)
        .enumerate()
        .map(weights)
        .collect();
    Checkpoint::new(spec, task, tensors)
}

/// All values of a float32 array of a Zarr folder, read without any code of ours.
fn zarr_values(folder: &Path, name: &str) -> Vec<f32> {
    let store = Arc::new(zarrs::filesystem::FilesystemStore::new(folder).expect("a store"));
    let array = zarrs::array::Array::open(store, &format!("/{name}")).expect("an array");
    array
        .retrieve_array_subset(&array.subset_all())
        .expect("values")
}

/// Shape and values of a little-endian float32 `.npy` file, by hand.
fn npy_values(path: &Path) -> (String, Vec<f32>) {
    let bytes = std::fs::read(path).expect("a file");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = text(&bytes[10..10 + length]);
    let shape = header.split(['(', ')']).nth(1).expect("a shape").to_owned();
    let values = bytes[10 + length..]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    (shape, values.collect())
}

/// Writes a float32 `.npy` file, by hand.
fn write_npy(path: &Path, shape: &str, values: &[f32]) {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    std::fs::write(path, bytes).expect("written");
}
