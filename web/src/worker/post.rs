//! The worker's end of the line to the page.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

use crate::message::Reply;
use crate::transport::pack;

/// The worker's global object.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends an answer and its fields.
pub fn reply(reply: &Reply, fields: &[&[f32]]) {
    let packed = pack(reply, fields);
    if let Err(error) = scope().post_message_with_transfer(&packed.value, &packed.transfer) {
        log::error!("posting to the page: {}", words(&error));
    }
}

/// What a JavaScript error says.
pub fn words(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => format!("{error:?}"),
    }
}
