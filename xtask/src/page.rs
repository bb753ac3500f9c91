//! Builds the page into `dist/`: Trunk, then figures and models, then the size report.

use std::env;

use anyhow::{Context, Result};

use crate::args::Args;
use crate::workspace::{Workspace, run};
use crate::{cases, embed, models, optimize, policy, size, tools};

/// `cargo xtask page`.
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let optimized = args.flag("--optimize");
    args.finish()?;
    tools::set_up(workspace)?;
    build(workspace, optimized)
}

/// Builds everything that is served, and checks the budget. Needs the tools.
pub fn build(workspace: &Workspace, optimized: bool) -> Result<()> {
    let mut trunk = workspace.command("trunk");
    trunk.args(["build", "--config", "Trunk.toml"]);
    if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        // Trunk understands only `true` and `false` here, where the convention is any value.
        trunk.env("NO_COLOR", "true");
    }
    run(&mut trunk).context("the page could not be built")?;
    policy::enforce(&workspace.dist())?;
    if optimized {
        optimize::run_on_page(workspace)?;
    }
    embed::publish(&workspace.root.join("web/embed"), &workspace.dist())?;
    models::publish(&workspace.root.join("models"), &workspace.dist())?;
    cases::publish(&workspace.root.join("web/cases"), &workspace.dist())?;
    size::report(workspace)
}
