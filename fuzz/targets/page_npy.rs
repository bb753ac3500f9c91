//! Arrays that a visitor brings: what is read can be written, and is the same again.

use super::page::npy;

/// Reads an array, writes it, and reads that.
pub fn target(bytes: &[u8]) {
    match npy::decode(bytes) {
        Ok(array) => {
            let written = npy::encode(&array.values, &array.shape);
            let again = npy::decode(&written).expect("what was written can be read");
            assert_eq!(again.shape, array.shape);
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&again.values), bits(&array.values));
        }
        Err(sentence) => assert!(sentence.len() < 1000, "{sentence}"),
    }
}
