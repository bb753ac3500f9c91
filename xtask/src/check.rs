//! `cargo xtask test` and `cargo xtask lint`: which checks there are, cheapest first.
//!
//! Every native step uses one feature set and the release profile, so that burn is compiled once for the tests,
//! once more only as metadata for clippy, and once for the page.

use anyhow::Result;

use crate::args::Args;
use crate::skips::Skips;
use crate::steps::{Outcome, Step, run_all, select};
use crate::workspace::{Workspace, output, run};
use crate::{book, browser, fuzz, native, page, system, tools};

/// The checks that only read the sources.
const LINTS: [&str; 6] = ["fmt", "typos", "deny", "advisories", "clippy", "clippy-web"];

static STEPS: [Step; 14] = [
    Step {
        name: "fmt",
        about: "every file is formatted",
        needs: &[],
        run: format,
    },
    Step {
        name: "setup",
        about: "tools, browser, drivers",
        needs: &[],
        run: set_up,
    },
    Step {
        name: "typos",
        about: "spelling",
        needs: &[],
        run: spelling,
    },
    Step {
        name: "deny",
        about: "licences, bans and sources of the dependencies",
        needs: &[],
        run: deny,
    },
    Step {
        name: "advisories",
        about: "known faults of the dependencies, from the data base of RustSec",
        needs: &[],
        run: advisories,
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
        name: "fuzz",
        about: "the fuzz targets compile (`cargo xtask fuzz` runs them)",
        needs: &[],
        run: fuzz_targets,
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
        about: "tests of the page's own code, outside a browser",
        needs: &[],
        run: interface,
    },
    Step {
        name: "wasm",
        about: "what is refused natively is refused in WebAssembly",
        needs: &[],
        run: wasm,
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
    run_selected(workspace, STEPS.iter().collect(), args)
}

/// `cargo xtask lint`.
pub fn lint(workspace: &Workspace, args: Args) -> Result<()> {
    let lints = STEPS.iter().filter(|step| LINTS.contains(&step.name));
    run_selected(workspace, lints.collect(), args)
}

fn run_selected(workspace: &Workspace, steps: Vec<&'static Step>, mut args: Args) -> Result<()> {
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
    tools::set_up_typos(workspace)?;
    run(&mut workspace.command("typos"))?;
    Ok(Outcome::Passed)
}

fn deny(workspace: &Workspace) -> Result<Outcome> {
    tools::set_up_deny(workspace)?;
    run(workspace
        .command("cargo-deny")
        .args(["check", "bans", "licenses", "sources"]))?;
    Ok(Outcome::Passed)
}

/// The data base is on the network: where it cannot be had, that is told and counted, and is no fault of the sources.
fn advisories(workspace: &Workspace) -> Result<Outcome> {
    tools::set_up_deny(workspace)?;
    if let Err(error) = output(workspace.command("cargo-deny").args(["fetch", "db"])) {
        println!("{error:#}");
        return Ok(Outcome::Skipped(
            "the data base of advisories cannot be reached from here, so no dependency was looked up"
                .to_owned(),
        ));
    }
    run(workspace
        .command("cargo-deny")
        .args(["check", "--disable-fetch", "advisories"]))?;
    Ok(Outcome::Passed)
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
    tools::add_wasm_target(workspace)?;
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

/// They compile files of the trainer in a workspace of their own, which nothing else here looks at.
fn fuzz_targets(workspace: &Workspace) -> Result<Outcome> {
    fuzz::check(workspace)?;
    Ok(Outcome::Passed)
}

fn set_up(workspace: &Workspace) -> Result<Outcome> {
    system::node(workspace)?;
    let browser = system::chromium(workspace)?;
    println!("the browser is {}", browser.display());
    system::vulkan(workspace)?;
    tools::set_up(workspace)?;
    tools::set_up_book(workspace)?;
    tools::set_up_typos(workspace)?;
    tools::set_up_deny(workspace)?;
    Ok(Outcome::Passed)
}

fn build_book(workspace: &Workspace) -> Result<Outcome> {
    book::build(workspace)?;
    Ok(Outcome::Passed)
}

fn native_tests(workspace: &Workspace) -> Result<Outcome> {
    let skips = Skips::new(workspace, "native")?;
    native::test(workspace, &skips)?;
    skips.outcome()
}

fn interface(workspace: &Workspace) -> Result<Outcome> {
    let skips = Skips::new(workspace, "interface")?;
    // What the page computes without a browser, a network or burn: no features, so a small build.
    run(skips.told_by(workspace.cargo().args([
        "test",
        "--no-fail-fast",
        "--release",
        "-p",
        "pno-web",
        "--tests",
    ])))?;
    skips.outcome()
}

fn wasm(workspace: &Workspace) -> Result<Outcome> {
    system::node(workspace)?;
    tools::set_up_wasm(workspace)?;
    // Without features, so without burn: specification and checkpoints, which is where sizes are refused.
    run(workspace
        .cargo()
        .args(["test", "--release", "--target", "wasm32-unknown-unknown"])
        .args(["-p", "pno", "--test", "wasm_refusals"])
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            tools::WASM_RUNNER,
        ))?;
    Ok(Outcome::Passed)
}

fn build_page(workspace: &Workspace) -> Result<Outcome> {
    page::build(workspace, false)?;
    Ok(Outcome::Passed)
}

fn browse(workspace: &Workspace) -> Result<Outcome> {
    browser::test(workspace, &browser::Choice::default())
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
    }

    #[test]
    fn every_lint_names_a_step_and_needs_no_browser() {
        for lint in LINTS {
            let step = STEPS.iter().find(|step| step.name == lint);
            let step = step.unwrap_or_else(|| panic!("no step {lint}"));
            assert!(step.needs.is_empty(), "{lint} would not run by itself");
        }
    }
}
