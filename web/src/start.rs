//! What both programs do first.

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

/// Sends panics and log lines to the browser's console.
///
/// Without a logger a shader that does not compile would give silent zeros: wgpu reports it through `log` alone.
pub fn log_to_console() {
    console_error_panic_hook::set_once();
    // Only fails when a logger is already there, which is as good.
    let _ = console_log::init_with_level(log::Level::Warn);
}
