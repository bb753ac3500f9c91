//! Bytes of a file by position: what is asked for is compared with what is there before memory is taken for it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};

/// Bytes that are read together where fewer are wanted: headers are many small pieces side by side.
const WINDOW: usize = 8192;

/// An open file that several threads may read.
#[derive(Debug)]
pub struct Bytes {
    open: Mutex<Open>,
    length: u64,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Where the bytes that were last read together begin.
    start: u64,
    window: Vec<u8>,
}

impl Bytes {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).context("it cannot be opened")?;
        let about = file.metadata().context("it cannot be read")?;
        ensure!(about.is_file(), "it is not a file");
        Ok(Self {
            open: Mutex::new(Open {
                file,
                start: 0,
                window: Vec::new(),
            }),
            length: about.len(),
        })
    }

    /// Number of bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from a position on; all that are wanted, or a sentence.
    pub fn at(&self, position: u64, count: usize) -> Result<Vec<u8>> {
        ensure!(
            position
                .checked_add(count as u64)
                .is_some_and(|end| end <= self.length),
            "it is cut short: {count} bytes are wanted from byte {position} on, but it ends at byte {}",
            self.length
        );
        self.up_to(position, count)
    }

    /// The bytes from a position on; fewer than wanted where the file ends.
    pub fn up_to(&self, position: u64, count: usize) -> Result<Vec<u8>> {
        let left = self.length.saturating_sub(position);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let count = count.min(left);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = if count >= WINDOW {
            open.read(position, count)
        } else {
            open.small(position, count, left.min(WINDOW))
        };
        bytes.with_context(|| format!("{count} bytes from byte {position} on cannot be read"))
    }
}

impl Open {
    fn read(&mut self, position: u64, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.file.seek(SeekFrom::Start(position))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// A few bytes, out of the window where they are in it.
    fn small(&mut self, position: u64, count: usize, window: usize) -> io::Result<Vec<u8>> {
        let inside = position
            .checked_sub(self.start)
            .and_then(|offset| usize::try_from(offset).ok())
            .filter(|offset| offset.saturating_add(count) <= self.window.len());
        let offset = if let Some(offset) = inside {
            offset
        } else {
            self.window = self.read(position, window)?;
            self.start = position;
            0
        };
        Ok(self.window[offset..offset + count].to_vec())
    }
}
