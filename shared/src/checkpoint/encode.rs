//! From a checkpoint to the bytes of a file.

use half::f16;

use super::limits::{HASH_BYTES, MAGIC, MAX_HEADER_BYTES, PREFIX_BYTES, VERSION};
use super::{Checkpoint, CheckpointError, Header, Precision, check, layout};

/// The whole file.
pub(super) fn file(
    checkpoint: &Checkpoint,
    precision: Precision,
) -> Result<Vec<u8>, CheckpointError> {
    let header = Header {
        precision,
        ..checkpoint.header.clone()
    };
    check::header(&header)?;
    let table = layout::table(&header.spec, precision);
    if checkpoint.tensors.len() != table.len() {
        return Err(CheckpointError::TensorCount {
            found: checkpoint.tensors.len(),
            wanted: table.len(),
        });
    }

    let wire = layout::Wire { header, table };
    let header = postcard::to_stdvec(&wire).map_err(|reason| CheckpointError::Header {
        part: "all",
        reason,
    })?;
    // The limits of the parts add up to less, but no reader would take what is longer.
    if header.len() > MAX_HEADER_BYTES {
        return Err(CheckpointError::HeaderLength {
            found: header.len() as u64,
            limit: MAX_HEADER_BYTES as u64,
        });
    }

    let start = layout::data_start(header.len());
    let length = start + layout::data_bytes(&wire.table) as usize + HASH_BYTES;
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&(header.len() as u32).to_le_bytes());
    out.extend_from_slice(&(length as u64).to_le_bytes());
    debug_assert_eq!(out.len(), PREFIX_BYTES);
    out.extend_from_slice(&header);
    for (entry, values) in wire.table.iter().zip(&checkpoint.tensors) {
        out.resize(start + entry.offset as usize, 0);
        let wanted = entry.length as usize / entry.precision().bytes();
        if values.len() != wanted {
            return Err(CheckpointError::TensorLength {
                tensor: entry.name.clone(),
                found: values.len(),
                wanted,
            });
        }
        weights(&mut out, &entry.name, values, entry.precision())?;
    }
    let hash = blake3::hash(&out);
    out.extend_from_slice(hash.as_bytes());
    debug_assert_eq!(out.len(), length);
    Ok(out)
}

/// Appends the values of one tensor.
fn weights(
    out: &mut Vec<u8>,
    tensor: &str,
    values: &[f32],
    precision: Precision,
) -> Result<(), CheckpointError> {
    for (index, &value) in values.iter().enumerate() {
        if !value.is_finite() {
            return Err(CheckpointError::NotFinite {
                tensor: tensor.to_owned(),
                index,
                value,
            });
        }
        match precision {
            Precision::F32 => out.extend_from_slice(&value.to_le_bytes()),
            Precision::F16 => {
                let short = f16::from_f32(value);
                if short.is_infinite() {
                    return Err(CheckpointError::Overflow {
                        tensor: tensor.to_owned(),
                        index,
                        value,
                    });
                }
                out.extend_from_slice(&short.to_le_bytes());
            }
        }
    }
    Ok(())
}
