//! The operations on the disk that a folder gets its name by. Any of them may be the last one of a process; tests stop at
//! each.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::files;

/// Gives a file or a folder another name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::rename(from, to)
}

/// Makes a folder, and those it is in.
pub fn create_folder(path: &Path) -> io::Result<()> {
    step()?;
    fs::create_dir_all(path)
}

/// Writes a small file: the whole of it, or nothing.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    step()?;
    files::write_atomic(path, text.as_bytes())
}

/// Removes a file, if it is there.
pub fn remove_file(path: &Path) -> io::Result<()> {
    step()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a folder with all that is in it, one thing after the other, if it is there; a link, not what it points to.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if !found.is_dir() {
        return remove_file(path);
    }
    for entry in fs::read_dir(path)? {
        remove_folder(&entry?.path())?;
    }
    step()?;
    fs::remove_dir(path)
}

/// Brings every file of a folder and every name in it to the disk, so that a power failure finds what the name promises.
pub fn sync(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            sync(&entry?.path())?;
        }
        return sync_names(path);
    }
    if found.is_file() {
        step()?;
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

/// Brings the names in a folder to the disk.
pub fn sync_names(folder: &Path) -> io::Result<()> {
    step()?;
    // Only on Unix can a folder be opened and synced.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub use crash::{after, step};

/// A process that is killed, for tests: from some operation on, none is done any more.
#[cfg(test)]
mod crash {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
        static KILLED: Cell<bool> = const { Cell::new(false) };
    }

    /// Does some work of which only the first `steps` operations are done. Gives what came out, and whether it was cut
    /// short.
    pub fn after<T>(steps: usize, work: impl FnOnce() -> T) -> (T, bool) {
        LEFT.set(Some(steps));
        let outcome = work();
        LEFT.set(None);
        (outcome, KILLED.take())
    }

    /// One operation.
    pub fn step() -> io::Result<()> {
        match LEFT.get() {
            None => Ok(()),
            Some(0) => {
                KILLED.set(true);
                Err(io::Error::other("killed"))
            }
            Some(left) => {
                LEFT.set(Some(left - 1));
                Ok(())
            }
        }
    }
}
