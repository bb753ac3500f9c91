//! What both programs do first.

use std::panic::{self, PanicHookInfo};

use wasm_bindgen::prelude::wasm_bindgen;

/// Under which key the worker tells of a fault: a plain object, since what is broken packs no messages.
pub const FAULT: &str = "fault";

/// Runs the constructors of linked crates, once.
///
/// The linker wraps *every* export of a program in a call of all constructors, unless the program refers to the symbol itself:
/// more than a second of overhead per forward pass. Calling it here, first thing in `main`, turns the wrapping off.
#[cfg(target_arch = "wasm32")]
#[allow(
    unsafe_code,
    reason = "the linker's own symbol: no arguments, no result, called once before anything else runs"
)]
pub fn constructors_once() {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    unsafe { __wasm_call_ctors() };
}

/// Nothing to do where the loader runs constructors.
#[cfg(not(target_arch = "wasm32"))]
pub fn constructors_once() {}

/// Sends log lines and panics to the browser's console, and what a panic says to somebody who can tell the visitor.
///
/// Without a logger a shader that does not compile would give silent zeros: wgpu reports it through `log` alone.
pub fn log_to_console(on_panic: fn(&str)) {
    panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        on_panic(&words(info));
    }));
    // Only fails when a logger is already there, which is as good.
    let _ = console_log::init_with_level(log::Level::Warn);
}

/// What a panic says, and where it was.
fn words(info: &PanicHookInfo) -> String {
    let what = info.payload_as_str().unwrap_or("no reason given");
    match info.location() {
        Some(place) => format!("{what} ({}:{})", place.file(), place.line()),
        None => what.to_owned(),
    }
}

/// Panics: the browser tests see through it what a visitor sees of a fault. Nothing else calls it, and only scripts of
/// the page's own origin could.
///
/// # Panics
/// Always.
#[wasm_bindgen(js_name = "failForTests")]
pub fn fail_for_tests(words: &str) {
    panic!("{words}");
}
