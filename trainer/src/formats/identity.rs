//! What tells the files of a source from others of the same names and sizes, without reading them.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

/// Length and last change of a file, or those of all files of a folder together. Empty for an address, behind which the
/// values are taken to stay.
pub fn identity(source: &str) -> Result<String> {
    if source.contains("://") {
        return Ok(String::new());
    }
    of_path(Path::new(source)).with_context(|| format!("{source}: cannot be read"))
}

fn of_path(path: &Path) -> io::Result<String> {
    let about = fs::metadata(path)?;
    if !about.is_dir() {
        return Ok(of_file(&about));
    }
    let mut sum = 0;
    add(path, Path::new(""), &mut sum)?;
    Ok(format!("{sum:032x}"))
}

fn of_file(about: &Metadata) -> String {
    let changed = about.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = changed.map_or(0, |since| since.as_nanos());
    format!("{} bytes of {nanoseconds}", about.len())
}

/// Adds the files of a folder, in whatever order the system lists them. Links count as themselves, so that none leads round.
fn add(folder: &Path, name: &Path, sum: &mut u128) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (about, name) = (entry.metadata()?, name.join(entry.file_name()));
        if about.is_dir() {
            add(&entry.path(), &name, sum)?;
            continue;
        }
        let words = format!("{}: {}", name.display(), of_file(&about));
        let hash = blake3::hash(words.as_bytes());
        let first: [u8; 16] = std::array::from_fn(|i| hash.as_bytes()[i]);
        *sum = sum.wrapping_add(u128::from_le_bytes(first));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn write(path: &Path, words: &str, age_secs: u64) {
        fs::write(path, words).expect("written");
        let time = SystemTime::now() - Duration::from_secs(age_secs);
        let file = fs::File::options().write(true).open(path);
        file.and_then(|file| file.set_modified(time))
            .expect("dated");
    }

    #[test]
    fn a_file_of_another_length_or_time_is_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.nc");
        let found = || identity(&path.to_string_lossy()).expect("is there");
        write(&path, "first", 100);
        let first = found();
        assert_eq!(found(), first);
        write(&path, "other", 50);
        let other = found();
        assert_ne!(other, first, "as long, but later");
        write(&path, "longer", 50);
        assert_ne!(found(), other);
        fs::remove_file(&path).expect("removed");
        let message = format!("{:#}", identity(&path.to_string_lossy()).expect_err("gone"));
        assert!(message.contains("a.nc: cannot be read"), "{message}");
    }

    #[test]
    fn a_folder_is_another_with_any_of_its_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (inner, chunk) = (folder.path().join("u/c"), folder.path().join("u/c/0"));
        fs::create_dir_all(&inner).expect("made");
        let found = || identity(&folder.path().to_string_lossy()).expect("is there");
        write(&folder.path().join("zarr.json"), "{}", 10);
        write(&chunk, "first", 100);
        let first = found();
        assert_eq!(found(), first);
        write(&chunk, "other", 50);
        let other = found();
        assert_ne!(other, first);
        fs::rename(&chunk, inner.join("1")).expect("renamed");
        assert_ne!(found(), other);
    }

    #[test]
    fn an_address_is_not_asked() {
        let address = "https://example.org/a.zarr";
        assert_eq!(identity(address).expect("nothing to read"), "");
    }
}
