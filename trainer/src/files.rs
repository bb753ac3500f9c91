//! Files that are there as a whole or not at all, and the reading of models.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use pno::checkpoint::{Checkpoint, limits::MAX_FILE_BYTES};
use tempfile::{Builder, NamedTempFile};

use crate::logger;

/// What the names of temporary files end with.
const ENDING: &str = ".part";
/// Between making a temporary file and holding it there is much less than this.
const JUST_NOW: Duration = Duration::from_secs(10);

/// Writes a file, replacing one that is there.
///
/// The bytes go to a temporary name in the same folder, to the disk, and only then to their name: a full disk, a crash
/// or Ctrl-C leaves the previous file as it was and no half of a new one.
///
/// Nothing is written once a computation of a device has failed ([`logger::check`]).
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    logger::check()?;
    let file = written(path, bytes).map_err(|e| explained(e, path, bytes.len()))?;
    file.persist(path)
        .map_err(|e| explained(e.error, path, bytes.len()))?;
    sync_folder(path).map_err(|e| explained(e, path, bytes.len()))
}

/// Writes a file like [`write_atomic`], but refuses to replace one that is there.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    logger::check()?;
    let file = written(path, bytes).map_err(|e| explained(e, path, bytes.len()))?;
    file.persist_noclobber(path)
        .map_err(|e| explained(e.error, path, bytes.len()))?;
    sync_folder(path).map_err(|e| explained(e, path, bytes.len()))
}

/// Writes a file, replacing one that is there by force alone.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    if force {
        write_atomic(path, bytes)
    } else {
        write_new(path, bytes)
    }
}

/// The rule of every command that writes: what is there is replaced by force alone. Asked before the work is done;
/// [`write`] makes sure at the end.
pub fn refuse_taken(path: &Path, force: bool) -> Result<()> {
    if !force && path.exists() {
        bail!(taken(path));
    }
    Ok(())
}

fn taken(path: &Path) -> String {
    let name = path.display();
    format!("{name} is there already and was left as it is; --force replaces it")
}

/// [`refuse_taken`] where a file is to be written, so that a folder is never the right name.
pub fn refuse_taken_file(path: &Path, force: bool) -> Result<()> {
    if path.is_dir() {
        bail!(
            "{} is a folder; name a file, for example {}",
            path.display(),
            path.join(Checkpoint::FILE_NAME).display()
        );
    }
    refuse_taken(path, force)
}

/// The folder a file is in; a bare name is in the current one.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A temporary file next to `path` with everything on the disk; it vanishes when dropped.
fn written(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = prefix(path);
    tidy(folder(path), &prefix);
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(ENDING);
    // Temporary files are private by default, but this one becomes an ordinary file: as the user's mask says.
    let permissions = ordinary_permissions();
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder(path))?;
    // Held for as long as there is a writer; where the file system has no locks, nothing is ever tidied away.
    let _ = file.as_file().try_lock();
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// What the temporary files of a name begin with: a hash of it, because a name may be as long as a name can be.
fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    let hash = blake3::hash(name.as_encoded_bytes()).to_hex();
    format!(".pno-{}-", &hash[..8])
}

/// Removes what writers of the same name have left that were killed: files that nobody holds, and that were not made just
/// now by somebody who is about to hold them.
fn tidy(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(prefix) || !name.ends_with(ENDING) {
            continue;
        }
        let changed = entry.metadata().and_then(|about| about.modified()).ok();
        let age = changed.and_then(|changed| changed.elapsed().ok());
        let file = fs::File::options().write(true).open(entry.path());
        if age.is_some_and(|age| age > JUST_NOW) && file.is_ok_and(|file| file.try_lock().is_ok()) {
            // What cannot be removed costs room and nothing else.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn ordinary_permissions() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn ordinary_permissions() -> Option<Permissions> {
    None
}

/// Makes the new name survive a crash as well.
fn sync_folder(path: &Path) -> io::Result<()> {
    // Only on Unix can a folder be opened and synced.
    if cfg!(unix) {
        fs::File::open(folder(path))?.sync_all()?;
    }
    Ok(())
}

/// A sentence for what went wrong. Where it says everything, the system's own words are left out.
fn explained(error: io::Error, path: &Path, bytes: usize) -> anyhow::Error {
    let (name, place) = (path.display(), folder(path).display());
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            anyhow!(
                "the disk is full: {bytes} bytes for {name} do not fit into {place}; nothing was changed"
            )
        }
        ErrorKind::NotFound => anyhow!("cannot write {name}: there is no folder {place}"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            anyhow!("cannot write {name}: the folder {place} does not allow it")
        }
        ErrorKind::AlreadyExists => anyhow!(taken(path)),
        ErrorKind::IsADirectory => anyhow!("cannot write {name}: it is a folder"),
        _ => anyhow::Error::new(error).context(format!("cannot write {name}; nothing was changed")),
    }
}

/// The whole of a file, unless it is longer than `most`. Also holds for devices and pipes, which have no length.
pub fn read_at_most(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    let too_large = || io::Error::from(ErrorKind::FileTooLarge);
    let length = file.metadata()?.len();
    if length > most as u64 {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(too_large());
    }
    Ok(bytes)
}

/// A model that was read and checked.
#[derive(Debug)]
pub struct Model {
    /// The file it came from.
    pub path: PathBuf,
    /// Length of the file.
    pub bytes: usize,
    /// Version of its format.
    pub version: u32,
    /// Hash of the file's contents, in hexadecimal.
    pub fingerprint: String,
    /// What is in it.
    pub checkpoint: Checkpoint,
}

