//! Files made to hurt: whatever the bytes are, decoding gives a typed error, never panics, and stays small.
#![allow(missing_docs)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pno::checkpoint::limits::{HASH_BYTES, MAGIC, PREFIX_BYTES, VERSION};
use pno::checkpoint::{Checkpoint, CheckpointError, Header, Precision, Provenance};
use pno::ensemble::conformal::Calibration;
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::task::{Axis, Coordinate, Domain, Normalisation, Quantity, Task};
use proptest::prelude::*;

/// Counts what each thread holds, so that tests can run side by side.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

#[expect(
    unsafe_code,
    reason = "only an allocator sees every allocation; this one passes them on"
)]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Decodes, and checks that no more was allocated than the documentation promises.
fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let before = LIVE.get();
    PEAK.set(before);
    let result = Checkpoint::decode(bytes);
    let peak = (PEAK.get() - before) as usize;
    let promised = 4 * bytes.len() + (256 << 10);
    assert!(
        peak <= promised,
        "{peak} bytes for a file of {}",
        bytes.len()
    );
    if let Err(error) = &result {
        assert!(error.to_string().len() < 1000, "a sentence: {error}");
    }
    // The quick look reads the same bytes without the shelter of the hash.
    let _ = Checkpoint::decode_header(bytes);
    result
}

fn small_model() -> Checkpoint {
    let axis = |name: &str| Axis::new(name, 8, 0.0, 1.0, "");
    let quantity = Quantity::new("u", "", Normalisation::NONE);
    let spec = ModelSpec {
        experiment: Experiment::Ks,
        method: Method::PnoD,
        operator: Operator::Fno,
        profile: Profile::Fixed,
        in_channels: 3,
        out_channels: 1,
        width: 1,
        lifting: 1,
        projection: 1,
        layers: 1,
        modes: vec![1, 1],
        levels: vec![],
        dropout: 0.2,
        fourier_dropout: 0.2,
        networks: 1,
    };
    Checkpoint {
        tensors: spec.tensors().iter().map(|t| vec![0.5; t.len()]).collect(),
        header: Header {
            spec,
            task: Task {
                input: vec![axis("t"), axis("x")],
                output: vec![axis("t"), axis("x")],
                inputs: vec![quantity.clone()],
                outputs: vec![quantity],
                coordinates: vec![Coordinate::unit(1), Coordinate::unit(0)],
                domain: Domain::Flat,
            },
            provenance: Provenance {
                settings: vec![("k".into(), "v".into())],
                ..Provenance::default()
            },
            scores: None,
            calibration: Some(Calibration {
                coverage: 0.95,
                members: 5,
                cases: 30,
                data: "d".into(),
                channels: 1,
                factors: vec![1.5, 2.5],
            }),
            precision: Precision::F32,
        },
    }
}

fn small_file() -> Vec<u8> {
    small_model().encode(Precision::F16).expect("encodes")
}

/// The header's bytes in a good file.
fn header_of(file: &[u8]) -> std::ops::Range<usize> {
    let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    PREFIX_BYTES..PREFIX_BYTES + length
}

/// Makes the hash true again.
fn reseal(file: &mut [u8]) {
    let (contents, hash) = file.split_at_mut(file.len() - HASH_BYTES);
    hash.copy_from_slice(blake3::hash(contents).as_bytes());
}

/// A file with true lengths and hash around any header, with `data` zero bytes after it.
fn sealed(header: &[u8], data: usize) -> Vec<u8> {
    let start = (PREFIX_BYTES + header.len()).next_multiple_of(64);
    let length = start + data + HASH_BYTES;
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((header.len() as u32).to_le_bytes());
    file.extend((length as u64).to_le_bytes());
    file.extend(header);
    file.resize(length, 0);
    reseal(&mut file);
    file
}

#[test]
fn every_truncation_is_refused() {
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

#[test]
fn every_truncation_by_a_lying_writer_is_refused() {
    let whole = small_file();
    for length in PREFIX_BYTES + HASH_BYTES..whole.len() {
        let mut file = whole[..length].to_vec();
        file[16..24].copy_from_slice(&(length as u64).to_le_bytes());
        reseal(&mut file);
        decode(&file).expect_err("a part is not the whole");
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    let good = small_file();
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut file = good.clone();
            file[at] ^= 1 << bit;
            decode(&file).expect_err("a damaged file");
        }
    }
}

#[test]
fn every_changed_byte_with_a_true_hash_is_read_or_refused_but_never_hurts() {
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

#[test]
fn huge_numbers_anywhere_in_the_header_allocate_nothing() {
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

#[test]
fn a_long_header_of_counts_stays_within_the_promise() {
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

#[test]
fn a_large_model_is_not_allocated_for_a_small_file() {
    let mut model = small_model();
    model.header.spec.width = 512;
    model.header.spec.layers = 64;
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

proptest! {
    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn random_headers_with_true_lengths_and_hash_are_refused(
        header in prop::collection::vec(any::<u8>(), 0..600),
        data in 0_usize..200,
    ) {
        prop_assert!(decode(&sealed(&header, data)).is_err());
    }

    #[test]
    fn several_changed_header_bytes_never_hurt(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut file = small_file();
        let header = header_of(&file);
        for (index, value) in changes {
            let at = header.start + index.index(header.len());
            file[at] = value;
        }
        reseal(&mut file);
        if let Ok(model) = decode(&file) {
            prop_assert!(model.header.spec.validate().is_ok());
        }
    }

    #[test]
    fn any_finite_weights_come_back(values in prop::collection::vec(any::<f32>(), 12)) {
        let mut model = small_model();
        for (tensor, value) in model.tensors.iter_mut().zip(&values) {
            tensor.fill(*value);
        }
        match model.encode(Precision::F32) {
            Ok(file) => prop_assert_eq!(decode(&file).expect("decodes").tensors, model.tensors),
            Err(_) => prop_assert!(values.iter().any(|v| !v.is_finite())),
        }
    }
}
