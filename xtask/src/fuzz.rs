//! `cargo xtask fuzz`: libFuzzer on everything that reads bytes from elsewhere (`fuzz/`).
//!
//! New inputs are kept in the target folder, findings in its `fuzz/findings`; the small corpus of the repository is only read.
//! The ordinary tests run that corpus through the same functions, without nightly and without libFuzzer.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::args::{Args, Usage};
use crate::tools;
use crate::workspace::{Workspace, output, run};

/// One fuzz target.
struct Target {
    name: &'static str,
    about: &'static str,
    /// Longest input: short ones are quick, and long ones find nothing that short ones do not.
    max_bytes: usize,
}

const fn target(name: &'static str, about: &'static str, max_bytes: usize) -> Target {
    Target {
        name,
        about,
        max_bytes,
    }
}

const TARGETS: [Target; 9] = [
    target("checkpoint", "`.pno` files: decode, validate, plan", 3072),
    target(
        "specification",
        "specifications and tasks put together: validate, plan, write, read",
        256,
    ),
    target("npy", "NumPy arrays", 512),
    target(
        "zarr",
        "Zarr folders: descriptions of versions 2 and 3, chunks",
        4096,
    ),
    target("grib", "GRIB of editions 1 and 2", 1024),
    target("netcdf", "NetCDF of every kind, HDF5", 16 << 10),
    target(
        "experiment",
        "settings, experiments and arrays of one's own in TOML",
        2048,
    ),
    target("address", "the address of the page", 1024),
    target("embed", "messages to an embedded figure", 1024),
];

/// Seconds for one input, by the clock: inputs take milliseconds, but the machine may have other work as well.
const TIMEOUT: usize = 5;
/// Minutes for each target where nothing else is said.
const MINUTES: u64 = 1;
/// Memory of the whole process. What an input may hold is less, and the targets see to it themselves.
const MEMORY_MB: usize = 1024;

/// What a run has shown.
#[derive(Default)]
struct Found {
    inputs: u64,
    coverage: u64,
    finding: Option<String>,
}

/// `cargo xtask fuzz [TARGET] [--minutes N] [--runs N] [--list]`
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let list = args.flag("--list");
    let minutes = number(&mut args, "--minutes")?;
    let runs = number(&mut args, "--runs")?;
    let name = args.command();
    args.finish()?;
    if list {
        for target in &TARGETS {
            println!("{:<14} {}", target.name, target.about);
        }
        return Ok(());
    }
    let chosen = chosen(name.as_deref())?;
    set_up(workspace)?;
    build(workspace, name.as_deref())?;
    let mut rows = Vec::new();
    for target in chosen {
        let begin = Instant::now();
        let found = fuzz(workspace, target, minutes, runs)?;
        rows.push((target.name, found, begin.elapsed().as_secs()));
    }
    println!(
        "\n{:<14} {:>12} {:>9} {:>8}  finding",
        "target", "inputs", "coverage", "seconds"
    );
    for (name, found, seconds) in &rows {
        let finding = found.finding.as_deref().unwrap_or("none");
        println!(
            "{name:<14} {:>12} {:>9} {seconds:>8}  {finding}",
            found.inputs, found.coverage
        );
    }
    if rows.iter().any(|(_, found, _)| found.finding.is_some()) {
        bail!(
            "the fuzzer found inputs that bring a reader down; put each into fuzz/corpus/TARGET under a name that says what it is, \
             mend the reader, and let the tests replay it"
        );
    }
    Ok(())
}

fn chosen(name: Option<&str>) -> Result<Vec<&'static Target>> {
    let chosen: Vec<_> = TARGETS
        .iter()
        .filter(|target| name.is_none_or(|name| name == target.name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        let found = name.unwrap_or_default();
        return Err(Usage(format!(
            "there is no fuzz target `{found}`; there are {}",
            names.join(", ")
        ))
        .into());
    }
    Ok(chosen)
}

fn number(args: &mut Args, name: &str) -> Result<Option<u64>> {
    let wrong = |text: &str| {
        Usage(format!(
            "{name} is `{text}`, but must be a whole number above 0"
        ))
    };
    let number = args.value(name)?.map(|text| {
        let number = text.parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| wrong(&text).into())
    });
    number.transpose()
}

/// The nightly toolchain, a C++ compiler, and cargo-fuzz.
fn set_up(workspace: &Workspace) -> Result<()> {
    let toolchains = output(workspace.command("rustup").args(["toolchain", "list"]));
    if !toolchains.is_ok_and(|list| list.lines().any(|line| line.starts_with("nightly"))) {
        bail!(
            "fuzzing needs the nightly toolchain of Rust, which is not here: `rustup toolchain install nightly --profile minimal`"
        );
    }
    let compilers = ["c++", "g++", "clang++"];
    if !compilers.iter().any(|name| workspace.which(name).is_some()) {
        bail!(
            "fuzzing needs a C++ compiler for libFuzzer, and there is none of {}",
            compilers.join(", ")
        );
    }
    tools::set_up_fuzz(workspace)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("fuzz")
}

/// Without a sanitizer: there is no `unsafe` of ours, memory is counted by the targets' own allocator, and inputs run several
/// times as fast.
fn build(workspace: &Workspace, name: Option<&str>) -> Result<()> {
    run(workspace
        .command("rustup")
        .args(["run", "nightly", "cargo", "fuzz", "build", "--fuzz-dir"])
        .arg(workspace.root.join("fuzz"))
        .args(["--release", "--sanitizer", "none", "--codegen-units", "16"])
        .arg("--target-dir")
        .arg(folder(workspace))
        .args(name))
}