impl Model {
    /// Reads a `.pno` file, or the one in the folder of a training run.
    pub fn read(source: &Path) -> Result<Self> {
        let path = if source.is_dir() {
            source.join(Checkpoint::FILE_NAME)
        } else {
            source.to_owned()
        };
        let bytes = match read_at_most(&path, MAX_FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound && source.is_dir() => bail!(
                "the folder {} holds no {}: no epoch of its training has ended yet, or it is not a run",
                source.display(),
                Checkpoint::FILE_NAME
            ),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("there is no model {}", path.display())
            }
            Err(error) if error.kind() == ErrorKind::FileTooLarge => bail!(
                "{} is not a model: it has more than {MAX_FILE_BYTES} bytes, the size of the largest model",
                path.display()
            ),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let checkpoint = Checkpoint::decode(&bytes)
            .with_context(|| format!("{} cannot be used", path.display()))?;
        Ok(Self {
            path,
            bytes: bytes.len(),
            version: Checkpoint::version(&bytes),
            fingerprint: Checkpoint::fingerprint(&bytes),
            checkpoint,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.pno");
        write_atomic(&path, b"first, and longer").expect("writes");
        write_atomic(&path, b"second").expect("writes");
        assert_eq!(fs::read(&path).expect("reads"), b"second");
        assert_eq!(names(folder.path()), ["a.pno"]);
    }

    #[test]
    fn what_a_killed_writer_of_the_same_name_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.pno");
        let part = |name: &str, ending: &str, age_secs: u64| {
            let part = folder
                .path()
                .join(format!("{}{ending}", prefix(Path::new(name))));
            let file = fs::File::create(&part).expect("made");
            let time = std::time::SystemTime::now() - Duration::from_secs(age_secs);
            file.set_modified(time).expect("dated");
            (part, file)
        };
        let (left, _) = part("a.pno", "left.part", 100);
        let (held, holder) = part("a.pno", "held.part", 100);
        holder.lock().expect("held");
        let (fresh, _) = part("a.pno", "fresh.part", 0);
        let (other, _) = part("b.pno", "left.part", 100);
        let (note, _) = part("a.pno", "note", 100);
        write_atomic(&path, b"first").expect("writes");
        assert!(!left.exists());
        for kept in [&path, &held, &fresh, &other, &note] {
            assert!(kept.exists(), "{}", kept.display());
        }
        drop(holder);
        write_atomic(&path, b"second").expect("writes");
        assert!(!held.exists());
    }

    #[test]
    fn a_new_file_does_not_replace_an_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.pno");
        write_new(&path, b"first").expect("writes");
        let message = format!("{:#}", write_new(&path, b"second").expect_err("is there"));
        assert!(message.contains("a.pno is there already"), "{message}");
        assert_eq!(fs::read(&path).expect("reads"), b"first");
        assert_eq!(names(folder.path()), ["a.pno"]);
    }

    #[test]
    fn nothing_is_written_after_a_computation_has_failed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.pno");
        for write in [write_atomic, write_new] {
            let refused = logger::play_failure(|| write(&path, b"wrong numbers"));
            let said = refused.expect_err("refused").to_string();
            assert!(said.contains("not to be trusted"), "{said}");
            assert!(names(folder.path()).is_empty());
        }
        write_new(&path, b"numbers").expect("writes");
    }

    #[test]
    fn a_failed_write_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("taken");
        fs::create_dir(&path).expect("a folder");
        fs::write(path.join("inside"), b"kept").expect("writes");
        write_atomic(&path, b"new").expect_err("a folder is in the way");
        assert_eq!(names(folder.path()), ["taken"]);
        assert_eq!(fs::read(path.join("inside")).expect("reads"), b"kept");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("missing").join("a.pno");
        let message = format!("{:#}", write_atomic(&path, b"new").expect_err("no folder"));
        assert!(
            message.contains("there is no folder") && message.contains("missing"),
            "{message}"
        );
    }

    #[test]
    fn a_full_disk_is_told_in_a_sentence() {
        let error = io::Error::from(ErrorKind::StorageFull);
        let message = explained(error, Path::new("runs/a.pno"), 1000).to_string();
        assert_eq!(
            message,
            "the disk is full: 1000 bytes for runs/a.pno do not fit into runs; nothing was changed"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_written_file_has_ordinary_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_atomic(&ours, b"x").expect("writes");
        fs::write(&plain, b"x").expect("writes");
        let mode = |path: &Path| fs::metadata(path).expect("is there").permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, b"12345").expect("writes");
        assert_eq!(read_at_most(&path, 5).expect("reads"), b"12345");
        let kind = |path: &Path| read_at_most(path, 4).expect_err("too long").kind();
        assert_eq!(kind(&path), ErrorKind::FileTooLarge);
        if cfg!(unix) {
            assert_eq!(
                kind(Path::new("/dev/zero")),
                ErrorKind::FileTooLarge,
                "without end"
            );
        }
    }

    #[test]
    fn what_is_not_a_model_is_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = |path: &Path| format!("{:#}", Model::read(path).expect_err("no model"));
        assert!(said(folder.path()).contains("holds no model.pno"));
        assert!(said(&folder.path().join("a.pno")).contains("there is no model"));
        let page = folder.path().join("model.pno");
        fs::write(&page, "<!DOCTYPE html>").expect("writes");
        let message = said(folder.path());
        assert!(
            message.contains("model.pno cannot be used: this is not a .pno file"),
            "{message}"
        );
    }
}
