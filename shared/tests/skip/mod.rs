//! Says that a test could not run here, and why, so that nobody takes it for one that passed.
//!
//! The one way in which tests of all crates skip themselves: `cargo xtask test` counts what is told here.

use std::ffi::OsStr;
use std::io::Write;
use std::panic::Location;

/// Tells that the calling test does not run here: on the terminal, and in the list of `cargo xtask test` if it asks for one.
///
/// The test returns after this.
#[track_caller]
#[allow(dead_code, reason = "not every crate has such a test")]
pub fn skip(reason: &str) {
    let place = Location::caller();
    let thread = std::thread::current();
    // The harness names the thread after the test.
    let test = thread.name().unwrap_or("a test");
    let reason = reason.lines().collect::<Vec<_>>().join(" ");
    let line = format!("{test} ({}:{}): {reason}\n", place.file(), place.line());
    // Not `eprintln!`: the harness would keep that of a test that passes to itself.
    let _ = std::io::stderr().write_all(format!("SKIPPED {line}").as_bytes());
    if let Some(list) = std::env::var_os("PNO_SKIPPED") {
        append(&list, &line);
    }
}

/// Adds a line to a list. One call of the system, so that tests that run side by side do not mix their lines.
pub fn append(list: &OsStr, line: &str) {
    let file = std::fs::File::options()
        .append(true)
        .create(true)
        .open(list);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .unwrap_or_else(|error| panic!("cannot write to {}: {error}", list.display()));
}
