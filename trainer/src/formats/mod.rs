//! File formats: what is in a file, as arrays with named axes. One file per format.
//!
//! | room | what is there |
//! |---|---|
//! | [`open`] | from a name to an open archive |
//! | [`netcdf`], [`hdf5`], [`npy`], [`grib`], [`zarr`] | one format each |
//! | [`cf`], [`packing`] | what the climate conventions say of times and of packed values |
//! | [`block`], [`file`] | blocks of arrays, bytes of files |
//! | [`identity()`] | whether a source is still the one that it was |
//! | [`budget`] | what reading may take, for the whole process |
//!
//! A format knows nothing of experiments: it lists variables and reads blocks of them. What a block means, and whether its values
//! can be used, is decided where it is used.

mod block;
pub mod budget;
pub mod cf;
mod file;
mod grib;
mod hdf5;
mod identity;
mod netcdf;
mod npy;
mod open;
mod packing;
pub mod zarr;

use std::ops::Range;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Map, Value};

pub use self::block::values_of;
pub use self::identity::identity;
pub use self::open::open;

/// One array of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Name of each axis; empty where the file names none.
    pub dimensions: Vec<String>,
    /// Size of each axis.
    pub shape: Vec<usize>,
    /// What the file says of it (`units`, `long_name`, …), without what only concerns the packing of its values.
    pub attributes: Map<String, Value>,
}

impl Variable {
    /// The unit, where the file names one.
    pub fn units(&self) -> Option<&str> {
        self.attributes.get("units").and_then(Value::as_str)
    }
}

/// An open file (or folder, or address) of named arrays.
pub trait Archive: Send + Sync {
    /// Where it is, for sentences.
    fn place(&self) -> &str;

    /// What is in it.
    fn variables(&self) -> &[Variable];

    /// The values of a block, row-major and decoded: packed values are scaled, missing ones are NaN.
    ///
    /// Reads no more of the file than the block needs (but whole chunks, where the format has them). Several threads may read.
    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>>;

    /// Entries of the first axis that are stored together, so that reading them together costs little more than reading one.
    fn rows_together(&self, variable: &Variable) -> usize {
        let _ = variable;
        1
    }
}

/// How to open.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where chunks from the network are kept; none are without it.
    pub cache: Option<PathBuf>,
}

#[cfg(test)]
mod tests;
