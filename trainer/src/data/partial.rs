//! A folder that is being made: beside its final place, with a note of what it will be, renamed when it is whole.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The note inside: the request that is being carried out. It goes away just before the folder gets its name.
const NOTE: &str = "pno-partial.json";

/// The folder under construction.
pub struct Partial {
    folder: PathBuf,
    target: PathBuf,
}

impl Partial {
    /// Starts a folder that will be `target`, or goes on with one that was started for the same request.
    pub fn start(target: &Path, request: &str, force: bool) -> Result<Self> {
        if target.exists() {
            let place = target.display();
            ensure!(
                force,
                "{place}: exists already; choose another --out, or replace it with --force"
            );
            ensure!(
                is_replaceable(target),
                "{place}: exists and is not a data set, so --force does not replace it"
            );
        }
        Self::begin(target, request)
    }

    /// The same where the caller knows that what is there may be replaced.
    pub fn begin(target: &Path, request: &str) -> Result<Self> {
        let name = target
            .file_name()
            .with_context(|| format!("{}: not a name for a folder", target.display()))?;
        let folder = target.with_file_name(format!(".{}.partial", name.to_string_lossy()));
        let started = fs::read_to_string(folder.join(NOTE)).ok();
        if folder.exists() && started.as_deref() != Some(request) {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("{}: cannot be cleared away", folder.display()))?;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("{}: cannot be made", folder.display()))?;
        fs::write(folder.join(NOTE), request)
            .with_context(|| format!("{}: cannot be written to", folder.display()))?;
        Ok(Self {
            folder,
            target: target.to_owned(),
        })
    }

    /// Where to write.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives the folder its name. What was there before stays until the new one is in place.
    pub fn finish(self) -> Result<()> {
        let place = self.target.display();
        fs::remove_file(self.folder.join(NOTE))
            .with_context(|| format!("{place}: cannot be finished"))?;
        let old = self.folder.with_extension("old");
        if self.target.exists() {
            fs::rename(&self.target, &old)
                .with_context(|| format!("{place}: cannot be moved aside"))?;
        }
        fs::rename(&self.folder, &self.target)
            .with_context(|| format!("{place}: cannot be put in place"))?;
        if old.exists() {
            fs::remove_dir_all(&old)
                .with_context(|| format!("{}: cannot be cleared away", old.display()))?;
        }
        Ok(())
    }
}

/// Only an empty folder or one that is a Zarr group may be replaced: `--force` must not delete somebody's home.
fn is_replaceable(folder: &Path) -> bool {
    let empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    empty || folder.join("zarr.json").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_the_final_name_before_it_is_whole() {
        let dir = tempfile::tempdir().expect("a folder");
        let target = dir.path().join("set.zarr");
        let partial = Partial::start(&target, "a", false).expect("started");
        fs::write(partial.folder().join("zarr.json"), "{}").expect("written");
        assert!(!target.exists());
        partial.finish().expect("finished");
        assert!(target.join("zarr.json").exists());
        assert_eq!(
            fs::read_dir(dir.path()).expect("listed").count(),
            1,
            "nothing is left beside it"
        );
        assert!(!target.join(NOTE).exists());
    }

    #[test]
    fn the_same_request_goes_on_and_another_starts_anew() {
        let dir = tempfile::tempdir().expect("a folder");
        let target = dir.path().join("set.zarr");
        let first = Partial::start(&target, "a", false).expect("started");
        let chunk = first.folder().join("chunk");
        fs::write(&chunk, "1").expect("written");
        Partial::start(&target, "a", false).expect("goes on");
        assert!(chunk.exists());
        Partial::start(&target, "b", false).expect("starts anew");
        assert!(!chunk.exists());
    }

    #[test]
    fn force_replaces_data_sets_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let target = dir.path().join("set.zarr");
        fs::create_dir(&target).expect("made");
        fs::write(target.join("thesis.tex"), "years").expect("written");
        let message = |force| {
            Partial::start(&target, "a", force)
                .err()
                .expect("refused")
                .to_string()
        };
        assert!(message(false).contains("exists already"));
        assert!(message(true).contains("not a data set"));
        fs::write(target.join("zarr.json"), "{}").expect("written");
        Partial::start(&target, "a", true)
            .expect("started")
            .finish()
            .expect("finished");
        assert!(!target.join("thesis.tex").exists());
    }
}
