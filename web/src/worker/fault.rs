//! The last words of a worker that met a fault of its own.

use js_sys::{Object, Reflect};

use super::post::scope;
use crate::start::FAULT;

/// Tells the page, which ends this worker and begins anew with another when the visitor says so.
pub fn tell(words: &str) {
    let message = Object::new();
    // Setting a property of a plain object cannot fail.
    let _ = Reflect::set(&message, &FAULT.into(), &words.into());
    if let Err(error) = scope().post_message(&message) {
        log::error!("the fault could not be told: {error:?}");
    }
}
