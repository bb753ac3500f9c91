//! `cargo xtask test` and `cargo xtask lint`: which checks there are, cheapest first.
//!
//! Every native step uses one feature set and the release profile, so that burn is compiled once for the tests,
//! once more only as metadata for clippy, and once for the page.

use anyhow::Result;

use crate::args::Args;
use crate::steps::{Outcome, Step, run_all, select};
use crate::workspace::{Workspace, run};
use crate::{book, browser, native, page, system, tools};

/// The checks that only read the sources.
const LINTS: usize = 5;

static STEPS: [Step; 11] = [
    Step {
        name: "fmt",
        about: "every file is formatted",
        needs: &[],
        run: format,
    },
    Step {
        name: "typos",
        about: "spelling",
        needs: &[],
        run: spelling,
    },
    Step {
        name: "deny",
        about: "licences and sources of the dependencies",
        needs: &[],
        run: deny,
    },
    Step {
        name: "clippy",
        about: "native code with every feature; type-checks CUDA",
        needs: &[],
        run: clippy,
    },
    Step {
        name: "clippy-web",
        about: "the page's code for wasm32",
        needs: &[],
        run: clippy_web,
    },
    Step {
        name: "setup",
        about: "tools, browser, drivers",
        needs: &[],
        run: set_up,
    },
    Step {
        name: "book",
        about: "the book builds, and every link in it leads somewhere",
        needs: &["setup"],
        run: build_book,
    },
    Step {
        name: "native",
        about: "unit, property, integration and doc tests",
        needs: &[],
        run: native_tests,
    },
    Step {
        name: "interface",
        about: "unit tests of the page's interface",
        needs: &[],
        run: interface,
    },
    Step {
        name: "page",
        about: "wasm build, size and budget",
        needs: &["setup"],
        run: build_page,
    },
    Step {
        name: "browser",
        about: "the page and the book in Chromium, WebGPU and CPU",
        needs: &["setup", "page", "book"],
        run: browse,
    },
];

/// `cargo xtask test`.
pub fn test(workspace: &Workspace, args: Args) -> Result<()> {
    run_selected(workspace, &STEPS, args)
}

/// `cargo xtask lint`.
pub fn lint(workspace: &Workspace, args: Args) -> Result<()> {
    run_selected(workspace, &STEPS[..LINTS], args)
}

fn run_selected(workspace: &Workspace, steps: &'static [Step], mut args: Args) -> Result<()> {
    let list = args.flag("--list");
    let steps = select(steps, &mut args)?;
    args.finish()?;
    if list {
        for step in steps {
            println!("{:<12}  {}", step.name, step.about);
        }
        return Ok(());
    }
    run_all(workspace, &steps)
}

fn format(workspace: &Workspace) -> Result<Outcome> {
    let mut cargo = workspace.cargo();
    cargo.args(["fmt", "--all", "--check"]);
    if workspace.plain {
        // rustfmt asks the terminal, not the environment.
        cargo.args(["--", "--color", "never"]);
    }
    run(&mut cargo)?;
    Ok(Outcome::Passed)
}

fn spelling(workspace: &Workspace) -> Result<Outcome> {
    if workspace.which("typos").is_none() {
        return Ok(not_installed("typos", "typos-cli"));
    }
    run(&mut workspace.command("typos"))?;
    Ok(Outcome::Passed)
}

fn deny(workspace: &Workspace) -> Result<Outcome> {
    if workspace.which("cargo-deny").is_none() {
        return Ok(not_installed("cargo-deny", "cargo-deny"));
    }
    // Advisories are a data base on the network; `cargo deny check advisories` asks it when there is one.
    run(workspace
        .cargo()
        .args(["deny", "check", "bans", "licenses", "sources"]))?;
    Ok(Outcome::Passed)
}

/// Optional programs: building them takes longer than all they check.
fn not_installed(program: &str, package: &str) -> Outcome {
    Outcome::Skipped(format!(
        "{program} is not installed (cargo install {package})"
    ))
}

fn clippy(workspace: &Workspace) -> Result<Outcome> {
    run(workspace
        .cargo()
        .args([
            "clippy",
            "--release",
            "--workspace",
            "--exclude",
            "pno-web",
            "--all-targets",
        ])
        .args([
            "--features",
            "pno-trainer/cuda,pno-trainer/wgpu",
            "--",
            "-D",
            "warnings",
        ])
        // Keeps the CUDA crates from downloading their LLVM bundle: nothing is linked here.
        .env("DOCS_RS", "1"))?;
    Ok(Outcome::Passed)
}

fn clippy_web(workspace: &Workspace) -> Result<Outcome> {
    // The page's profile, so that macros and build scripts are shared with the build.
    run(workspace
        .cargo()
        .args([
            "clippy",
            "--profile",
            "web",
            "--target",
            "wasm32-unknown-unknown",
            "-p",
            "pno-web",
        ])
        .args(["--features", "ui,worker", "--", "-D", "warnings"]))?;
    Ok(Outcome::Passed)
}

fn set_up(workspace: &Workspace) -> Result<Outcome> {
    system::node(workspace)?;
    let browser = system::chromium(workspace)?;
    println!("the browser is {}", browser.display());
    system::vulkan(workspace)?;
    tools::set_up(workspace)?;
    tools::set_up_book(workspace)?;
    Ok(Outcome::Passed)
}

fn build_book(workspace: &Workspace) -> Result<Outcome> {
    book::build(workspace)?;
    Ok(Outcome::Passed)
}

fn native_tests(workspace: &Workspace) -> Result<Outcome> {
    native::test(workspace)?;
    Ok(Outcome::Passed)
}

fn interface(workspace: &Workspace) -> Result<Outcome> {
    // What the page computes without a browser, a network or burn: no features, so a small build.
    run(workspace
        .cargo()
        .args(["test", "--release", "-p", "pno-web", "--lib"]))?;
    Ok(Outcome::Passed)
}

fn build_page(workspace: &Workspace) -> Result<Outcome> {
    page::build(workspace, false)?;
    Ok(Outcome::Passed)
}

fn browse(workspace: &Workspace) -> Result<Outcome> {
    browser::test(workspace)?;
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_names_an_earlier_step() {
        for (at, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                let found = STEPS[..at].iter().any(|earlier| earlier.name == *need);
                assert!(found, "{} needs {need}", step.name);
            }
        }
        assert_eq!(STEPS[LINTS].name, "setup");
    }
}
