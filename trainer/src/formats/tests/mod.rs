//! Readers against files of the usual writers. `tests/fixtures/formats/make.py` wrote them; the formulas of values are repeated here.

mod allocator;
mod damage;
mod damaged_data;
mod grib;
mod hdf5;
mod hostile;
mod large;
mod netcdf;
mod npy;
mod open;
mod real;

use std::ops::Range;
use std::path::PathBuf;

use super::*;

/// Sizes of the three-dimensional arrays of NetCDF.
const SHAPE: [usize; 3] = [12, 9, 10];

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/formats"
    ))
    .join(name)
}

fn archive(name: &str) -> Box<dyn Archive> {
    let path = path(name);
    open(&path.to_string_lossy(), &Options::default()).unwrap_or_else(|e| panic!("{name}: {e:#}"))
}

fn variable(archive: &dyn Archive, name: &str) -> Variable {
    let found = archive
        .variables()
        .iter()
        .find(|variable| variable.name == name);
    let names: Vec<&str> = archive
        .variables()
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    found
        .unwrap_or_else(|| panic!("no {name} among {names:?}"))
        .clone()
}

fn all(archive: &dyn Archive, name: &str) -> Vec<f64> {
    let variable = variable(archive, name);
    let block: Vec<Range<usize>> = variable.shape.iter().map(|&size| 0..size).collect();
    archive
        .read(&variable, &block)
        .unwrap_or_else(|e| panic!("{name}: {e:#}"))
}

/// Every value of a block from a formula of its indices.
fn wanted(block: &[Range<usize>], value: impl Fn(&[usize]) -> f64) -> Vec<f64> {
    let mut indices = vec![Vec::new()];
    for range in block {
        indices = indices
            .into_iter()
            .flat_map(|index: Vec<usize>| {
                range
                    .clone()
                    .map(move |i| [index.as_slice(), &[i]].concat())
            })
            .collect();
    }
    indices.iter().map(|index| value(index)).collect()
}

/// Equal to the last bit, where missing values are equal to each other.
fn assert_same(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let same = found == wanted || found.is_nan() && wanted.is_nan();
        assert!(
            same,
            "{what}: value {at} is {found}, but {wanted} is wanted"
        );
    }
}

/// Blocks of several shapes against a formula, the whole array among them.
fn assert_blocks(archive: &dyn Archive, name: &str, value: impl Fn(&[usize]) -> f64) {
    let variable = variable(archive, name);
    let whole: Vec<Range<usize>> = variable.shape.iter().map(|&size| 0..size).collect();
    let middle = variable
        .shape
        .iter()
        .map(|&size| size / 3..size.div_ceil(2) + 1);
    let one = variable.shape.iter().map(|&size| size - 1..size);
    let none = variable.shape.iter().map(|_| 1..1);
    let mut blocks = vec![
        whole.clone(),
        middle.collect(),
        one.collect(),
        none.collect(),
    ];
    for axis in 0..whole.len() {
        let mut block = whole.clone();
        block[axis] = 1..2;
        blocks.push(block);
    }
    for block in blocks {
        let block: Vec<Range<usize>> = block
            .iter()
            .zip(&variable.shape)
            .map(|(range, &size)| range.start.min(size)..range.end.min(size))
            .collect();
        let found = archive
            .read(&variable, &block)
            .unwrap_or_else(|e| panic!("{e:#}"));
        assert_same(
            &found,
            &wanted(&block, &value),
            &format!("{name} {block:?}"),
        );
    }
}

fn attribute(variable: &Variable, name: &str) -> Value {
    variable.attributes.get(name).cloned().unwrap_or_default()
}
