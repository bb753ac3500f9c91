//! Bytes that are damaged, cut, or chosen to lie about lengths and counts.

use pno::checkpoint::limits::{HASH_BYTES, PREFIX_BYTES};
use pno::checkpoint::{CheckpointError, Precision};

use super::{decode, header_of, reseal, sealed, small_file, small_model};

pub fn every_truncation_is_refused() {
    let file = small_file();
    for length in 0..file.len() {
        let error = decode(&file[..length]).expect_err("a part is not the whole");
        assert!(
            matches!(error, CheckpointError::Truncated { found, .. } if found == length as u64),
            "{length} bytes: {error}"
        );
    }
    decode(&file).expect("the whole is good");
}

pub fn every_truncation_by_a_lying_writer_is_refused() {
    let whole = small_file();
    for length in PREFIX_BYTES + HASH_BYTES..whole.len() {
        let mut file = whole[..length].to_vec();
        file[16..24].copy_from_slice(&(length as u64).to_le_bytes());
        reseal(&mut file);
        decode(&file).expect_err("a part is not the whole");
    }
}

pub fn every_flipped_bit_is_refused() {
    let good = small_file();
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut file = good.clone();
            file[at] ^= 1 << bit;
            decode(&file).expect_err("a damaged file");
        }
    }
}

pub fn every_changed_byte_with_a_true_hash_is_read_or_refused_but_never_hurts() {
    let good = small_file();
    for at in 0..good.len() - HASH_BYTES {
        for value in [0, 1, 0x7f, 0x80, 0xfe, 0xff, good[at] ^ 1, good[at] ^ 0x80] {
            let mut file = good.clone();
            file[at] = value;
            reseal(&mut file);
            // A changed weight, seed or name is a valid file of another model; then it must be written the same.
            if let Ok(model) = decode(&file) {
                let again = model.encode(model.header.precision).expect("encodes");
                assert_eq!(again, file, "byte {at} = {value}");
            }
        }
    }
}

pub fn huge_numbers_anywhere_in_the_header_allocate_nothing() {
    let good = small_file();
    let header = &good[header_of(&good)];
    // 2^60, 2^32, 2^64 - 1, one byte too many, and a varint that never ends.
    let sixty: &[u8] = &[128, 128, 128, 128, 128, 128, 128, 128, 16];
    let thirty_two: &[u8] = &[128, 128, 128, 128, 16];
    let most: &[u8] = &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
    let over: &[u8] = &[255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
    for number in [sixty, thirty_two, most, over, &[0xff; 40]] {
        for at in 0..header.len() {
            let replaced = [&header[..at], number, &header[at + 1..]].concat();
            let inserted = [&header[..at], number, &header[at..]].concat();
            for header in [replaced, inserted] {
                // Only `seed` may be so large; a file with another seed is not a lie.
                if let Ok(model) = decode(&sealed(&header, 64 * 11 + 2)) {
                    assert_ne!(model.header.provenance.seed, 0);
                }
            }
        }
    }
}

pub fn a_long_header_of_counts_stays_within_the_promise() {
    let good = small_file();
    let header = &good[header_of(&good)];
    for at in 0..header.len() {
        // A claimed count of 65 000 with nearly as many bytes behind it: the most postcard would reserve for.
        let claim: &[u8] = &[0xe8, 0xfb, 3];
        for filler in [0, 1] {
            let header = [&header[..at], claim, &vec![filler; 65_000]].concat();
            decode(&sealed(&header, 0)).expect_err("a lie");
        }
    }
}

pub fn a_large_model_is_not_allocated_for_a_small_file() {
    let mut model = small_model();
    model.header.spec.width = 512;
    // 25 million parameters: within the limits of the page, too.
    model.header.spec.layers = 32;
    // The honest writer refuses it, too.
    model.encode(Precision::F32).expect_err("no such tensors");
    let mut header = postcard::to_stdvec(&model.header).expect("encodes");
    header.push(0); // an empty table
    let error = decode(&sealed(&header, 64)).expect_err("no such tensors");
    assert!(
        matches!(error, CheckpointError::TensorCount { found: 0, .. }),
        "{error}"
    );
}
