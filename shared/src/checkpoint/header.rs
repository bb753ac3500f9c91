//! Reads the header part by part.
//!
//! postcard could read it in one call, but would then allocate whatever counts the bytes claim (up to seventy times
//! the header), and its errors name no place. Here each part is read from a window of its own limit, and every count
//! is compared with its limit before anything is allocated.

use serde::de::DeserializeOwned;

use super::layout::{self, Entry, Wire};
use super::limits::{
    MAX_CALIBRATION_BYTES, MAX_ENTRY_BYTES, MAX_MASK_BYTES, MAX_MASKS_BYTES, MAX_NAME_BYTES,
    MAX_SETTING_BYTES, MAX_SETTINGS, MAX_SHAPE, MAX_SPEC_BYTES, MAX_TASK_BYTES, MAX_TEXT_BYTES,
    VERSION,
};
use super::{CheckpointError, Header, Precision, Provenance, canonical, check};
use crate::ensemble::conformal::{Calibration, MAX_DATA_BYTES, MAX_FACTORS};
use crate::score::Scores;
use crate::spec::{Level, MAX_DIMENSIONS, MAX_LEVELS, MAX_NOISE, ModelSpec, Output};
use crate::task::{MAX_QUANTITIES, Mask, Quantity, Task};

/// The version in which there was neither a calibration nor a number of networks.
const WITHOUT_CALIBRATION: u32 = 2;

/// The last version in which fields had no mask.
const WITHOUT_MASKS: u32 = 3;

/// The last version whose networks gave fields alone, had no residual blocks and took no noise.
const WITHOUT_INCREMENTS: u32 = 4;

/// The last version whose networks took every input for exact.
const WITHOUT_OBSERVATION: u32 = 5;

/// Room for numbers and enums, far above their longest encoding.
const NUMBERS: usize = 128;

/// The header and the table, both checked against the specification.
pub(super) fn read(bytes: &[u8], version: u32) -> Result<Wire, CheckpointError> {
    let mut parts = Parts {
        rest: bytes,
        version,
    };
    let spec = parts.window(MAX_SPEC_BYTES, spec)?;
    // First, because the shape of everything else follows from it.
    spec.validate().map_err(CheckpointError::Spec)?;
    let task = parts.window(MAX_TASK_BYTES + MAX_MASKS_BYTES, task)?;
    let provenance = provenance(&mut parts)?;
    let scores: Option<Scores> = parts.next("scores", NUMBERS)?;
    let calibration = parts.window(MAX_CALIBRATION_BYTES, calibration)?;
    let precision: Precision = parts.next("precision", NUMBERS)?;
    let header = Header {
        spec,
        task,
        provenance,
        scores,
        calibration,
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
    let wire = Wire { header, table };
    // Older versions are spelt in another way, which nobody writes any more.
    if version == VERSION {
        canonical::check(bytes, &wire)?;
    }
    Ok(wire)
}

fn spec(parts: &mut Parts<'_>) -> Result<ModelSpec, CheckpointError> {
    let name = "spec";
    Ok(ModelSpec {
        experiment: parts.next(name, NUMBERS)?,
        method: parts.next(name, NUMBERS)?,
        operator: parts.next(name, NUMBERS)?,
        profile: parts.next(name, NUMBERS)?,
        in_channels: parts.next(name, NUMBERS)?,
        out_channels: parts.next(name, NUMBERS)?,
        width: parts.next(name, NUMBERS)?,
        lifting: parts.next(name, NUMBERS)?,
        projection: parts.next(name, NUMBERS)?,
        layers: parts.next(name, NUMBERS)?,
        modes: parts.numbers("modes", MAX_DIMENSIONS)?,
        levels: parts.list("levels", MAX_LEVELS, |p| {
            Ok(Level {
                width: p.next(name, NUMBERS)?,
                modes: p.numbers("modes of a level", MAX_DIMENSIONS)?,
                scale: p.numbers("scale of a level", MAX_DIMENSIONS)?,
            })
        })?,
        dropout: parts.next(name, NUMBERS)?,
        fourier_dropout: parts.next(name, NUMBERS)?,
        networks: match parts.version {
            WITHOUT_CALIBRATION => 1,
            _ => parts.next(name, NUMBERS)?,
        },
        output: match parts.version {
            ..=WITHOUT_INCREMENTS => Output::Field,
            _ => parts.next(name, NUMBERS)?,
        },
        mlp: match parts.version {
            ..=WITHOUT_INCREMENTS => 0,
            _ => parts.next(name, NUMBERS)?,
        },
        noise: match parts.version {
            ..=WITHOUT_INCREMENTS => vec![],
            _ => parts.numbers("channels of functional noise", MAX_NOISE)?,
        },
        observed: match parts.version {
            ..=WITHOUT_OBSERVATION => None,
            _ => parts.next(name, NUMBERS)?,
        },
    })
}

fn task(parts: &mut Parts<'_>) -> Result<Task, CheckpointError> {
    let axis = |p: &mut Parts<'_>| p.next("task", 2 * (NUMBERS + 2 * MAX_NAME_BYTES));
    Ok(Task {
        input: parts.list("axes of the input", MAX_DIMENSIONS, axis)?,
        output: parts.list("axes of the output", MAX_DIMENSIONS, axis)?,
        inputs: parts.list("input fields", MAX_QUANTITIES, quantity)?,
        outputs: parts.list("output fields", MAX_QUANTITIES, quantity)?,
        coordinates: parts.list("coordinates", MAX_QUANTITIES, |p| p.next("task", NUMBERS))?,
        domain: parts.next("task", NUMBERS)?,
    })
}

fn quantity(parts: &mut Parts<'_>) -> Result<Quantity, CheckpointError> {
    Ok(Quantity {
        name: parts.text("task", MAX_NAME_BYTES)?,
        unit: parts.text("task", MAX_NAME_BYTES)?,
        normalisation: parts.next("task", NUMBERS)?,
        mask: mask(parts)?,
        increment: match parts.version {
            ..=WITHOUT_INCREMENTS => None,
            _ => parts.next("task", NUMBERS)?,
        },
    })
}

fn mask(parts: &mut Parts<'_>) -> Result<Option<Mask>, CheckpointError> {
    let name = "mask";
    if parts.version <= WITHOUT_MASKS || !parts.next::<bool>(name, NUMBERS)? {
        return Ok(None);
    }
    let sizes = parts.numbers("axes of a mask", MAX_DIMENSIONS)?;
    let bytes = parts.count("bytes of a mask", MAX_MASK_BYTES)?;
    Ok(Some(Mask::from_parts(sizes, parts.bytes(name, bytes)?)))
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
        settings: parts.list("settings", MAX_SETTINGS, |p| {
            let key = p.text("settings", MAX_SETTING_BYTES)?;
            Ok((key, p.text("settings", MAX_SETTING_BYTES)?))
        })?,
        note: parts.text(name, MAX_TEXT_BYTES)?,
    })
}

