//! How a run began: what a model says about its making, the same whether the run was interrupted or not.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::date;
use crate::files;

const NAME: &str = "origin.toml";

/// The command and the day that began a run.
///
/// A resumed run keeps both, so that the bytes of its model are those of a run that was never stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The command as it was typed; with another number of epochs if the run was resumed with one.
    pub command: String,
    /// `YYYY-MM-DD`, UTC.
    pub created: String,
}

impl Origin {
    /// This command, today.
    pub fn now() -> Self {
        Self {
            command: crate::cli::command_line(),
            created: date::today(),
        }
    }

    /// Reads that of a run; a run without one began now.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(NAME);
        if !path.exists() {
            return Ok(Self::now());
        }
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Writes it into a run folder.
    pub fn write(&self, run: &Path) -> Result<()> {
        let text = toml::to_string_pretty(self).context("the origin of a run")?;
        files::write_atomic(&run.join(NAME), text.as_bytes())
    }

    /// The command that makes in one go what `--resume --epochs N` makes of this run.
    #[must_use]
    pub fn with_epochs(&self, epochs: usize) -> Self {
        let mut words: Vec<String> = self.command.split(' ').map(str::to_owned).collect();
        let value = epochs.to_string();
        if let Some(at) = words.iter().position(|word| word == "--epochs")
            && at + 1 < words.len()
        {
            words[at + 1] = value;
        } else if let Some(word) = words.iter_mut().find(|w| w.starts_with("--epochs=")) {
            *word = format!("--epochs={value}");
        } else {
            words.extend(["--epochs".to_owned(), value]);
        }
        Self {
            command: words.join(" "),
            created: self.created.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_epochs_are_written_into_the_command_that_began_the_run() {
        let with = |command: &str| {
            let origin = Origin {
                command: command.into(),
                created: "2026-01-02".into(),
            };
            origin.with_epochs(9).command
        };
        assert_eq!(
            with("pno train ks --epochs 4 --out a"),
            "pno train ks --epochs 9 --out a"
        );
        assert_eq!(
            with("pno train ks --epochs=4 --out a"),
            "pno train ks --epochs=9 --out a"
        );
        assert_eq!(
            with("pno train ks --out a"),
            "pno train ks --out a --epochs 9"
        );
    }
}
