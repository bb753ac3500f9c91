//! How messages cross between the page and the worker: `[postcard bytes, field, field, …]`, the buffers moved.

use js_sys::{Array, Float32Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// A message as it is posted, and the buffers to move with it.
pub struct Packed {
    /// What is posted.
    pub value: JsValue,
    /// What changes hands instead of being copied.
    pub transfer: JsValue,
}

/// Packs a message and its fields.
pub fn pack<T: Serialize>(message: &T, fields: &[&[f32]]) -> Packed {
    let bytes =
        postcard::to_stdvec(message).expect("our messages are plain data, which always encodes");
    let bytes = Uint8Array::from(bytes.as_slice());
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

/// Unpacks what [`pack`] made; `None` for anything else.
pub fn unpack<T: DeserializeOwned>(value: &JsValue) -> Option<(T, Vec<Vec<f32>>)> {
    let mut parts = value.dyn_ref::<Array>()?.iter();
    let bytes = parts.next()?.dyn_into::<Uint8Array>().ok()?.to_vec();
    let message = postcard::from_bytes(&bytes).ok()?;
    let fields = parts
        .map(|part| part.dyn_into::<Float32Array>().map(|array| array.to_vec()))
        .collect::<Result<_, _>>()
        .ok()?;
    Some((message, fields))
}
