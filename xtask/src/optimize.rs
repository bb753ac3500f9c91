//! `--optimize`: wasm-opt over the built files. Raw they become 40 % smaller, which a browser compiles faster;
//! compressed they do not (19.5 to 11.9 MB, but 2.1 to 2.2 MB brotli), and it takes five minutes: not the default.

use std::fs;

use anyhow::{Context, Result};

use crate::system;
use crate::workspace::{Workspace, run};

/// wasm-opt as a node program, so that it comes from a package registry on every system.
const BINARYEN: &str = "binaryen@132.0.0";
/// What the compiler already uses, so that wasm-opt may keep it.
const OPTIONS: [&str; 9] = [
    "-Oz",
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
    "--strip-producers",
];

/// Rewrites every wasm file of `dist/`.
pub fn run_on_page(workspace: &Workspace) -> Result<()> {
    system::node(workspace)?;
    let folder = workspace.tools.join("node");
    let program = folder.join("node_modules/binaryen/bin/wasm-opt");
    if !program.is_file() {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut npm = workspace.command("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
            .arg(&folder)
            .arg(BINARYEN);
        run(&mut npm)?;
    }
    let dist = workspace.dist();
    for entry in fs::read_dir(&dist).with_context(|| format!("cannot read {}", dist.display()))? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "wasm")
        {
            let small = path.with_extension("wasm.tmp");
            let mut node = workspace.command("node");
            node.arg(&program)
                .args(OPTIONS)
                .arg(&path)
                .arg("-o")
                .arg(&small);
            run(&mut node)?;
            fs::rename(&small, &path)
                .with_context(|| format!("cannot replace {}", path.display()))?;
        }
    }
    Ok(())
}
