//! The native program and its tests, always in one configuration, so that burn is compiled once.

use std::env;
use std::path::PathBuf;

use anyhow::Result;

use crate::skips::Skips;
use crate::workspace::{Workspace, run};
use crate::writers;

/// Another selection of packages or features would be another burn.
const CONFIGURATION: [&str; 9] = [
    "--release",
    "-p",
    "pno",
    "-p",
    "pno-trainer",
    "-p",
    "xtask",
    "--features",
    "pno-trainer/wgpu",
];

/// Builds `pno` and tells where it is.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut cargo = workspace.cargo();
    run(cargo
        .arg("build")
        .args(CONFIGURATION)
        .args(["--bin", "pno"]))?;
    let name = format!("pno{}", env::consts::EXE_SUFFIX);
    Ok(workspace.target.join("release").join(name))
}

/// Unit, property, integration and doc tests.
pub fn test(workspace: &Workspace, skips: &Skips) -> Result<()> {
    let mut cargo = workspace.cargo();
    // A failing package does not hide what the next one would have told.
    cargo.args(["test", "--no-fail-fast"]).args(CONFIGURATION);
    // Who has a Python with everything (PyTorch and neuraloperator, too) names it.
    if env::var_os("PNO_PYTHON").is_none()
        && let Some(python) = writers::peers(workspace)
    {
        cargo.env("PNO_PYTHON", python);
    }
    run(skips.told_by(&mut cargo))
}
