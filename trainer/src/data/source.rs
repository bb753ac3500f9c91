//! Where cases come from: what every source says of its data set, and how it makes the rows of it.

use std::ops::Range;

use anyhow::Result;
use pno::spec::Experiment;
use serde_json::Value;

use super::Description;

/// Bytes of one chunk of one array, about: enough for the disk, little enough to share out among threads.
const CHUNK_BYTES: usize = 1 << 20;

/// Something that a data set can be made of: an equation, or files.
pub trait Source: Send + Sync {
    /// What the data set will hold.
    fn contents(&self) -> &Contents;

    /// Somebody who makes rows; every thread has its own.
    fn maker(&self) -> Result<Box<dyn Maker + '_>>;
}

/// Makes the rows of a data set, in any order, the same each time.
pub trait Maker: Send {
    /// The values of some rows, one vector `[row, …]` per array.
    fn rows(&mut self, rows: Range<usize>) -> Result<Vec<Vec<f32>>>;
}

/// Everything about a data set but its values.
#[derive(Debug, Clone)]
pub struct Contents {
    /// What it is for.
    pub experiment: Experiment,
    /// The task, and how a case is cut out of the arrays.
    pub description: Description,
    /// The arrays, one per quantity, in the order of [`Description::arrays`].
    pub arrays: Vec<Field>,
    /// Coordinates of the axes.
    pub coordinates: Vec<Line>,
    /// What the first axis counts.
    pub rows: Rows,
    /// Rows that are made together at no extra cost.
    pub rows_at_once: usize,
    /// Part of the data set (0 train, 1 valid, 2 test) of every case.
    pub shares: Vec<i8>,
    /// Where the scale of the network's units comes from.
    pub scales: Scales,
    /// Everything that decides the values: a half-made data set is only taken up by the same request.
    pub request: Value,
    /// What else the data set says of itself.
    pub attributes: Value,
}

/// What the first axis of the arrays counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// Every row is a case.
    Cases(usize),
    /// Every row is a time step of one long series; a case begins at each of these.
    Series {
        /// Number of time steps.
        steps: usize,
        /// First step of every case.
        starts: Vec<i32>,
    },
}

impl Rows {
    /// Number of rows.
    pub fn number(&self) -> usize {
        match self {
            Self::Cases(n) => *n,
            Self::Series { steps, .. } => *steps,
        }
    }

    /// Name of the axis.
    pub fn axis(&self) -> &'static str {
        match self {
            Self::Cases(_) => "case",
            Self::Series { .. } => "time",
        }
    }
}

/// Where the scale between physical and network units comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scales {
    /// The task says it already.
    Given,
    /// Mean and standard deviation over the training cases, in double precision.
    OfTraining,
}

/// An array of the data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name, that of its quantity.
    pub name: String,
    /// What it is.
    pub long_name: String,
    /// Unit; empty for model units.
    pub units: String,
    /// Name and size of each axis after the first.
    pub axes: Vec<(String, usize)>,
}

impl Field {
    /// Values of a row.
    pub fn row_len(&self) -> usize {
        self.axes.iter().map(|(_, size)| size).product()
    }
}

/// The coordinate of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name of the axis.
    pub name: String,
    /// What it is.
    pub long_name: String,
    /// Unit as xarray understands it; `1` for model units.
    pub units: String,
    /// The values.
    pub values: Vec<f64>,
}

impl Line {
    /// A coordinate from its parts.
    pub fn new(name: &str, long_name: &str, units: &str, values: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            long_name: long_name.into(),
            units: units.into(),
            values,
        }
    }
}

impl Contents {
    /// Rows per chunk: a multiple of what is made at once.
    pub fn rows_per_chunk(&self) -> usize {
        let largest = self.arrays.iter().map(Field::row_len).max().unwrap_or(1);
        let fit = CHUNK_BYTES / (largest * size_of::<f32>()).max(1);
        let at_once = self.rows_at_once.max(1);
        (fit / at_once * at_once).clamp(at_once, at_once.max(64))
    }
}
