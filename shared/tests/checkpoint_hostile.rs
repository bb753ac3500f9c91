//! Files made to hurt: whatever the bytes are, decoding gives a typed error, never panics, and stays small.
//!
//! The same refusals run in WebAssembly: `wasm_refusals.rs`.
#![allow(missing_docs)]

mod counting;
mod refusals;

use pno::checkpoint::Precision;
use proptest::prelude::*;
use refusals::{decode, header_of, reseal, sealed, small_file, small_model};

refusals::each_refusal!(test);

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
