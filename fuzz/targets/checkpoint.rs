//! Checkpoints: decode, validate, plan. A hash refuses nearly every changed file, so the rest of a file is made true around a change.

use pno::checkpoint::limits::{ALIGNMENT, HASH_BYTES, MAGIC, PREFIX_BYTES, VERSION};
use pno::checkpoint::{Checkpoint, CheckpointError, Header, Precision};

use super::plan::plan;

/// Largest file that is put together; a specification may ask for 256 MB of weights.
const MOST_BYTES: usize = 1 << 16;

/// The first byte says what the others are:
///
/// | byte | the others are |
/// |---|---|
/// | `f` | a file, as it is |
/// | `s` | a file, whose length and hash are put right |
/// | `h`, or a digit | a header (of the newest version, or of that one): lengths, weights and hash are made |
/// | else | a header without its table of tensors, which is made too |
pub fn target(bytes: &[u8]) {
    let Some((&how, rest)) = bytes.split_first() else {
        return;
    };
    match how {
        b'f' => file(rest),
        b's' => file(&resealed(rest)),
        b'h' => header(VERSION, rest),
        b'0'..=b'9' => header(u32::from(how - b'0'), rest),
        _ => {
            if let Some(whole) = with_table(rest) {
                header(VERSION, &whole);
            }
        }
    }
}

/// Anything that is read is written back, byte for byte where it is of the newest version.
fn file(bytes: &[u8]) {
    let look = Checkpoint::decode_header(bytes);
    let checkpoint = match Checkpoint::decode(bytes) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return refused(&error),
    };
    let look = look.expect("the header of a file that was read");
    let precision = checkpoint.header.precision;
    assert_eq!(look.precision, precision);
    let written = checkpoint
        .encode(precision)
        .expect("what was read can be written");
    if Checkpoint::version(bytes) == VERSION {
        assert!(written == bytes, "another file than was read");
    }
    let again = Checkpoint::decode(&written).expect("what was written can be read");
    assert!(again.encode(precision).is_ok_and(|bytes| bytes == written));
    plan(&checkpoint.header);
    let _ = checkpoint.posterior();
}

/// A sentence, and a short one.
fn refused(error: &CheckpointError) {
    let sentence = error.to_string();
    assert!(sentence.len() < 1000, "{sentence}");
    let unwanted = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!sentence.contains(unwanted), "{sentence:?}");
}

/// Puts a file around a header. Weights are zeros, which every method takes.
fn header(version: u32, header: &[u8]) {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(header);
    let found = match Checkpoint::decode_header(&bytes) {
        Ok(found) => found,
        Err(error) => {
            refused(&error);
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT) + HASH_BYTES, 0);
            // The same refusal with everything else in its place.
            let error = Checkpoint::decode(&resealed(&bytes)).expect_err("a refused header");
            return refused(&error);
        }
    };
    plan(&found);
    let start = (PREFIX_BYTES + header.len()).next_multiple_of(ALIGNMENT);
    let Some(data) = data_bytes(&found).filter(|data| start + data <= MOST_BYTES) else {
        return;
    };
    bytes.resize(start + data + HASH_BYTES, 0);
    let whole = resealed(&bytes);
    Checkpoint::decode(&whole).expect("a good header with good weights");
    file(&whole);
}

/// Bytes of all tensors, as the table has them.
fn data_bytes(header: &Header) -> Option<usize> {
    let mut end = 0_usize;
    for entry in table(header) {
        end = entry.2.checked_add(entry.3)?;
    }
    Some(end)
}

/// Name, shape, offset and length of every tensor: written here once more, from the page about the format.
fn table(header: &Header) -> Vec<(String, Vec<usize>, usize, usize)> {
    let mut end = 0_usize;
    let tensors = header.spec.stored_tensors().into_iter();
    tensors
        .map(|tensor| {
            let exact = tensor.is_exact() || header.precision == Precision::F32;
            let length = tensor.len() * if exact { 4 } else { 2 };
            let offset = end.next_multiple_of(ALIGNMENT);
            end = offset + length;
            (tensor.name, tensor.shape, offset, length)
        })
        .collect()
}

/// The header with the table that belongs to its specification; none where there is no header in it.
fn with_table(bytes: &[u8]) -> Option<Vec<u8>> {
    let (header, rest) = postcard::take_from_bytes::<Header>(bytes).ok()?;
    // A specification that is refused has no table, and may be too large for one.
    header.spec.validate().ok()?;
    let mut whole = bytes[..bytes.len() - rest.len()].to_vec();
    whole.extend(postcard::to_stdvec(&table(&header)).ok()?);
    whole.extend(rest);
    Some(whole)
}

/// The file with its own length and hash.
fn resealed(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    let length = file.len() as u64;
    if let Some(field) = file.get_mut(16..24) {
        field.copy_from_slice(&length.to_le_bytes());
    }
    if let Some(contents) = file.len().checked_sub(HASH_BYTES) {
        let hash = blake3::hash(&file[..contents]);
        file[contents..].copy_from_slice(hash.as_bytes());
    }
    file
}
