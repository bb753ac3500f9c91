//! The browser tests: the page of `dist/` in a real Chromium, next to the native program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::args::{Args, Usage};
use crate::skips::Skips;
use crate::steps::Outcome;
use crate::workspace::{Workspace, run};
use crate::{native, system, writers};

/// What the file of a browser test ends with.
const ENDING: &str = ".test.mjs";

/// Files that measure time or memory, or compute on the software adapter, which takes every core: each runs alone.
const ALONE: [&str; 5] = ["gpu", "hostile", "memory", "operators", "smooth"];

/// How many of the other files run at a time: of two one mostly waits for its browser while the other's computes.
/// The limits of `web/tests/waiting.mjs` were tried with as many.
const AT_ONCE: usize = 2;

/// Which tests run, and how often.
pub struct Choice {
    /// Names of files without their ending; all if there is none.
    files: Vec<String>,
    /// Runs, one after the other.
    repeat: u32,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            repeat: 1,
        }
    }
}

/// `cargo xtask browser-test`.
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let repeat = args.value("--repeat")?;
    let files = args.words();
    args.finish()?;
    let choice = choose(&known(&folder(workspace))?, files, repeat.as_deref())?;
    if let Outcome::Partly(skipped) = test(workspace, &choice)? {
        for reason in &skipped {
            println!("SKIPPED {reason}");
        }
    }
    Ok(())
}

/// Builds the native program, then drives the page that `cargo xtask page` made.
pub fn test(workspace: &Workspace, choice: &Choice) -> Result<Outcome> {
    let chromium = system::chromium(workspace)?;
    system::node(workspace)?;
    if !workspace.dist().join("index.html").is_file() {
        bail!(
            "there is no page in {}; `cargo xtask page` builds it",
            workspace.dist().display()
        );
    }
    let folder = folder(workspace);
    install_packages(workspace, &folder)?;
    let writers = writers::python(workspace)?;
    let program = native::build(workspace)?;
    let skips = Skips::new(workspace, "browser")?;
    let mut runs: Vec<Command> = groups(choice, &known(&folder)?)
        .into_iter()
        .map(|(at_once, files)| {
            let mut node = workspace.command("node");
            node.args(["--test", &format!("--test-concurrency={at_once}")])
                .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
                // Nothing on the output: it adds what was skipped to the list.
                .args(["--test-reporter=./skipped-reporter.mjs"])
                .args(["--test-reporter-destination=stderr"])
                .args(files.iter().map(|name| format!("{name}{ENDING}")))
                .current_dir(&folder)
                .env("PNO_BIN", &program)
                .env("PNO_BOOK", workspace.target.join("book"))
                .env("PNO_CHROMIUM", &chromium)
                .env("PNO_DIST", workspace.dist())
                .env("PNO_WRITERS", writers.as_deref().unwrap_or(Path::new("")));
            skips.told_by(&mut node);
            node
        })
        .collect();
    let mut failed = Vec::new();
    for turn in 1..=choice.repeat {
        if choice.repeat > 1 {
            println!("run {turn} of {}", choice.repeat);
        }
        for node in &mut runs {
            if let Err(error) = run(node) {
                // What else runs tells more, and the next turn whether it fails every time.
                println!("run {turn} of {}: {error:#}", choice.repeat);
                failed.push(turn);
            }
        }
    }
    failed.dedup();
    if !failed.is_empty() {
        bail!(
            "the browser tests failed in {} of {} runs: {failed:?}",
            failed.len(),
            choice.repeat
        );
    }
    skips.outcome()
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("web/tests")
}

