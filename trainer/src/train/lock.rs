//! One process at a time works in a run folder.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The file that is locked; its text is the process that did it.
const NAME: &str = "lock";

/// Held while a run is worked on. The system lets go of it when the process ends, however that happens.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes a folder, or says who has it.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let cannot = || format!("cannot lock {}", path.display());
        let options = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
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
                    "{} is in use by {holder}: wait until it has ended, or choose another --out",
                    folder.display()
                );
            }
            // A file system without locks: better to train than to refuse.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        file.set_len(0).with_context(cannot)?;
        file.rewind().with_context(cannot)?;
        file.write_all(std::process::id().to_string().as_bytes())
            .with_context(cannot)?;
        Ok(Self { _file: file })
    }
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
