//! Runs the corpus of the repository through a target, in the ordinary tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::memory;

/// Time of one input: a second is meant, and a machine may be busy.
const LONGEST: Duration = Duration::from_secs(5);

/// Memory is counted for the whole process, so targets take turns.
static TURN: Mutex<()> = Mutex::new(());

/// The inputs of a target, in the order of their names.
pub fn inputs(name: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let folder = root.join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths
}

/// Gives every input to a target.
pub fn replay(name: &str, target: fn(&[u8])) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for path in inputs(name) {
        // Where it ends the process, this is the last thing that was said.
        eprintln!("{}", path.display());
        let bytes = fs::read(&path).expect("an input");
        let begin = Instant::now();
        memory::limited(|| target(&bytes));
        let took = begin.elapsed();
        assert!(took < LONGEST, "{}: {took:?}", path.display());
    }
}
