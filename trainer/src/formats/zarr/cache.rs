//! What came from the network, kept in a folder so that it is asked for once.
//!
//! A file's name is the hash of its address: nothing in an address can choose where it is written. Only what was decoded is kept, and a
//! file that does not decode any more is fetched again. What is missing at its address is asked for again by the next run. Delete the
//! folder to fetch a data set that has changed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::files;

/// A folder of addresses.
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Uses a folder, which is made when it is first needed.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What is kept of an address, up to a number of bytes.
    pub fn get(&self, address: &str, most: usize) -> Option<Vec<u8>> {
        // Whatever is wrong with a kept file, fetching it again is the answer.
        files::read_at_most(&self.file(address), most).ok()
    }

    /// Keeps what came from an address.
    pub fn put(&self, address: &str, bytes: &[u8]) -> Result<()> {
        let file = self.file(address);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        files::write_atomic(&file, bytes)
    }

    /// Folders of 256 keep any one of them small.
    fn file(&self, address: &str) -> PathBuf {
        let name = blake3::hash(address.as_bytes()).to_hex();
        self.folder.join(&name[..2]).join(&name[2..])
    }
}
