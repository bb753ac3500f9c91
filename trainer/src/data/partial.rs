//! A folder that is being made: beside its final place, with a note of what it will be, renamed when it is whole.
//!
//! ```text
//! DIR/NAME                            the data set; whole, or not there
//! DIR/.NAME.partial/                  what is being made
//! DIR/.NAME.partial/pno-partial.json  the note: the request that is being carried out
//! DIR/.NAME.partial/pno-whole         everything is made and on the disk: only the name is missing
//! DIR/.NAME.old/                      what had the name before, for as long as two renames take
//! DIR/.NAME.lock                      locked by the process that is at work
//! ```
//!
//! A process may be killed between any two operations. Whoever comes next takes the lock and first ends what it finds:
//! a folder that is whole gets its name, also if the next request is another one, and what had the name before gets it
//! back if there is nothing whole. So nothing that was finished is ever removed for being unfinished.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::lock::{self, Lock};

mod disk;
#[cfg(test)]
mod tests;

/// The note inside; it goes away after the folder has got its name.
const NOTE: &str = "pno-partial.json";
/// The mark of a folder that only wants its name; its text says whether it may replace another.
const WHOLE: &str = "pno-whole";
const REPLACES: &str = "replaces what is there";
const NEW: &str = "new";

/// The folder under construction. No other process makes one of the same name meanwhile.
pub struct Partial {
    place: Place,
    may_replace: bool,
    _lock: Lock,
}

impl Partial {
    /// Starts a folder that will be `target`, or goes on with one that was started for the same request.
    pub fn start(target: &Path, request: &str, force: bool) -> Result<Self> {
        let (place, lock) = Place::taken(target)?;
        place.recover()?;
        allowed(target, force)?;
        place.made_ready(request, force, lock)
    }

    /// The same; `None` where the request was carried out by a process that was killed while it gave the name, which has
    /// been done now.
    pub fn start_or_end(target: &Path, request: &str, force: bool) -> Result<Option<Self>> {
        let (place, lock) = Place::taken(target)?;
        if place.recover()?.as_deref() == Some(request) {
            return Ok(None);
        }
        allowed(target, force)?;
        place.made_ready(request, force, lock).map(Some)
    }

    /// The same where the caller knows that what is there may be replaced.
    pub fn begin(target: &Path, request: &str) -> Result<Self> {
        let (place, lock) = Place::taken(target)?;
        place.recover()?;
        place.made_ready(request, true, lock)
    }

    /// Where to write.
    pub fn folder(&self) -> &Path {
        &self.place.partial
    }

    /// Gives the folder its name. What was there before stays until the new one is in place.
    pub fn finish(self) -> Result<()> {
        let Place {
            target, partial, ..
        } = &self.place;
        let cannot = || format!("{}: cannot be finished", target.display());
        disk::sync(partial).with_context(cannot)?;
        let mark = if self.may_replace { REPLACES } else { NEW };
        disk::write(&partial.join(WHOLE), mark).with_context(cannot)?;
        self.place.put()
    }
}

/// Whether what is there may be replaced. Only an empty folder or one that is a Zarr group may: `--force` must not delete
/// somebody's home.
fn allowed(target: &Path, force: bool) -> Result<()> {
    if !target.exists() {
        return Ok(());
    }
    crate::files::refuse_taken(target, force)?;
    let empty = fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    ensure!(
        empty || target.join("zarr.json").exists(),
        "{} is there already and is not a data set, so --force does not replace it",
        target.display()
    );
    Ok(())
}

/// The final place and those beside it.
struct Place {
    target: PathBuf,
    parent: PathBuf,
    partial: PathBuf,
    old: PathBuf,
}

impl Place {
    /// The places of a name, with the lock on it.
    fn taken(target: &Path) -> Result<(Self, Lock)> {
        let name = target
            .file_name()
            .with_context(|| format!("{}: not a name for a folder", target.display()))?;
        let beside =
            |ending: &str| target.with_file_name(format!(".{}.{ending}", name.to_string_lossy()));
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent)
            .with_context(|| format!("{}: cannot be made", parent.display()))?;
        let lock = Lock::beside(target, &beside("lock"))?;
        let place = Self {
            target: target.to_owned(),
            parent: parent.to_owned(),
            partial: beside("partial"),
            old: beside("old"),
        };
        Ok((place, lock))
    }

    /// Ends what a process that was killed had begun to put in place. Gives the request, if that was whole.
    fn recover(&self) -> Result<Option<String>> {
        if self.partial.join(WHOLE).exists() {
            let note = self.note();
            self.put()?;
            return Ok(note);
        }
        if self.target.exists() {
            let note = fs::read_to_string(self.target.join(NOTE)).ok();
            self.tidy()?;
            return Ok(note);
        }
        if self.old.exists() {
            disk::rename(&self.old, &self.target)
                .with_context(|| format!("{}: cannot be put back", self.target.display()))?;
        }
        Ok(None)
    }

    /// Makes the folder, or goes on with that of the same request.
    fn made_ready(self, request: &str, may_replace: bool, lock: Lock) -> Result<Partial> {
        let place = self.partial.display();
        if self.note().as_deref() != Some(request) {
            // The note first: what is half removed must not look like what can be gone on with.
            disk::remove_file(&self.partial.join(NOTE))
                .and_then(|()| disk::remove_folder(&self.partial))
                .with_context(|| format!("{place}: cannot be cleared away"))?;
            disk::create_folder(&self.partial)
                .with_context(|| format!("{place}: cannot be made"))?;
            disk::write(&self.partial.join(NOTE), request)?;
        }
        lock::clean(&self.partial);
        Ok(Partial {
            place: self,
            may_replace,
            _lock: lock,
        })
    }

    fn note(&self) -> Option<String> {
        fs::read_to_string(self.partial.join(NOTE)).ok()
    }

    /// Gives the whole folder its name.
    fn put(&self) -> Result<()> {
        let place = self.target.display();
        if self.target.exists() {
            let mark = fs::read_to_string(self.partial.join(WHOLE));
            ensure!(
                mark.is_ok_and(|mark| mark == REPLACES),
                "{place} has come into being while another was made: that is whole and in {}; move one of them away",
                self.partial.display()
            );
            // It can only be what is left of an older one.
            disk::remove_folder(&self.old)
                .with_context(|| format!("{}: cannot be cleared away", self.old.display()))?;
            disk::rename(&self.target, &self.old)
                .with_context(|| format!("{place}: cannot be moved aside"))?;
        }
        disk::rename(&self.partial, &self.target)
            .and_then(|()| disk::sync_names(&self.parent))
            .with_context(|| format!("{place}: cannot be put in place"))?;
        self.tidy()
    }

    /// Removes what is left once the name is given; the note last, which says whose it is.
    fn tidy(&self) -> Result<()> {
        let remains = || format!("{}: remains cannot be cleared away", self.target.display());
        disk::remove_folder(&self.old).with_context(remains)?;
        for name in [WHOLE, NOTE] {
            disk::remove_file(&self.target.join(name)).with_context(remains)?;
        }
        Ok(())
    }
}
