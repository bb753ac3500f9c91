//! Programs that come from the operating system: node and Chromium for the browser tests, Vulkan for the `wgpu` tests.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::workspace::{Workspace, output, run};

const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// The oldest node that Playwright runs on.
const NODE_MAJOR: u32 = 20;

/// The browser of the tests; installs it where that is possible.
pub fn chromium(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(path) = env::var_os("PNO_CHROMIUM") {
        let path = PathBuf::from(path);
        if !path.is_file() {
            bail!(
                "PNO_CHROMIUM is {}, but there is no such file",
                path.display()
            );
        }
        return Ok(path);
    }
    let find = || BROWSERS.iter().find_map(|name| workspace.which(name));
    if find().is_none() {
        install(workspace, &["chromium"])?;
    }
    match find() {
        Some(path) => Ok(path),
        None => {
            bail!("the browser tests need Chromium: install it, or set PNO_CHROMIUM to its path")
        }
    }
}

/// Makes sure that node and npm are there; installs them where that is possible.
pub fn node(workspace: &Workspace) -> Result<()> {
    if workspace.which("node").is_none() || workspace.which("npm").is_none() {
        install(workspace, &["nodejs", "npm"])?;
    }
    let Ok(version) = output(workspace.command("node").arg("--version")) else {
        bail!(
            "the browser tests need node {NODE_MAJOR} or newer and npm: install them and try again"
        );
    };
    match major(&version) {
        Some(found) if found >= NODE_MAJOR => Ok(()),
        _ => bail!(
            "node is {}, but the browser tests need {NODE_MAJOR} or newer",
            version.trim()
        ),
    }
}

/// Makes sure that Vulkan has a driver, if only in software. Without one the `wgpu` tests skip themselves.
pub fn vulkan(workspace: &Workspace) -> Result<()> {
    let folders = [
        "/usr/share/vulkan/icd.d",
        "/etc/vulkan/icd.d",
        "/usr/local/share/vulkan/icd.d",
    ];
    let has_driver = folders
        .iter()
        .filter_map(|folder| Path::new(folder).read_dir().ok())
        .any(|mut entries| entries.next().is_some());
    if cfg!(target_os = "linux") && !has_driver {
        install(workspace, &["mesa-vulkan-drivers"])?;
    }
    Ok(())
}

/// `v20.20.2` to 20.
fn major(version: &str) -> Option<u32> {
    version
        .trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// A Python that can make environments; installs it where that is possible. `None` where there is none.
pub fn python(workspace: &Workspace) -> Result<Option<&'static str>> {
    let find = || {
        let able = |name: &&str| {
            output(
                workspace
                    .command(name)
                    .args(["-c", "import venv, ensurepip"]),
            )
            .is_ok()
        };
        ["python3", "python"].into_iter().find(able)
    };
    if find().is_none() {
        install(workspace, &["python3", "python3-venv"])?;
    }
    Ok(find())
}

/// Installs Debian packages if this is root on such a system, and does nothing otherwise: the caller says what is missing.
fn install(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    if workspace.which("apt-get").is_none() || !is_root(workspace) {
        println!(
            "not installing {}: this needs apt-get and root",
            packages.join(", ")
        );
        return Ok(());
    }
    let apt = || {
        let mut command = workspace.command("apt-get");
        command
            .arg("--quiet")
            .env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    run(apt().arg("update"))?;
    run(apt()
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages))
}

fn is_root(workspace: &Workspace) -> bool {
    output(workspace.command("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_of_node_is_read() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20"), None);
        assert_eq!(major(""), None);
    }
}