fn calibration(parts: &mut Parts<'_>) -> Result<Option<Calibration>, CheckpointError> {
    let name = "calibration";
    if parts.version == WITHOUT_CALIBRATION || !parts.next::<bool>(name, NUMBERS)? {
        return Ok(None);
    }
    Ok(Some(Calibration {
        coverage: parts.next(name, NUMBERS)?,
        members: parts.next(name, NUMBERS)?,
        cases: parts.next(name, NUMBERS)?,
        data: parts.text(name, MAX_DATA_BYTES)?,
        channels: parts.next(name, NUMBERS)?,
        factors: parts.numbers("factors", MAX_FACTORS)?,
    }))
}

fn entry(parts: &mut Parts<'_>) -> Result<Entry, CheckpointError> {
    Ok(Entry {
        name: parts.text("tensors", MAX_ENTRY_BYTES)?,
        shape: parts.numbers("the shape of a tensor", MAX_SHAPE)?,
        offset: parts.next("tensors", NUMBERS)?,
        length: parts.next("tensors", NUMBERS)?,
    })
}

/// What is left of the header.
struct Parts<'a> {
    version: u32,
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

    /// Several values that together take at most `most` bytes.
    fn window<T>(
        &mut self,
        most: usize,
        read: impl FnOnce(&mut Parts<'_>) -> Result<T, CheckpointError>,
    ) -> Result<T, CheckpointError> {
        let length = self.rest.len().min(most);
        let mut window = Parts {
            version: self.version,
            rest: &self.rest[..length],
        };
        let value = read(&mut window)?;
        let unread = window.rest.len();
        self.rest = &self.rest[length - unread..];
        Ok(value)
    }

    /// A text; one slightly too long is read, so that [`check`] can say which it is.
    fn text(&mut self, part: &'static str, most: usize) -> Result<String, CheckpointError> {
        self.next(part, 2 * most)
    }

    /// So many bytes as they are.
    fn bytes(&mut self, part: &'static str, count: usize) -> Result<Vec<u8>, CheckpointError> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or({
            CheckpointError::Header {
                part,
                reason: postcard::Error::DeserializeUnexpectedEnd,
            }
        })?;
        self.rest = rest;
        Ok(bytes.to_vec())
    }

    /// The number of elements of a list.
    fn count(&mut self, list: &'static str, most: usize) -> Result<usize, CheckpointError> {
        let found = self.next(list, NUMBERS)?;
        if found > most {
            return Err(CheckpointError::Count { list, found, most });
        }
        Ok(found)
    }

    /// A list of at most `most` values.
    fn list<T>(
        &mut self,
        list: &'static str,
        most: usize,
        read: impl Fn(&mut Self) -> Result<T, CheckpointError>,
    ) -> Result<Vec<T>, CheckpointError> {
        let count = self.count(list, most)?;
        self.several(count, read)
    }

    /// A list of at most `most` numbers.
    fn numbers<T: DeserializeOwned>(
        &mut self,
        list: &'static str,
        most: usize,
    ) -> Result<Vec<T>, CheckpointError> {
        self.list(list, most, |p| p.next(list, NUMBERS))
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