/// Names of the test files of a folder without their ending, sorted.
fn known(folder: &Path) -> Result<Vec<String>> {
    let read = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in read {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(ENDING).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// The files that run, and how many of each part at a time.
fn groups(choice: &Choice, known: &[String]) -> Vec<(usize, Vec<String>)> {
    let files = if choice.files.is_empty() {
        known
    } else {
        &choice.files
    };
    let (alone, others): (Vec<String>, Vec<String>) = files
        .iter()
        .cloned()
        .partition(|name| ALONE.contains(&name.as_str()));
    let mut groups = vec![(AT_ONCE, others), (1, alone)];
    groups.retain(|(_, files)| !files.is_empty());
    groups
}

/// Checks what was asked for: `embed` and `embed.test.mjs` are the same file.
fn choose(known: &[String], files: Vec<String>, repeat: Option<&str>) -> Result<Choice> {
    let repeat = match repeat.map(|text| (text, text.parse())) {
        None => 1,
        Some((_, Ok(times))) if times > 0 => times,
        Some((text, _)) => {
            let told = format!("--repeat is `{text}`, but must be a whole number from 1");
            return Err(Usage(told).into());
        }
    };
    let mut chosen = Vec::new();
    for file in files {
        let name = file.strip_suffix(ENDING).unwrap_or(&file).to_owned();
        if !known.contains(&name) {
            return Err(Usage(format!(
                "there is no browser test `{name}`; known: {}",
                known.join(", ")
            ))
            .into());
        }
        chosen.push(name);
    }
    Ok(Choice {
        files: chosen,
        repeat,
    })
}

/// `npm ci`, unless exactly what is locked is there already.
fn install_packages(workspace: &Workspace, folder: &Path) -> Result<()> {
    let lock = fs::read_to_string(folder.join("package-lock.json"))
        .context("cannot read web/tests/package-lock.json")?;
    let done = folder.join("node_modules/installed-lock.json");
    if fs::read_to_string(&done).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(workspace
        .command("npm")
        .args(["ci", "--no-audit", "--no-fund"])
        .current_dir(folder))?;
    fs::write(&done, lock).with_context(|| format!("cannot write {}", done.display()))
}

/// The quoted value of a key in a JSON text whose form is known.
#[cfg(test)]
fn version_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    rest.trim_start()
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('"')?
        .split('"')
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packages of the tests, each pinned.
    const PACKAGES: [&str; 5] = [
        "playwright-core",
        "axe-core",
        "@mdx-js/mdx",
        "preact",
        "preact-render-to-string",
    ];

    #[test]
    fn some_files_can_be_chosen_and_run_several_times() {
        let known = ["embed", "safety"].map(String::from);
        let chosen = |files: &[&str], repeat| {
            let files = files.iter().map(|&name| name.to_owned()).collect();
            choose(&known, files, repeat)
        };
        let all = chosen(&[], None).expect("all");
        assert_eq!((all.files.len(), all.repeat), (0, 1));
        let two = chosen(&["safety", "embed.test.mjs"], Some("3")).expect("two");
        assert_eq!(two.files, ["safety", "embed"]);
        assert_eq!(two.repeat, 3);
        let refused = |files: &[&str], repeat| match chosen(files, repeat) {
            Ok(_) => panic!("{files:?} {repeat:?} was taken"),
            Err(error) => error.to_string(),
        };
        let message = refused(&["nothing"], None);
        assert!(message.contains("`nothing`") && message.contains("embed, safety"));
        for wrong in ["0", "-1", "often"] {
            assert!(refused(&[], Some(wrong)).contains(wrong));
        }
    }

    #[test]
    fn the_tests_of_the_folder_are_known() {
        let folder = folder(&Workspace::locate().expect("found"));
        let names = known(&folder).expect("read");
        assert!(names.contains(&"embed".to_owned()), "{names:?}");
        for name in ALONE {
            assert!(names.contains(&name.to_owned()), "there is no {name}");
        }
    }

    #[test]
    fn every_file_runs_once_and_what_measures_runs_alone() {
        let known = ["embed", "gpu", "page", "smooth"].map(String::from);
        let of = |files: &[&str]| {
            let files = files.iter().map(|&name| name.to_owned()).collect();
            groups(&Choice { files, repeat: 1 }, &known)
        };
        let all = [
            (AT_ONCE, vec!["embed".to_owned(), "page".to_owned()]),
            (1, vec!["gpu".to_owned(), "smooth".to_owned()]),
        ];
        assert_eq!(of(&[]), all);
        assert_eq!(of(&["smooth"]), [(1, vec!["smooth".to_owned()])]);
        assert_eq!(of(&["page"]), [(AT_ONCE, vec!["page".to_owned()])]);
    }

    #[test]
    fn a_version_is_read_from_json() {
        assert_eq!(
            version_after("{\"a\": 1, \"version\" : \"1.65.0\" }", "\"version\""),
            Some("1.65.0")
        );
        assert_eq!(version_after("{}", "\"version\""), None);
        assert_eq!(version_after("{\"version\": 3}", "\"version\""), None);
    }

    #[test]
    fn packages_are_pinned_and_locked() {
        let folder = Workspace::locate().expect("found").root.join("web/tests");
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
        let manifest = read("package.json");
        let lock = read("package-lock.json");
        for package in PACKAGES {
            let pin = version_after(&manifest, &format!("\"{package}\"")).expect("a version");
            assert!(
                pin.starts_with(|c: char| c.is_ascii_digit()),
                "{pin} is a range"
            );
            let key = format!("\"node_modules/{package}\"");
            let (_, locked) = lock.split_once(&key).expect("locked");
            assert_eq!(version_after(locked, "\"version\""), Some(pin));
        }
        assert!(
            !lock.contains("\"resolved\""),
            "the lock file names a registry"
        );
    }
}
