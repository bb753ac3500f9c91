//! One process at a time works in a run folder, or makes what gets a name.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The file of a run folder that is locked; its text is the process that did it.
const NAME: &str = "lock";

/// Held while something is worked on. The system lets go of it when the process ends, however that happens.
#[derive(Debug)]
pub struct Lock {
    file: Option<File>,
    /// What to remove at the end: a lock in a folder stays there, one beside a name goes away.
    beside: Option<PathBuf>,
}

impl Lock {
    /// Takes a run folder, or says who has it.
    pub fn take(folder: &Path) -> Result<Self> {
        let file = locked(&folder.join(NAME), folder, "is in use")?;
        Ok(Self {
            file: Some(file),
            beside: None,
        })
    }

    /// Takes a name, at which something is to be made, or says who has it.
    pub fn beside(target: &Path, lock: &Path) -> Result<Self> {
        loop {
            let file = locked(lock, target, "is being made")?;
            // Whoever had it before may have removed the file after we opened it; then it locks nothing any more.
            if is_still(&file, lock) {
                return Ok(Self {
                    file: Some(file),
                    beside: Some(lock.to_owned()),
                });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(path) = &self.beside {
            // While it is still locked, or it could be the next one's.
            let _ = fs::remove_file(path);
        }
        self.file.take();
    }
}

/// Opens and locks a file and writes the number of this process into it.
fn locked(path: &Path, what: &Path, how: &str) -> Result<File> {
    let cannot = || format!("cannot lock {}", path.display());
    let options = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    let mut file = options.with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Some systems do not let others read a locked file.
            let _ = file.read_to_string(&mut holder);
            let holder = match holder.trim() {
                "" => "another process".to_owned(),
                pid => format!("process {pid}"),
            };
            bail!(
                "{} {how} by {holder}: wait until it has ended, or choose another --out",
                what.display()
            );
        }
        // A file system without locks: better to work than to refuse.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
    }
    file.set_len(0).with_context(cannot)?;
    file.rewind().with_context(cannot)?;
    file.write_all(std::process::id().to_string().as_bytes())
        .with_context(cannot)?;
    Ok(file)
}

/// Whether an open file is the one that has the name.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |found: io::Result<fs::Metadata>| found.ok().map(|m| (m.dev(), m.ino()));
    let (ours, named) = (number(file.metadata()), number(fs::metadata(path)));
    ours.is_some() && ours == named
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn is_still(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Removes what writers that were killed have left in a folder. Only while it is locked: others' files are not stale.
pub fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(".pno-") && name.ends_with(".part") {
            // What cannot be removed costs room and nothing else.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_refused_with_the_number_of_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Lock::take(folder.path()).expect("free");
        let message = Lock::take(folder.path()).expect_err("taken").to_string();
        let pid = format!("in use by process {}", std::process::id());
        assert!(message.contains(&pid), "{message}");
        drop(first);
        Lock::take(folder.path()).expect("free again");
    }

    #[test]
    fn a_name_is_taken_once_and_nothing_is_left_of_the_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, lock) = (folder.path().join("a"), folder.path().join(".a.lock"));
        let first = Lock::beside(&target, &lock).expect("free");
        let message = Lock::beside(&target, &lock).expect_err("taken").to_string();
        let pid = format!("being made by process {}", std::process::id());
        assert!(message.contains(&pid), "{message}");
        drop(first);
        assert!(!lock.exists());
        drop(Lock::beside(&target, &lock).expect("free again"));
        assert!(!lock.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_on_a_file_that_was_removed_is_no_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = folder.path().join(".a.lock");
        let stale = File::create(&lock).expect("made");
        assert!(is_still(&stale, &lock));
        fs::remove_file(&lock).expect("removed");
        assert!(!is_still(&stale, &lock));
        let _other = File::create(&lock).expect("made");
        assert!(!is_still(&stale, &lock));
    }

    #[test]
    fn only_the_remains_of_writers_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [".pno-x1.part", "model.pno", ".pno-notes", "a.part"] {
            fs::write(folder.path().join(name), b"x").expect("writes");
        }
        clean(folder.path());
        assert!(!folder.path().join(".pno-x1.part").exists());
        for name in ["model.pno", ".pno-notes", "a.part"] {
            assert!(folder.path().join(name).exists(), "{name}");
        }
    }
}
