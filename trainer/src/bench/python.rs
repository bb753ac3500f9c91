//! Python, if it is there, with the packages of the peers, if they are.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tempfile::TempDir;

use super::peer::Peer;

/// The scripts go with the program, wherever it is installed.
const SCRIPTS: [(&str, &str); 5] = [
    ("turns.py", include_str!("../../peers/turns.py")),
    ("ks_pypde.py", include_str!("../../peers/ks_pypde.py")),
    (
        "score_scoringrules.py",
        include_str!("../../peers/score_scoringrules.py"),
    ),
    ("sswe_torch.py", include_str!("../../peers/sswe_torch.py")),
    (
        "train_neuraloperator.py",
        include_str!("../../peers/train_neuraloperator.py"),
    ),
];

/// A module, and the package that has it.
pub type Package = (&'static str, &'static str);

/// An interpreter, and a folder with the scripts and the files that are exchanged with them.
pub struct Python {
    program: OsString,
    install: &'static str,
    folder: TempDir,
}

impl Python {
    /// Writes the scripts. Nothing is started yet; `install` is how to get the packages, for the sentence that misses
    /// them.
    pub fn new(program: &OsStr, install: &'static str) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        for (name, text) in SCRIPTS {
            let path = folder.path().join(name);
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(Self {
            program: program.to_owned(),
            install,
            folder,
        })
    }

    /// Which of these packages (module, package) are missing; a sentence if there is no telling.
    pub fn missing(&self, packages: &[Package]) -> Result<Vec<String>, String> {
        let program = self.program.to_string_lossy();
        let wanted = packages
            .iter()
            .map(|(module, name)| format!("{module}={name}"));
        let output = self.command("turns.py").args(wanted).output();
        let output = output.map_err(|error| {
            self.nothing_to_compare(&format!("{program} cannot be started ({error})"))
        })?;
        let answer: Result<Missing, _> = serde_json::from_slice(&output.stdout);
        answer
            .map(|answer| answer.missing)
            .map_err(|_| self.nothing_to_compare(&format!("{program} does not run Python scripts")))
    }

    /// The sentence about missing packages.
    pub fn lacks(&self, packages: &[String]) -> String {
        let packages = packages.join(" and no ");
        self.nothing_to_compare(&format!(
            "{} has no {packages}",
            self.program.to_string_lossy()
        ))
    }

    /// Starts a script of ours.
    pub fn peer(&self, script: &str, arguments: &[(&str, String)]) -> Result<Peer> {
        let mut command = self.command(script);
        for (name, value) in arguments {
            command.arg(name).arg(value);
        }
        let name = format!("{} {script}", self.program.to_string_lossy());
        Peer::start(&name, &mut command, self.file("complaints.txt"))
    }

    /// A file to exchange.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Values that a peer wrote, in the shape they should have.
    pub fn exchanged(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let path = self.file(name);
        let array = crate::npy::read(&path)?;
        ensure!(
            array.shape == shape,
            "{}: its shape is {:?}, but {shape:?} is wanted",
            path.display(),
            array.shape
        );
        Ok(array.values)
    }

    fn nothing_to_compare(&self, why: &str) -> String {
        let install = self.install;
        format!("{why}, so there is nothing to compare with: {install}")
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-B").arg(self.file(script));
        command
    }
}

#[derive(Deserialize)]
struct Missing {
    missing: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip::skip;

    const INSTALL: &str = "pip install first second";

    #[test]
    fn an_interpreter_that_is_not_there_is_a_sentence() {
        let python = Python::new(OsStr::new("no-such-python-of-pno"), INSTALL).expect("a folder");
        let said = python
            .missing(&[("pde", "py-pde")])
            .expect_err("a sentence");
        assert!(
            said.starts_with("no-such-python-of-pno cannot be started"),
            "{said}"
        );
        assert!(said.ends_with(INSTALL), "{said}");
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_is_no_interpreter_is_a_sentence() {
        for program in ["true", "echo"] {
            let python = Python::new(OsStr::new(program), INSTALL).expect("a folder");
            let said = python
                .missing(&[("pde", "py-pde")])
                .expect_err("a sentence");
            let wanted = format!("{program} does not run Python scripts, so");
            assert!(said.starts_with(&wanted), "{said}");
        }
    }

    #[test]
    fn missing_packages_are_named() {
        let python = Python::new(OsStr::new("python3"), INSTALL).expect("a folder");
        let wanted = [
            ("json", "json"),
            ("no_such_module_of_pno", "first"),
            ("nor_this_one_of_pno", "second"),
        ];
        let Ok(missing) = python.missing(&wanted) else {
            skip("python3 is not installed here");
            return;
        };
        assert_eq!(missing, ["first", "second"]);
        let said = python.lacks(&missing);
        assert!(
            said.starts_with("python3 has no first and no second, so"),
            "{said}"
        );
        assert!(said.ends_with(INSTALL), "{said}");
        assert_eq!(python.missing(&wanted[..1]), Ok(vec![]));
    }
}
