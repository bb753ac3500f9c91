//! `cargo xtask`: set-up, build, demonstration and checks of the workspace. Nothing here is needed at run time.
//!
//! | room | what is there |
//! |---|---|
//! | [`args`] | command-line arguments and the help text |
//! | [`workspace`] | where things are, and how programs are started |
//! | [`tools`] | pinned Trunk, wasm-bindgen, mdBook, typos and cargo-deny, the wasm target |
//! | [`system`] | programs of the operating system: node, Chromium, Vulkan |
//! | [`native`] | the program `pno` and its tests, in one configuration |
//! | [`page`], [`models`], [`cases`], [`embed`], [`policy`], [`size`], [`optimize`] | the page, its models and cases, its figures, its policy, its size and budget |
//! | [`book`] | the book of `docs/`, and its links |
//! | [`dist`] | the release folder |
//! | [`serve`], [`http`] | a small static server |
//! | [`demo`] | the first of the two commands |
//! | [`fuzz`] | libFuzzer on what reads bytes from elsewhere |
//! | [`check`], [`steps`], [`skips`], [`browser`], [`writers`] | the second: every check, in order, with its time |

mod args;
mod book;
mod browser;
mod cases;
mod check;
mod demo;
mod dist;
mod embed;
mod fuzz;
mod http;
mod models;
mod names;
mod native;
mod optimize;
mod page;
mod policy;
mod serve;
mod size;
#[cfg(test)]
#[path = "../../shared/tests/skip/mod.rs"]
mod skip;
mod skips;
mod steps;
mod system;
mod tools;
mod workspace;
mod writers;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::{Args, HELP, Usage};
use crate::workspace::Workspace;

fn main() -> ExitCode {
    match dispatch(Args::from_env()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

fn dispatch(mut args: Args) -> Result<()> {
    let command = args.command();
    if args.flag("--help") || args.flag("-h") || matches!(command.as_deref(), None | Some("help")) {
        print!("{HELP}");
        return Ok(());
    }
    let workspace = Workspace::locate()?;
    match command.as_deref().unwrap_or_default() {
        "demo" => demo::command(&workspace, args),
        "test" => check::test(&workspace, args),
        "lint" => check::lint(&workspace, args),
        "setup" => {
            args.finish()?;
            tools::set_up(&workspace)?;
            tools::set_up_book(&workspace)?;
            tools::set_up_typos(&workspace)?;
            tools::set_up_deny(&workspace)
        }
        "fuzz" => fuzz::command(&workspace, args),
        "book" => book::command(&workspace, args),
        "page" => page::command(&workspace, args),
        "dist" => dist::command(&workspace, args),
        "serve" => serve::command(&workspace, args),
        "browser-test" => browser::command(&workspace, args),
        other => Err(Usage(format!(
            "unknown command `{other}`; `cargo xtask --help` lists them"
        ))
        .into()),
    }
}
