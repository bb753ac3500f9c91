//! Where a reproduction keeps what it makes.
//!
//! ```text
//! WORK/<size>/data/<data>              data sets, each with a word beside it of what it was asked for
//! WORK/<size>/runs/<name>-s<seed>      run folders, and models made of them
//! WORK/<size>/results/<name>-s<seed>   one folder per evaluation
//! WORK/<size>/times.json               seconds of every job
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pno::checkpoint::Checkpoint;

use super::size::Size;
use super::source::{Data, Evaluation, Source};
use crate::files;

/// The working folder of one size.
#[derive(Debug, Clone)]
pub struct Place {
    root: PathBuf,
}

impl Place {
    /// The folder of a size below a working folder.
    pub fn new(work: &Path, size: Size) -> Self {
        Self {
            root: work.join(size.name()),
        }
    }

    /// Makes the folders.
    pub fn make(&self) -> Result<()> {
        for name in ["data", "runs", "results"] {
            let folder = self.root.join(name);
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        Ok(())
    }

    /// A data set.
    pub fn data(&self, data: Data) -> PathBuf {
        self.root.join("data").join(data.name())
    }

    /// What a data set was asked for.
    pub fn request(&self, data: Data) -> PathBuf {
        self.root.join("data").join(format!("{}.txt", data.name()))
    }

    /// A run folder, or that of a model made of one.
    pub fn run(&self, name: &str, seed: u64) -> PathBuf {
        self.root.join("runs").join(format!("{name}-s{seed}"))
    }

    /// The file of a model.
    pub fn model(&self, source: &Source, seed: u64) -> PathBuf {
        self.run(&source.name(), seed).join(Checkpoint::FILE_NAME)
    }

    /// The folder of an evaluation.
    pub fn result(&self, source: &Source, evaluation: &Evaluation, seed: u64) -> PathBuf {
        let name = format!("{}{}-s{seed}", source.name(), evaluation.suffix());
        self.root.join("results").join(name)
    }

    /// Seconds of every job so far.
    pub fn times(&self) -> BTreeMap<String, f64> {
        // Only for estimates: without the file, or with a damaged one, they begin anew.
        std::fs::read(self.times_file())
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Adds the seconds that a job took, in one go or in several.
    pub fn add_time(&self, job: &str, seconds: f64) -> Result<()> {
        let mut times = self.times();
        *times.entry(job.to_owned()).or_default() += seconds;
        files::write_atomic(&self.times_file(), &serde_json::to_vec_pretty(&times)?)
    }

    fn times_file(&self) -> PathBuf {
        self.root.join("times.json")
    }
}

/// Hash of a model's file; `None` where there is none.
pub fn fingerprint(model: &Path) -> Option<String> {
    let bytes = std::fs::read(model).ok()?;
    Some(Checkpoint::fingerprint(&bytes))
}
