//! Tests that find out while they run that they cannot: without an adapter, a Python, a file.
//!
//! A test harness counts them as passed, so they write a line each into a file that `PNO_SKIPPED` names
//! (`shared/tests/skip/mod.rs`, `web/tests/skipped-reporter.mjs`), and the summary counts these lines.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::steps::Outcome;
use crate::workspace::Workspace;

/// The file in which the tests of one step tell what they skipped.
pub struct Skips {
    file: PathBuf,
}

impl Skips {
    /// An empty list for a step.
    pub fn new(workspace: &Workspace, step: &str) -> Result<Self> {
        let folder = workspace.target.join("skipped");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let file = folder.join(format!("{step}-{}.txt", std::process::id()));
        let skips = Self { file };
        skips.remove()?;
        Ok(skips)
    }

    /// Lets the tests of a command write into the list.
    pub fn told_by<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("PNO_SKIPPED", &self.file)
    }

    /// What the list says about a step that passed.
    pub fn outcome(self) -> Result<Outcome> {
        let told = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => {
                let path = self.file.display();
                return Err(error).with_context(|| format!("cannot read {path}"));
            }
        };
        self.remove()?;
        let mut reasons: Vec<String> = told.lines().map(str::to_owned).collect();
        // Tests run side by side: the same order every time reads better.
        reasons.sort();
        // A test that tries several things tells the same several times.
        reasons.dedup();
        Ok(if reasons.is_empty() {
            Outcome::Passed
        } else {
            Outcome::Partly(reasons)
        })
    }

    fn remove(&self) -> Result<()> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let path = self.file.display();
                Err(error).with_context(|| format!("cannot remove {path}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;

    #[test]
    fn what_a_test_tells_is_counted_with_its_place_and_reason() {
        let workspace = Workspace::locate().expect("found");
        let list = || Skips::new(&workspace, "of-a-test").expect("a list");
        assert_eq!(list().outcome().expect("read"), Outcome::Passed);

        let skips = list();
        let told = |line: &str| skip::append(skips.file.as_os_str(), line);
        told("b (b.rs:2): no reason at all\n");
        told("a (a.rs:1): no adapter\n");
        told("a (a.rs:1): no adapter\n");
        let wanted = ["a (a.rs:1): no adapter", "b (b.rs:2): no reason at all"];
        assert_eq!(
            skips.outcome().expect("read"),
            Outcome::Partly(wanted.map(String::from).to_vec())
        );
        assert_eq!(list().outcome().expect("read"), Outcome::Passed);
    }
}
