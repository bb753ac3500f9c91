//! Ctrl-C as a flag that long work looks at between two steps, so that nothing is left half-written.

use std::fmt;
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);
static WATCH: Once = Once::new();

/// Exit code of an interrupted command.
pub const EXIT_CODE: u8 = 130;

/// From now on the first Ctrl-C (or SIGTERM) only raises the flag; the second ends the process at once.
pub fn watch() {
    WATCH.call_once(|| {
        let installed = ctrlc::set_handler(|| {
            if REQUESTED.swap(true, Ordering::SeqCst) {
                process::exit(i32::from(EXIT_CODE));
            }
        });
        // Without a handler Ctrl-C ends the process as it always did; files are still only ever renamed into place.
        drop(installed);
    });
}

/// Whether somebody asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// The error of a command that stopped because it was asked to: exit code 130.
///
/// The sentence says what is kept and how to go on.
#[derive(Debug)]
pub struct Interrupted(pub String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted: {}", self.0)
    }
}

impl std::error::Error for Interrupted {}
