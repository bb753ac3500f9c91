//! From the bytes of a file to a checkpoint, believing nothing.

use half::f16;

use super::limits::{HASH_BYTES, MAGIC, MAX_HEADER_BYTES, OLDEST_VERSION, PREFIX_BYTES, VERSION};
use super::{Checkpoint, CheckpointError, Header, Precision, header, layout};

/// Version and lengths that the first bytes of a file claim.
struct Prefix {
    version: u32,
    header_bytes: usize,
    file_bytes: u64,
}

/// The whole file.
pub(super) fn checkpoint(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let prefix = prefix(bytes)?;
    lengths(bytes, &prefix)?;
    let contents = hashed_contents(bytes)?;
    let layout::Wire { header, table } = wire(contents, &prefix)?;

    let start = layout::data_start(prefix.header_bytes);
    let end = start as u64 + layout::data_bytes(&table);
    let (found, wanted) = (bytes.len() as u64, end + HASH_BYTES as u64);
    if found < wanted {
        return Err(CheckpointError::Truncated { found, wanted });
    }
    if found > wanted {
        return Err(CheckpointError::TrailingBytes { found, wanted });
    }

    let mut place = PREFIX_BYTES + prefix.header_bytes;
    let mut tensors = Vec::with_capacity(table.len());
    for entry in &table {
        let first = start + entry.offset as usize;
        zeros(contents, place, first)?;
        place = first + entry.length as usize;
        tensors.push(weights(
            &entry.name,
            &contents[first..place],
            entry.precision(),
        )?);
    }
    Ok(Checkpoint { header, tensors })
}

/// The header of a file or of the beginning of one.
pub(super) fn header_alone(bytes: &[u8]) -> Result<Header, CheckpointError> {
    let prefix = prefix(bytes)?;
    let wanted = PREFIX_BYTES + prefix.header_bytes;
    if bytes.len() < wanted {
        return Err(truncated(bytes, wanted));
    }
    Ok(wire(bytes, &prefix)?.header)
}

fn truncated(bytes: &[u8], wanted: usize) -> CheckpointError {
    CheckpointError::Truncated {
        found: bytes.len() as u64,
        wanted: wanted as u64,
    }
}

/// Magic, version and a header length under its limit.
fn prefix(bytes: &[u8]) -> Result<Prefix, CheckpointError> {
    let first = &bytes[..bytes.len().min(MAGIC.len())];
    // A short file of another kind is more likely than a very short `.pno`, so the magic is compared as far as it goes.
    if !MAGIC.starts_with(first) {
        return Err(CheckpointError::Magic {
            found: first.to_vec(),
        });
    }
    let Some(bytes) = bytes.first_chunk::<PREFIX_BYTES>() else {
        return Err(truncated(bytes, PREFIX_BYTES + HASH_BYTES));
    };
    let u32_at =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let version = u32_at(8);
    if !(OLDEST_VERSION..=VERSION).contains(&version) {
        return Err(CheckpointError::Version { found: version });
    }
    let header_bytes = u32_at(12);
    if header_bytes as usize > MAX_HEADER_BYTES {
        return Err(CheckpointError::HeaderLength {
            found: u64::from(header_bytes),
            limit: MAX_HEADER_BYTES as u64,
        });
    }
    Ok(Prefix {
        version,
        header_bytes: header_bytes as usize,
        file_bytes: u64::from(u32_at(16)) | u64::from(u32_at(20)) << 32,
    })
}

/// The file is as long as it says, and has room for its header and hash.
fn lengths(bytes: &[u8], prefix: &Prefix) -> Result<(), CheckpointError> {
    let (found, wanted) = (bytes.len() as u64, prefix.file_bytes);
    if found < wanted {
        return Err(CheckpointError::Truncated { found, wanted });
    }
    if found > wanted {
        return Err(CheckpointError::TrailingBytes { found, wanted });
    }
    let Some(room) = bytes.len().checked_sub(PREFIX_BYTES + HASH_BYTES) else {
        return Err(truncated(bytes, PREFIX_BYTES + HASH_BYTES));
    };
    if prefix.header_bytes > room {
        return Err(CheckpointError::HeaderLength {
            found: prefix.header_bytes as u64,
            limit: room as u64,
        });
    }
    Ok(())
}

/// Everything before the hash, if it is what was written.
fn hashed_contents(bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    let Some((contents, written)) = bytes.split_last_chunk::<HASH_BYTES>() else {
        return Err(truncated(bytes, PREFIX_BYTES + HASH_BYTES));
    };
    let (found, wanted) = (blake3::hash(contents), blake3::Hash::from_bytes(*written));
    if found != wanted {
        // Sixteen digits are enough to compare by eye.
        let short = |hash: blake3::Hash| hash.to_hex()[..16].to_owned();
        return Err(CheckpointError::Hash {
            found: short(found),
            wanted: short(wanted),
        });
    }
    Ok(contents)
}

/// Header and table, both checked. `bytes` has at least the prefix and the header.
fn wire(bytes: &[u8], prefix: &Prefix) -> Result<layout::Wire, CheckpointError> {
    let header = &bytes[PREFIX_BYTES..PREFIX_BYTES + prefix.header_bytes];
    header::read(header, prefix.version)
}

/// Nothing hides in the padding.
fn zeros(contents: &[u8], from: usize, to: usize) -> Result<(), CheckpointError> {
    match contents[from..to].iter().position(|&b| b != 0) {
        None => Ok(()),
        Some(at) => Err(CheckpointError::Padding {
            offset: from + at,
            found: contents[from + at],
        }),
    }
}

/// The values of one tensor.
fn weights(tensor: &str, bytes: &[u8], precision: Precision) -> Result<Vec<f32>, CheckpointError> {
    let values: Vec<f32> = match precision {
        Precision::F32 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect(),
        Precision::F16 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f16::from_le_bytes(*b).to_f32())
            .collect(),
    };
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(values),
        Some(index) => Err(CheckpointError::NotFinite {
            tensor: tensor.to_owned(),
            index,
            value: values[index],
        }),
    }
}
