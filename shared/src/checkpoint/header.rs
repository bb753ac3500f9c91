//! Reads the header part by part.
//!
//! postcard could read it in one call, but would then allocate whatever counts the bytes claim (up to seventy times
//! the header), and its errors name no place. Here each part is read from a window of its own limit, and every count
//! is compared with its limit before anything is allocated.

use serde::de::DeserializeOwned;

use super::layout::{self, Entry, Wire};
use super::limits::{
    MAX_ENTRY_BYTES, MAX_SETTING_BYTES, MAX_SETTINGS, MAX_SHAPE, MAX_SPEC_BYTES, MAX_TASK_BYTES,
    MAX_TEXT_BYTES,
};
use super::{CheckpointError, Header, Precision, Provenance, check};
use crate::score::Scores;
use crate::spec::ModelSpec;
use crate::task::Task;

/// Room for numbers and enums, far above their longest encoding.
const NUMBERS: usize = 128;

/// The header and the table, both checked against the specification.
pub(super) fn read(bytes: &[u8]) -> Result<Wire, CheckpointError> {
    let mut parts = Parts { rest: bytes };
    let spec: ModelSpec = parts.next("spec", MAX_SPEC_BYTES)?;
    // First, because the shape of everything else follows from it.
    spec.validate().map_err(CheckpointError::Spec)?;
    let task: Task = parts.next("task", MAX_TASK_BYTES)?;
    let provenance = provenance(&mut parts)?;
    let scores: Option<Scores> = parts.next("scores", NUMBERS)?;
    let precision: Precision = parts.next("precision", NUMBERS)?;
    let header = Header {
        spec,
        task,
        provenance,
        scores,
        precision,
    };
    check::header(&header)?;

    let wanted = layout::table(&header.spec, precision);
    let found = parts.next("tensors", NUMBERS)?;
    if found != wanted.len() {
        return Err(CheckpointError::TensorCount {
            found,
            wanted: wanted.len(),
        });
    }
    let table = parts.several(found, entry)?;
    layout::check(&table, &wanted)?;
    if !parts.rest.is_empty() {
        return Err(CheckpointError::HeaderTrailing {
            unused: parts.rest.len(),
        });
    }
    Ok(Wire { header, table })
}

fn provenance(parts: &mut Parts<'_>) -> Result<Provenance, CheckpointError> {
    let name = "provenance";
    Ok(Provenance {
        command: parts.text(name, MAX_TEXT_BYTES)?,
        created: parts.text(name, MAX_TEXT_BYTES)?,
        version: parts.text(name, MAX_TEXT_BYTES)?,
        data: parts.text(name, MAX_TEXT_BYTES)?,
        seed: parts.next(name, NUMBERS)?,
        epochs: parts.next(name, NUMBERS)?,
        settings: {
            let count = parts.count("settings", MAX_SETTINGS)?;
            parts.several(count, |p| {
                let key = p.text("settings", MAX_SETTING_BYTES)?;
                Ok((key, p.text("settings", MAX_SETTING_BYTES)?))
            })?
        },
        note: parts.text(name, MAX_TEXT_BYTES)?,
    })
}

fn entry(parts: &mut Parts<'_>) -> Result<Entry, CheckpointError> {
    Ok(Entry {
        name: parts.text("tensors", MAX_ENTRY_BYTES)?,
        shape: {
            let axes = parts.count("the shape of a tensor", MAX_SHAPE)?;
            parts.several(axes, |p| p.next("tensors", NUMBERS))?
        },
        offset: parts.next("tensors", NUMBERS)?,
        length: parts.next("tensors", NUMBERS)?,
    })
}

/// What is left of the header.
struct Parts<'a> {
    rest: &'a [u8],
}

impl Parts<'_> {
    /// One value that takes at most `most` bytes.
    fn next<T: DeserializeOwned>(
        &mut self,
        part: &'static str,
        most: usize,
    ) -> Result<T, CheckpointError> {
        let window = &self.rest[..self.rest.len().min(most)];
        let (value, after) = postcard::take_from_bytes(window)
            .map_err(|reason| CheckpointError::Header { part, reason })?;
        self.rest = &self.rest[window.len() - after.len()..];
        Ok(value)
    }

    /// A text; one slightly too long is read, so that [`check`] can say which it is.
    fn text(&mut self, part: &'static str, most: usize) -> Result<String, CheckpointError> {
        self.next(part, 2 * most)
    }

    /// The number of elements of a list.
    fn count(&mut self, list: &'static str, most: usize) -> Result<usize, CheckpointError> {
        let found = self.next(list, NUMBERS)?;
        if found > most {
            return Err(CheckpointError::Count { list, found, most });
        }
        Ok(found)
    }

    /// `count` values, one after the other.
    fn several<T>(
        &mut self,
        count: usize,
        read: impl Fn(&mut Self) -> Result<T, CheckpointError>,
    ) -> Result<Vec<T>, CheckpointError> {
        (0..count).map(|_| read(self)).collect()
    }
}
