//! Inputs as files: readers want a place, and memory is the quickest one.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

/// A file system in memory, where there is one.
const MEMORY: &str = "/dev/shm";
/// Files of one input.
const MOST_FILES: usize = 24;
/// Longest path inside a folder.
const LONGEST_PATH: usize = 48;

thread_local! {
    static SCRATCH: OnceCell<Scratch> = const { OnceCell::new() };
}

/// A folder that the inputs of a thread are written to, one after the other.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Works with the folder of this thread.
    pub fn with(work: impl FnOnce(&Self)) {
        SCRATCH.with(|scratch| work(scratch.get_or_init(Self::new)));
    }

    fn new() -> Self {
        let memory = Path::new(MEMORY);
        let place = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let folder = Builder::new().prefix("pno-fuzz-").tempdir_in(place);
        Self {
            folder: folder.expect("a folder for inputs"),
        }
    }

    /// The input as one file.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("a place for an input");
        path
    }

    /// The input as a folder of files, each a line `@PATH` and then its contents.
    pub fn folder(&self, bytes: &[u8]) -> PathBuf {
        let root = self.folder.path().join("input.zarr");
        // It is not there the first time.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir(&root).expect("a folder for an input");
        for (path, contents) in parts(bytes).into_iter().take(MOST_FILES) {
            let path = root.join(path);
            // A file may be where a folder is wanted: then there is one file less.
            if let Some(folder) = path.parent()
                && fs::create_dir_all(folder).is_ok()
            {
                let _ = fs::write(path, contents);
            }
        }
        root
    }
}

/// Paths and contents; paths that lead elsewhere are left out.
fn parts(bytes: &[u8]) -> Vec<(&str, &[u8])> {
    let mut starts: Vec<usize> = bytes
        .windows(2)
        .enumerate()
        .filter(|(_, two)| *two == b"\n@")
        .map(|(at, _)| at + 2)
        .collect();
    if bytes.first() == Some(&b'@') {
        starts.insert(0, 1);
    }
    let ends = starts.iter().skip(1).map(|start| start - 2);
    let ends: Vec<usize> = ends.chain([bytes.len()]).collect();
    let ranges = starts.into_iter().zip(ends).filter(|(a, b)| a <= b);
    ranges
        .filter_map(|(start, end)| {
            let part = &bytes[start..end];
            let line = part.iter().position(|&byte| byte == b'\n')?;
            let path = std::str::from_utf8(&part[..line]).ok()?;
            is_inside(path).then_some((path, &part[line + 1..]))
        })
        .collect()
}

fn is_inside(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    path.len() <= LONGEST_PATH
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != ".." && part.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_cut_into_files_that_stay_inside() {
        let input = b"@.zgroup\n{}\n@a/0.0\n\x00\n\xff\n@../b\nx\n@/etc/c\ny\n@d\n";
        let wanted: [(&str, &[u8]); 3] = [(".zgroup", b"{}"), ("a/0.0", b"\x00\n\xff"), ("d", b"")];
        assert_eq!(parts(input), wanted);
        assert!(parts(b"no files").is_empty());
    }
}
