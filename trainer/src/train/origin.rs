//! How a run began: what a model says about its making, the same whether the run was interrupted or not.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::date;
use super::settings::{Stage, TrainSettings};
use crate::data::Size;
use crate::files;

const NAME: &str = "origin.toml";

/// The command and the day that began a run.
///
/// A resumed run keeps both, so that the bytes of its model are those of a run that was never stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The command as it was typed, without `--resume`; with another number of epochs if the run was resumed with one.
    pub command: String,
    /// `YYYY-MM-DD`, UTC.
    pub created: String,
    /// What was asked for by name; unknown for runs of other commands, and for those from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// What was asked for by names that the settings do not tell any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The preset.
    pub size: Size,
    /// Named changes, in their order.
    pub variants: Vec<String>,
    /// A file of settings and the first characters of its hash; empty for none.
    pub file: String,
    /// Memory of the device; empty for no budget.
    pub memory_budget: String,
}

impl Origin {
    /// This command, today.
    pub fn now() -> Self {
        Self {
            command: whole(&crate::cli::command_line()),
            created: date::today(),
            asked: None,
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

    /// The same, with the day of a run that the same command began in this folder and that was killed before it was one.
    #[must_use]
    pub fn first_of(self, run: &Path) -> Self {
        let before = Self::read(run).ok();
        before
            .filter(|before| before.command == self.command)
            .map_or(self.clone(), |before| Self {
                created: before.created,
                ..self
            })
    }

    /// Writes it into a run folder.
    pub fn write(&self, run: &Path) -> Result<()> {
        let text = toml::to_string_pretty(self).context("the origin of a run")?;
        files::write_atomic(&run.join(NAME), text.as_bytes())
    }

    /// The command that makes in one go what a run becomes that is resumed with other numbers of epochs.
    #[must_use]
    pub fn with_lengths(&self, before: &TrainSettings, after: &TrainSettings) -> Self {
        let mut words: Vec<String> = self.command.split(' ').map(str::to_owned).collect();
        if after.epochs != before.epochs {
            set_epochs(&mut words, after.epochs);
        }
        if after.stages != before.stages {
            remove_setting(&mut words, "train.stages");
            words.extend([
                "--set".into(),
                format!("'train.stages={}'", spelt(&after.stages)),
            ]);
        }
        Self {
            command: words.join(" "),
            ..self.clone()
        }
    }
}

/// A command that begins a run: with `--resume` it may have been typed to begin one as well.
fn whole(command: &str) -> String {
    let words = command.split(' ').filter(|word| *word != "--resume");
    words.collect::<Vec<_>>().join(" ")
}

fn set_epochs(words: &mut Vec<String>, epochs: usize) {
    // A setting comes after the flag and counts more.
    remove_setting(words, "train.epochs");
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
}

/// Takes out every `--set key=…`.
fn remove_setting(words: &mut Vec<String>, key: &str) {
    let names = |word: &str| {
        let word = word.trim_start_matches('\'');
        word.strip_prefix(key).is_some_and(|w| w.starts_with('='))
    };
    let mut at = 0;
    while at < words.len() {
        if words[at] == "--set" && words.get(at + 1).is_some_and(|word| names(word)) {
            words.drain(at..at + 2);
        } else if words[at].strip_prefix("--set=").is_some_and(names) {
            words.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Stages as `--set` takes them, without spaces.
fn spelt(stages: &[Stage]) -> String {
    let stages = stages.iter().map(|stage| {
        let Stage {
            steps,
            epochs,
            rate,
            batch,
            entries,
            members,
        } = stage;
        let own = [("batch", batch), ("entries", entries), ("members", members)];
        let own = own
            .into_iter()
            .filter_map(|(name, value)| Some((name, (*value)?)));
        let own = own.fold(String::new(), |text, (name, value)| {
            text + &format!(",{name}={value}")
        });
        format!("{{steps={steps},epochs={epochs},rate={rate:?}{own}}}")
    });
    format!("[{}]", stages.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::settings::Override;
    use pno::spec::{Method, Profile};

    fn origin(command: &str) -> Origin {
        Origin {
            command: command.into(),
            created: "2026-01-02".into(),
            asked: None,
        }
    }

    fn train() -> TrainSettings {
        TrainSettings::general(Method::Det, Profile::Fixed, Size::Demo).expect("a preset")
    }

    #[test]
    fn more_epochs_are_written_into_the_command_that_began_the_run() {
        let (before, mut after) = (train(), train());
        after.epochs = 9;
        let with = |command: &str| origin(command).with_lengths(&before, &after).command;
        for (command, wanted) in [
            (
                "pno train ks --epochs 4 --out a",
                "pno train ks --epochs 9 --out a",
            ),
            (
                "pno train ks --epochs=4 --out a",
                "pno train ks --epochs=9 --out a",
            ),
            ("pno train ks --out a", "pno train ks --out a --epochs 9"),
            (
                "pno train ks --set train.epochs=4 --out a",
                "pno train ks --out a --epochs 9",
            ),
        ] {
            assert_eq!(with(command), wanted);
        }
        let same = origin("pno train ks --out a");
        assert_eq!(same.with_lengths(&before, &before), same);
    }

    #[test]
    fn a_longer_stage_is_written_in_words_that_set_reads() {
        let (before, mut after) = (train(), train());
        after.stages = vec![Stage {
            steps: 2,
            epochs: 7,
            rate: 0.5,
            batch: Some(16),
            entries: None,
            members: Some(4),
        }];
        let origin = origin("pno train sswe --set 'train.stages=[{steps=2,epochs=3}]' --out a");
        let command = origin.with_lengths(&before, &after).command;
        let (first, last) = command.rsplit_once(' ').expect("words");
        assert_eq!(first, "pno train sswe --out a --set");
        let read: Override = last.trim_matches('\'').parse().expect("an override");
        let value = toml::Value::try_from(&after.stages).expect("a value");
        assert_eq!(read, Override::new("train.stages", value));
    }

    #[test]
    fn a_run_that_began_with_resume_is_one_that_began() {
        assert_eq!(
            whole("pno train ks --resume --out a"),
            "pno train ks --out a"
        );
    }

    #[test]
    fn a_start_that_was_killed_keeps_its_day_and_another_command_has_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        origin("pno train ks").write(folder.path()).expect("writes");
        let today = |command: &str| Origin {
            created: "2026-01-03".into(),
            ..origin(command)
        };
        let again = today("pno train ks").first_of(folder.path());
        assert_eq!(again.created, "2026-01-02");
        let other = today("pno train darcy").first_of(folder.path());
        assert_eq!(other.created, "2026-01-03");
    }
}
