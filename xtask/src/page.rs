//! Builds the page into `dist/`: Trunk, then figures, models and cases, then names that tell contents, then the size report.

use std::env;
use std::path::Path;

use anyhow::{Context, Result};

use crate::args::Args;
use crate::workspace::{Workspace, run};
use crate::{cases, embed, models, names, optimize, policy, size, tools};

/// `cargo xtask page`.
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let optimized = args.flag("--optimize");
    args.finish()?;
    tools::set_up(workspace)?;
    build(workspace, optimized)
}

/// Builds everything that is served, and checks the budget. Needs the tools.
pub fn build(workspace: &Workspace, optimized: bool) -> Result<()> {
    build_with(workspace, optimized, None)
}

/// The same with the models of a further folder.
pub fn build_with(workspace: &Workspace, optimized: bool, more: Option<&Path>) -> Result<()> {
    let mut trunk = workspace.command("trunk");
    trunk.args(["build", "--config", "Trunk.toml"]);
    if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        // Trunk understands only `true` and `false` here, where the convention is any value.
        trunk.env("NO_COLOR", "true");
    }
    run(&mut trunk).context("the page could not be built")?;
    if optimized {
        optimize::run_on_page(workspace)?;
    }
    let dist = workspace.dist();
    embed::publish(&workspace.root.join("web/embed"), &dist)?;
    models::publish(&workspace.root.join("models"), &dist)?;
    if let Some(more) = more {
        models::publish(more, &dist)?;
    }
    cases::publish(&workspace.root.join("web/cases"), &dist)?;
    // From here on no file changes but the pages.
    names::seal(&dist)?;
    policy::check(&dist)?;
    names::check(&dist)?;
    size::report(workspace)
}
