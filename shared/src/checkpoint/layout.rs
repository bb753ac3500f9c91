//! Where each tensor lies: computed from the specification, by the writer and by the reader.

use serde::Serialize;

use super::limits::{ALIGNMENT, PREFIX_BYTES};
use super::{CheckpointError, Header, Precision};
use crate::spec::{ModelSpec, TensorSpec};

/// One row of the tensor table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Entry {
    pub name: String,
    pub shape: Vec<usize>,
    /// From the start of the data, so that the table does not depend on the header's own length.
    pub offset: u64,
    pub length: u64,
}

impl Entry {
    /// Format of the values, which the length of a checked entry says.
    pub fn precision(&self) -> Precision {
        let values: u64 = self.shape.iter().map(|&n| n as u64).product();
        if self.length == values * Precision::F16.bytes() as u64 {
            Precision::F16
        } else {
            Precision::F32
        }
    }
}

/// The header as it is written; [`super::header`] reads it back in the same order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Wire {
    pub header: Header,
    pub table: Vec<Entry>,
}

/// Place of the first tensor in the file.
pub(super) fn data_start(header_bytes: usize) -> usize {
    (PREFIX_BYTES + header_bytes).next_multiple_of(ALIGNMENT)
}

/// The table of a validated specification: every tensor at the first aligned place after the one before.
pub(super) fn table(spec: &ModelSpec, precision: Precision) -> Vec<Entry> {
    let mut end = 0_usize;
    spec.stored_tensors()
        .into_iter()
        .map(|tensor| {
            let exact = tensor.is_exact();
            let precision = if exact { Precision::F32 } else { precision };
            let length = tensor.len() * precision.bytes();
            let offset = end.next_multiple_of(ALIGNMENT);
            end = offset + length;
            let TensorSpec { name, shape } = tensor;
            Entry {
                name,
                shape,
                offset: offset as u64,
                length: length as u64,
            }
        })
        .collect()
}

/// Bytes from the start of the first tensor to the end of the last.
pub(super) fn data_bytes(table: &[Entry]) -> u64 {
    table.last().map_or(0, |entry| entry.offset + entry.length)
}

/// Refuses a table that is not the one of the specification.
pub(super) fn check(found: &[Entry], wanted: &[Entry]) -> Result<(), CheckpointError> {
    if found.len() != wanted.len() {
        return Err(CheckpointError::TensorCount {
            found: found.len(),
            wanted: wanted.len(),
        });
    }
    let difference = |f: &Entry, w: &Entry| {
        if f.name != w.name {
            // Escaped and shortened: this text has passed no check.
            let name: String = f.name.chars().take(80).collect();
            Some(("name", format!("{name:?}"), format!("{:?}", w.name)))
        } else if f.shape != w.shape {
            let shape = &f.shape[..f.shape.len().min(8)];
            Some(("shape", format!("{shape:?}"), format!("{:?}", w.shape)))
        } else if f.offset != w.offset {
            Some(("offset", f.offset.to_string(), w.offset.to_string()))
        } else if f.length != w.length {
            Some(("length", f.length.to_string(), w.length.to_string()))
        } else {
            None
        }
    };
    for (index, (f, w)) in found.iter().zip(wanted).enumerate() {
        if let Some((field, found, wanted)) = difference(f, w) {
            return Err(CheckpointError::Table {
                index,
                tensor: w.name.clone(),
                field,
                found,
                wanted,
            });
        }
    }
    Ok(())
}