/// Type-checks the targets on the toolchain of everything else, without libFuzzer.
pub fn check(workspace: &Workspace) -> Result<()> {
    run(workspace
        .cargo()
        .args(["check", "--locked", "--lib", "--no-default-features"])
        .arg("--manifest-path")
        .arg(workspace.root.join("fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(folder(workspace)))
}

fn fuzz(
    workspace: &Workspace,
    target: &Target,
    minutes: Option<u64>,
    runs: Option<u64>,
) -> Result<Found> {
    let name = target.name;
    let folder = folder(workspace);
    let [corpus, findings] = ["corpus", "findings"].map(|part| folder.join(part).join(name));
    for folder in [&corpus, &findings] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let source = workspace.root.join("fuzz");
    let program = program(workspace, name)?;
    let mut command = workspace.command(&program.to_string_lossy());
    command.arg(&corpus).arg(source.join("corpus").join(name));
    command.arg(format!("-max_len={}", target.max_bytes));
    command.arg(format!("-timeout={TIMEOUT}"));
    command.arg(format!("-rss_limit_mb={MEMORY_MB}"));
    command.arg(format!("-artifact_prefix={}/", findings.display()));
    let words = source.join("dictionaries").join(format!("{name}.dict"));
    if words.is_file() {
        command.arg(format!("-dict={}", words.display()));
    }
    if let Some(runs) = runs {
        command.arg(format!("-runs={runs}"));
    }
    if runs.is_none() || minutes.is_some() {
        command.arg(format!(
            "-max_total_time={}",
            60 * minutes.unwrap_or(MINUTES)
        ));
    }
    command.args(["-print_final_stats=1", "-report_slow_units=1"]);
    println!("\n{name}: {}", target.about);
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let told = child.stderr.take().context("the fuzzer says nothing")?;
    let mut found = Found::default();
    for line in BufReader::new(told).lines() {
        let line = line.context("the fuzzer broke off")?;
        found.hear(&line);
        if !is_routine(&line) {
            println!("{line}");
        }
    }
    let status = child.wait().context("the fuzzer broke off")?;
    if !status.success() && found.finding.is_none() {
        bail!("the fuzzer of {name} ended with {status} and names no input");
    }
    Ok(found)
}

/// The built program, whichever machine it is for.
fn program(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let told = output(workspace.command("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not name its host")?;
    Ok(folder(workspace).join(host).join("release").join(name))
}

impl Found {
    /// Takes what a line of libFuzzer says.
    fn hear(&mut self, line: &str) {
        let after = |word: &str| {
            let (_, rest) = line.split_once(word)?;
            rest.split_whitespace().next()
        };
        if let Some(number) = after("cov: ").and_then(|text| text.parse().ok()) {
            self.coverage = number;
        }
        if let Some(number) = after("stat::number_of_executed_units:").and_then(|n| n.parse().ok())
        {
            self.inputs = number;
        }
        // What was only slow, but within the time, is no finding.
        if let Some(path) = after("Test unit written to ")
            && !path.contains("/slow-unit-")
        {
            self.finding = Some(path.to_owned());
        }
    }
}

/// Lines about every input that was kept.
fn is_routine(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let counted = words.next().is_some_and(|word| word.starts_with('#'));
    let kind = words.next().unwrap_or_default();
    counted && ["NEW", "REDUCE", "RELOAD"].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_program_and_a_corpus() {
        let root = Workspace::locate().expect("found").root.join("fuzz");
        let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
        assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
        for Target {
            name, max_bytes, ..
        } in TARGETS
        {
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            let inputs = fs::read_dir(root.join("corpus").join(name)).expect(name);
            let mut count = 0;
            for input in inputs {
                let length = input.and_then(|input| input.metadata()).expect(name).len();
                assert!(
                    length <= max_bytes as u64,
                    "{name}: an input of {length} bytes"
                );
                count += 1;
            }
            assert!((3..=200).contains(&count), "{name}: {count} inputs");
        }
    }

    #[test]
    fn what_libfuzzer_says_is_heard() {
        let mut found = Found::default();
        let lines = [
            "#4096\tpulse  cov: 812 ft: 1290 corp: 70/3921b exec/s: 2048 rss: 51Mb",
            "stat::number_of_executed_units: 10000000",
            "artifact_prefix='x/'; Test unit written to x/slow-unit-12",
        ];
        for line in lines {
            found.hear(line);
        }
        assert_eq!((found.inputs, found.coverage), (10_000_000, 812));
        assert_eq!(found.finding, None);
        found.hear("artifact_prefix='x/'; Test unit written to x/crash-ab");
        assert_eq!(found.finding.as_deref(), Some("x/crash-ab"));
        assert!(is_routine("#12\tNEW    cov: 3 ft: 4"));
        assert!(!is_routine(lines[0]));
    }

    #[test]
    fn a_target_that_is_none_is_told_which_there_are() {
        let error = chosen(Some("zip")).err().expect("no such target");
        let message = error.to_string();
        assert!(
            message.contains("`zip`") && message.contains("checkpoint, "),
            "{message}"
        );
        let mut args = Args::from_words("--minutes 0");
        let message = number(&mut args, "--minutes")
            .expect_err("zero")
            .to_string();
        assert!(message.contains("`0`"), "{message}");
    }
}
