//! The browser tests: the page of `dist/` in a real Chromium, next to the native program.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::workspace::{Workspace, run};
use crate::{native, system, writers};

/// `cargo xtask browser-test`.
pub fn command(workspace: &Workspace, args: Args) -> Result<()> {
    args.finish()?;
    test(workspace)
}

/// Builds the native program, then drives the page that `cargo xtask page` made.
pub fn test(workspace: &Workspace) -> Result<()> {
    let chromium = system::chromium(workspace)?;
    system::node(workspace)?;
    if !workspace.dist().join("index.html").is_file() {
        bail!(
            "there is no page in {}; `cargo xtask page` builds it",
            workspace.dist().display()
        );
    }
    let folder = workspace.root.join("web/tests");
    install_packages(workspace, &folder)?;
    let writers = writers::python(workspace)?;
    let program = native::build(workspace)?;
    run(workspace
        .command("node")
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .current_dir(&folder)
        .env("PNO_BIN", program)
        .env("PNO_BOOK", workspace.target.join("book"))
        .env("PNO_CHROMIUM", chromium)
        .env("PNO_DIST", workspace.dist())
        .env("PNO_WRITERS", writers.unwrap_or_default()))
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
