//! How messages cross between the page and the worker: `[build and postcard bytes, field, field, …]`, the buffers moved.

use js_sys::{Array, Float32Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

use crate::build::{BUILD, LENGTH};

/// A message as it is posted, and the buffers to move with it.
pub struct Packed {
    /// What is posted.
    pub value: JsValue,
    /// What changes hands instead of being copied.
    pub transfer: JsValue,
}

/// Why a message was not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It is of a program of another build, whose words may mean something else.
    OtherBuild,
    /// It is no message.
    Unreadable,
}

/// The bytes of a message: which build speaks, then what it says.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_extend(message, BUILD.as_bytes().to_vec())
        .expect("our messages are plain data, which always encodes")
}

/// Reads what [`encode`] of the same build made, and nothing else.
///
/// # Errors
/// Where the bytes are of another build, or no message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    let (build, message) = bytes.split_at_checked(LENGTH).ok_or(Refused::OtherBuild)?;
    if build != BUILD.as_bytes() {
        return Err(Refused::OtherBuild);
    }
    postcard::from_bytes(message).map_err(|_| Refused::Unreadable)
}

/// Packs a message and its fields.
pub fn pack<T: Serialize>(message: &T, fields: &[&[f32]]) -> Packed {
    let bytes = Uint8Array::from(encode(message).as_slice());
    let value = Array::of1(&bytes);
    let transfer = Array::of1(&bytes.buffer());
    for field in fields {
        let array = Float32Array::from(*field);
        transfer.push(&array.buffer());
        value.push(&array);
    }
    Packed {
        value: value.into(),
        transfer: transfer.into(),
    }
}

/// The message alone of what [`pack`] made.
///
/// # Errors
/// Where it is of another build, or no message.
pub fn message<T: DeserializeOwned>(value: &JsValue) -> Result<T, Refused> {
    let parts = value.dyn_ref::<Array>().ok_or(Refused::Unreadable)?;
    let bytes = parts.get(0).dyn_into::<Uint8Array>();
    decode(&bytes.map_err(|_| Refused::Unreadable)?.to_vec())
}

/// Unpacks what [`pack`] made.
///
/// # Errors
/// Where it is of another build, or no message.
pub fn unpack<T: DeserializeOwned>(value: &JsValue) -> Result<(T, Vec<Vec<f32>>), Refused> {
    let found = message(value)?;
    let parts = value.dyn_ref::<Array>().ok_or(Refused::Unreadable)?;
    let fields = parts
        .iter()
        .skip(1)
        .map(|part| part.dyn_into::<Float32Array>().map(|array| array.to_vec()))
        .collect::<Result<_, _>>()
        .map_err(|_| Refused::Unreadable)?;
    Ok((found, fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_and_begins_with_the_build() {
        let bytes = encode(&(7_u32, "a".to_owned()));
        assert!(bytes.starts_with(BUILD.as_bytes()));
        assert_eq!(decode(&bytes), Ok((7_u32, "a".to_owned())));
    }

    #[test]
    fn nothing_of_another_build_is_decoded() {
        let mut bytes = encode(&1_u32);
        bytes[LENGTH - 1] ^= 1;
        assert_eq!(decode::<u32>(&bytes), Err(Refused::OtherBuild));
        // What programs said before they had an identity.
        assert_eq!(decode::<u32>(&[0]), Err(Refused::OtherBuild));
        let cut = &encode(&u32::MAX)[..LENGTH + 1];
        assert_eq!(decode::<u32>(cut), Err(Refused::Unreadable));
    }

    #[test]
    fn the_identity_is_sixteen_hexadecimal_digits() {
        assert!(BUILD.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
