//! Pythons of the tests, each with its packages in a folder of the tools: the systems that people write documentation with,
//! and the libraries that open what `pno` writes.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::system;
use crate::workspace::{Workspace, is_ci, run};

/// A Python with Sphinx and nbconvert, for the tests of embedded figures. `None` without a Python, outside automatic runs.
///
/// # Errors
/// Where the packages cannot be installed, or an automatic run has no Python.
pub fn python(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let python = environment(workspace, "writers", "web/tests/writers.txt")?;
    if python.is_none() {
        if is_ci() {
            bail!("there is no python3 with venv, which the tests of embedded figures need");
        }
        println!("no python3 with venv: figures in pages of Sphinx and Jupyter are not tested");
    }
    Ok(python)
}

/// A Python with numpy and xarray, for the native tests of what they read. `None` where it cannot be had: these tests then
/// say that they were skipped.
pub fn peers(workspace: &Workspace) -> Option<PathBuf> {
    match environment(workspace, "peers", "trainer/tests/peers.txt") {
        Ok(python) => python,
        Err(error) => {
            println!("no Python with xarray: {error:#}");
            None
        }
    }
}

/// The interpreter of a folder of the tools with the packages of a list; makes it if needed. `None` without a Python.
fn environment(workspace: &Workspace, name: &str, list: &str) -> Result<Option<PathBuf>> {
    let list = workspace.root.join(list);
    let wanted =
        fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let folder = workspace.tools.join(name);
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
