//! What the tests of embedded figures need: the systems that people write documentation with.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::system;
use crate::workspace::{Workspace, is_ci, run};

/// A Python with Sphinx and nbconvert, in a folder of the tools. `None` without a Python, outside automatic runs.
///
/// # Errors
/// Where the packages cannot be installed, or an automatic run has no Python.
pub fn python(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let list = workspace.root.join("web/tests/writers.txt");
    let wanted =
        fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let folder = workspace.tools.join("writers");
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let done = folder.join("installed.txt");
    if python.is_file() && fs::read_to_string(&done).is_ok_and(|text| text == wanted) {
        return Ok(Some(python));
    }
    let Some(system) = system::python(workspace)? else {
        if is_ci() {
            anyhow::bail!(
                "there is no python3 with venv, which the tests of embedded figures need"
            );
        }
        println!("no python3 with venv: figures in pages of Sphinx and Jupyter are not tested");
        return Ok(None);
    };
    run(workspace.command(system).args(["-m", "venv"]).arg(&folder))?;
    let mut pip = workspace.command(&python.to_string_lossy());
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ])
    .arg(&list);
    if env::var_os("PIP_ROOT_USER_ACTION").is_none() {
        pip.env("PIP_ROOT_USER_ACTION", "ignore");
    }
    run(&mut pip)?;
    fs::write(&done, wanted).with_context(|| format!("cannot write {}", done.display()))?;
    Ok(Some(python))
}
