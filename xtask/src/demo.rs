//! `cargo xtask demo`: from a fresh clone to a live forecast in the browser.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result};

use crate::args::{Args, Usage};
use crate::workspace::{Workspace, run};
use crate::{native, page, serve, tools};

const METHODS: [&str; 2] = ["pno-d", "pno-r"];

/// `cargo xtask demo`.
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let port = args.port()?;
    let open = !args.flag("--no-open");
    let optimized = args.flag("--optimize");
    let train = args.flag("--train");
    let method = args.value("--method")?;
    args.finish()?;
    if let Some(method) = &method {
        check_method(method, train)?;
    }
    tools::set_up(workspace)?;
    if train {
        // Before the page: if training is interrupted, the next call goes on there.
        let method = method.as_deref().unwrap_or("pno-r");
        let folder = train_small(workspace, method)?;
        page::build_with(workspace, optimized, Some(&folder))?;
    } else {
        page::build(workspace, optimized)?;
    }
    serve::serve(workspace, port, open)
}

fn check_method(method: &str, train: bool) -> Result<()> {
    if !train {
        return Err(Usage("--method says what --train trains: give both".to_owned()).into());
    }
    if !METHODS.contains(&method) {
        return Err(Usage(format!(
            "--method is `{method}`, but must be {}",
            METHODS.join(" or ")
        ))
        .into());
    }
    Ok(())
}

/// Makes data, trains, exports; gives the folder with the model. What an earlier call finished is not done again.
fn train_small(workspace: &Workspace, method: &str) -> Result<PathBuf> {
    let program = native::build(workspace)?;
    let pno = |words: &[&str]| {
        let mut command = workspace.command(&program.to_string_lossy());
        // The dashboard of the training listens to keys.
        run(command.args(words).stdin(Stdio::inherit()))
            .context("the demonstration could not train its model")
    };
    let data = "data/demo-ks.zarr";
    let folder = workspace.root.join("runs").join("demo");
    let run_folder = format!("runs/demo/ks-{method}");
    let model = format!("runs/demo/ks-{method}-trained-here.pno");
    if !workspace.root.join(data).is_dir() {
        pno(&["data", "generate", "ks", "--size", "demo", "--out", data])?;
    }
    let mut words = vec!["train", "ks", "--size", "demo", "--method", method];
    words.extend(["--data", data, "--out", &run_folder]);
    // Minutes, not the quarter of an hour of the shipped models.
    words.extend(["--epochs", "2", "--test-members", "20"]);
    if workspace
        .root
        .join(&run_folder)
        .join("settings.toml")
        .is_file()
    {
        words.push("--resume");
    }
    pno(&words)?;
    let note = "Trained on this machine by `cargo xtask demo --train`, two epochs only";
    pno(&[
        "export",
        &run_folder,
        "--out",
        &model,
        "--force",
        "--note",
        note,
    ])?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_cannot_be_trained_is_refused() {
        let refused = |method, train| {
            check_method(method, train)
                .expect_err("refused")
                .to_string()
        };
        assert!(refused("pno-x", true).contains("`pno-x`"));
        assert!(refused("pno-d", false).contains("--train"));
        check_method("pno-d", true).expect("fine");
    }
}
