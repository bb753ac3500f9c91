//! Where things are, and how other programs are started.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The folders of this workspace and the manner of its output.
pub struct Workspace {
    /// Top of the repository.
    pub root: PathBuf,
    /// Where cargo builds.
    pub target: PathBuf,
    /// Where the pinned tools are installed (`bin` inside).
    pub tools: PathBuf,
    /// No colours, no progress bars.
    pub plain: bool,
}

impl Workspace {
    /// Finds the folders from cargo's variables and ours.
    pub fn locate() -> Result<Self> {
        // Asked at run time: a target folder shared by several clones may hold a program built in another one.
        let manifest =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest)
            .parent()
            .context("the folder xtask has no parent")?
            .to_path_buf();
        let here = env::current_dir().context("cannot tell the current folder")?;
        // Relative to the caller's folder, as cargo has it; `join` leaves absolute paths alone.
        let folder = |variable: &str, default: &str| match env::var_os(variable) {
            Some(path) if !path.is_empty() => here.join(path),
            _ => root.join(default),
        };
        Ok(Self {
            target: folder("CARGO_TARGET_DIR", "target"),
            tools: folder("PNO_TOOLS", ".tools"),
            plain: is_ci() || !io::stdout().is_terminal(),
            root,
        })
    }

    /// A program that starts at the top of the repository and finds the pinned tools first.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env("PATH", self.path())
            .env("CARGO_TARGET_DIR", &self.target)
            .stdin(Stdio::null());
        for (name, _) in env::vars_os() {
            if is_about_us(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        if self.plain {
            command
                .env("CARGO_TERM_COLOR", "never")
                .env("CARGO_TERM_PROGRESS_WHEN", "never")
                .env("NO_COLOR", "true");
        }
        command
    }

    /// The cargo that started us.
    pub fn cargo(&self) -> Command {
        let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        self.command(&cargo)
    }

    /// Where a program is, if it is on the search path.
    pub fn which(&self, program: &str) -> Option<PathBuf> {
        let file = format!("{program}{}", env::consts::EXE_SUFFIX);
        env::split_paths(&self.path())
            .map(|folder| folder.join(&file))
            .find(|path| path.is_file())
    }

    /// The built page.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    fn path(&self) -> OsString {
        let old = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.tools.join("bin")).chain(env::split_paths(&old));
        // A folder with a separator in its name cannot be on a search path at all.
        env::join_paths(folders).unwrap_or(old)
    }
}

/// Whether cargo set this variable to tell xtask about its own package. Some build scripts (ring's) want to run again when
/// one of them changes, and burn is compiled after them: another clone, or a command by hand, would compile all of it anew.
fn is_about_us(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
}

/// Whether this is an automatic run.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// Shows a command, runs it, and makes its failure an error.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command silently and gives its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{}` failed ({}): {}",
            line(command),
            output.status,
            told.trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command as one would type it.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["test", "--release"]);
        assert_eq!(line(&command), "cargo test --release");
    }

    #[test]
    fn what_cargo_says_of_xtask_is_not_handed_on() {
        let workspace = Workspace::locate().expect("found");
        let command = workspace.command("cargo");
        let removed = |wanted: &str| {
            command
                .get_envs()
                .any(|(name, value)| name == wanted && value.is_none())
        };
        // Cargo sets both for a test as well.
        assert!(removed("CARGO_MANIFEST_DIR") && removed("CARGO_PKG_NAME"));
        assert!(!removed("CARGO_TARGET_DIR") && !removed("PATH"));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let message = run(&mut Command::new("no-such-program-of-pno"))
            .expect_err("fails")
            .to_string();
        assert!(
            message.contains("cannot start `no-such-program-of-pno`"),
            "{message}"
        );
    }

    #[test]
    fn the_pinned_tools_come_first_on_the_search_path() {
        let workspace = Workspace::locate().expect("found");
        assert!(workspace.root.join("Trunk.toml").is_file());
        let first = env::split_paths(&workspace.path()).next();
        assert_eq!(first, Some(workspace.tools.join("bin")));
    }
}
