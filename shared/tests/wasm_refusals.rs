//! What the page refuses, refused where the page runs: `usize` has 32 bits in WebAssembly.
//!
//! `cargo xtask test --only wasm` runs this in node.
#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

mod counting;
mod refusals;

use pno::checkpoint::limits::HASH_BYTES;
use pno::checkpoint::{Checkpoint, CheckpointError, Precision};
use pno::spec::{Experiment, Method, ModelSpec};
use pno::task::Task;
use wasm_bindgen_test::wasm_bindgen_test;

refusals::each_refusal!(wasm_bindgen_test);

/// A published network with weights that are all the same.
fn model() -> Checkpoint {
    let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("published");
    let tensors = spec.tensors().iter().map(|t| vec![0.5; t.len()]).collect();
    Checkpoint::new(spec, Task::ks(), tensors)
}

/// Makes the hash true again.
fn reseal(file: &mut [u8]) {
    let (contents, hash) = file.split_at_mut(file.len() - HASH_BYTES);
    hash.copy_from_slice(blake3::hash(contents).as_bytes());
}

#[wasm_bindgen_test]
fn here_usize_has_32_bits() {
    assert_eq!(usize::BITS, 32);
}

#[wasm_bindgen_test]
fn a_good_file_is_read() {
    let model = model();
    let file = model.encode(Precision::F16).expect("encodes");
    let read = Checkpoint::decode(&file).expect("a good file");
    assert_eq!(read.header.spec, model.header.spec);
    assert_eq!(read.tensors, model.tensors);
}

#[wasm_bindgen_test]
fn a_flipped_bit_a_missing_byte_and_a_length_beyond_memory_are_refused() {
    let good = model().encode(Precision::F16).expect("encodes");
    let refused = |file: &[u8]| Checkpoint::decode(file).expect_err("a broken file");

    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    assert!(matches!(refused(&flipped), CheckpointError::Hash { .. }));

    let shorter = refused(&good[..good.len() - 1]);
    assert!(matches!(shorter, CheckpointError::Truncated { .. }));

    let mut endless = good.clone();
    // 2^32 more than it has: the same number in 32 bits.
    let lie = good.len() as u64 + (1 << 32);
    endless[16..24].copy_from_slice(&lie.to_le_bytes());
    reseal(&mut endless);
    let wanted = refused(&endless);
    assert!(matches!(wanted, CheckpointError::Truncated { wanted, .. } if wanted == lie));
}
