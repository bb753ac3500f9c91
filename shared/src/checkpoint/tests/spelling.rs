//! One header has one spelling.

use super::*;
use crate::checkpoint::limits::{HASH_BYTES, PREFIX_BYTES};

#[test]
fn a_number_with_needless_bytes_is_refused() {
    let file = sample().encode(Precision::F32).expect("encodes");
    let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    let header = &file[PREFIX_BYTES..PREFIX_BYTES + length];
    // The experiment is the first number, and small: 1 becomes 81 00, which postcard reads as 1 too.
    assert_eq!(header[0], 1);
    let long = [&[0x81, 0], &header[1..]].concat();
    let start = (PREFIX_BYTES + long.len()).next_multiple_of(64);
    let data = &file[(PREFIX_BYTES + length).next_multiple_of(64)..file.len() - HASH_BYTES];
    let mut changed = file[..12].to_vec();
    changed.extend((long.len() as u32).to_le_bytes());
    changed.extend(((start + data.len() + HASH_BYTES) as u64).to_le_bytes());
    changed.extend(&long);
    changed.resize(start, 0);
    changed.extend(data);
    changed.extend(blake3::hash(&changed).as_bytes());
    assert_eq!(
        Checkpoint::decode(&changed),
        Err(CheckpointError::Spelling { offset: 0 })
    );
    let message = CheckpointError::Spelling { offset: 0 }.to_string();
    assert!(message.contains("byte 0 of the header"), "{message}");
}
