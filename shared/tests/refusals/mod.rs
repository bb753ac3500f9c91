//! Files made to hurt, for whichever machine runs the tests: `checkpoint_hostile.rs` natively, `wasm_refusals.rs` in
//! WebAssembly, where `usize` has 32 bits and limits are those of the page.
//!
//! Whatever the bytes are, decoding gives a typed error, never panics, and stays small.
#![allow(dead_code, reason = "each test file uses its own part")]

mod budget;
mod bytes;
mod setup;

pub use budget::*;
pub use bytes::*;
pub use setup::*;

use crate::counting;
use pno::checkpoint::limits::{HASH_BYTES, MAGIC, PREFIX_BYTES, VERSION};
use pno::checkpoint::{Checkpoint, CheckpointError, Header, Precision, Provenance};
use pno::ensemble::conformal::Calibration;
use pno::spec::{Experiment, Method, ModelSpec, Operator, Output, Profile};
use pno::task::{Axis, Coordinate, Domain, Mask, Normalisation, Quantity, Task};

/// Seconds that this thread had a processor: others that want one as well do not count.
#[cfg(target_os = "linux")]
fn seconds_at_work() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts");
    let nanoseconds = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.expect("a number") * 1e-9
}

/// Decodes, and checks that no more was allocated than the documentation promises, and on Linux that it took no second.
pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    #[cfg(target_os = "linux")]
    let start = seconds_at_work();
    let (result, peak) = counting::peak_of(|| Checkpoint::decode(bytes));
    #[cfg(target_os = "linux")]
    assert!(seconds_at_work() - start < 1.0, "a second");
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

pub fn small_model() -> Checkpoint {
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
        output: Output::Field,
        mlp: 0,
        noise: vec![],
        observed: None,
    };
    Checkpoint {
        tensors: spec.tensors().iter().map(|t| vec![0.5; t.len()]).collect(),
        header: Header {
            spec,
            task: Task {
                input: vec![axis("t"), axis("x")],
                output: vec![axis("t"), axis("x")],
                inputs: vec![quantity.clone()],
                outputs: vec![Quantity {
                    mask: Mask::new(&[8], |x| x == 3),
                    ..quantity
                }],
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

pub fn small_file() -> Vec<u8> {
    small_model().encode(Precision::F16).expect("encodes")
}

/// The header's bytes in a good file.
pub fn header_of(file: &[u8]) -> std::ops::Range<usize> {
    let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    PREFIX_BYTES..PREFIX_BYTES + length
}

/// Makes the hash true again.
pub fn reseal(file: &mut [u8]) {
    let (contents, hash) = file.split_at_mut(file.len() - HASH_BYTES);
    hash.copy_from_slice(blake3::hash(contents).as_bytes());
}

/// A file with true lengths and hash around any header, with `data` zero bytes after it.
pub fn sealed(header: &[u8], data: usize) -> Vec<u8> {
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

/// One test for each refusal of this module, with the attribute of whoever runs them.
macro_rules! each_refusal {
    ($test:meta) => {
        refusals::each_refusal!($test: every_truncation_is_refused
            every_truncation_by_a_lying_writer_is_refused
            every_flipped_bit_is_refused
            every_changed_byte_with_a_true_hash_is_read_or_refused_but_never_hurts
            huge_numbers_anywhere_in_the_header_allocate_nothing
            a_long_header_of_counts_stays_within_the_promise
            a_large_model_is_not_allocated_for_a_small_file
            modes_whose_product_wraps_in_32_bits_are_refused
            tables_that_are_each_small_are_refused_in_sum
            many_channels_on_many_points_are_refused
            a_sphere_of_millions_of_latitudes_is_refused
            a_network_that_grows_without_limit_is_refused
            the_limits_are_those_of_this_machine
            a_coordinate_that_stands_still_is_read
            the_longest_resizing_of_the_page_is_made
            the_largest_sphere_of_the_page_is_made
            the_largest_fourier_tables_of_the_page_are_made);
    };
    ($test:meta: $($name:ident)*) => {
        $(
            #[$test]
            fn $name() {
                refusals::$name();
            }
        )*
    };
}
pub(crate) use each_refusal;
