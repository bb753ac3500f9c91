//! Folders written by xarray and zarr-python, from a disk and from a server with faults.

#![expect(
    clippy::single_range_in_vec_init,
    reason = "a block has one range for each axis"
)]

mod faults;
mod local;
mod server;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::*;

/// Steps, latitudes and longitudes of the fixtures.
const SHAPE: [usize; 3] = [10, 9, 16];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/zarr")
        .join(name)
}

fn open_fixture(name: &str) -> Box<dyn Archive> {
    open_folder(&fixture(name))
}

fn open_folder(folder: &Path) -> Box<dyn Archive> {
    open(&folder.to_string_lossy(), &Options::default()).expect("opens")
}

fn variable<'a>(zarr: &'a dyn Archive, name: &str) -> &'a Variable {
    let mut all = zarr.variables().iter();
    all.find(|v| v.name == name).expect("is there")
}

fn read(zarr: &dyn Archive, name: &str, block: &[Range<usize>]) -> Vec<f64> {
    zarr.read(variable(zarr, name), block).expect("reads")
}

/// What `make.py` wrote.
fn wave(block: &[Range<usize>]) -> Vec<f64> {
    let mut all = Vec::new();
    for t in block[0].clone() {
        for y in block[1].clone() {
            for x in block[2].clone() {
                all.push(250.0 + t as f64 + y as f64 / 4.0 + x as f64 / 64.0);
            }
        }
    }
    all
}

/// The same numbers, NaN equal to NaN.
fn assert_same(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (i, (a, b)) in found.iter().zip(wanted).enumerate() {
        assert!(
            a == b || a.is_nan() && b.is_nan(),
            "value {i}: {a}, but {b} is wanted"
        );
    }
}

/// A copy of a fixture that a test may damage.
fn copied(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&fixture(name), folder.path()).expect("copies");
    folder
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
