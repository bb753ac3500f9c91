//! `pno bench`: what the networks reach of what the machine can do, how fast data are made, ensembles
//! scored, and networks trained.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Subcommand;
use pno::spec::Experiment;

use super::{Usage, print};
use crate::bench::data::EQUATIONS;
use crate::bench::{self, Row};
use crate::{device, files};

const EXAMPLES: &str = "\
Examples:
  pno bench operators                          every published network on the best device and on the CPU
  pno bench operators --device cpu,wgpu        these devices
  pno bench operators --only ks,darcy --members 32 --seconds 2
  pno bench operators --json > bench.json

Times are medians of one run on a machine that may be busy: compare shares of the peak, which is measured in the same run.";

const DATA_EXAMPLES: &str = "\
Examples:
  pno bench data                                       ours, and the peers that python3 has the packages for
  pno bench data --python venv/bin/python              with this interpreter; fails if it has not got them
  pno bench data --only ks --quick
  pno bench data --json bench.json

Peers take turns with ours on the same cores: py-pde with the settings of the published KS data, and the published
shallow-water scheme in torch. Their packages: pip install py-pde numba torch==2.3.1 torch-harmonics==0.6.5 'numpy<2'
Ratios are medians of one run, on the clock and on the cores; a busy machine moves the latter less.";

const SCORE_EXAMPLES: &str = "\
Examples:
  pno bench score                                      ours, and the peer if python3 has its packages
  pno bench score --python venv/bin/python             with this interpreter; fails if it has not got them
  pno bench score --members 50 --points 100000
  pno bench score --quick --json bench.json

All scores that are made point by point, in one pass: L2, CRPS (fair and plain), NLL, coverage, width, spread-skill, Brier
score, five quantile scores, rank histogram, and maps. The peer makes the same with numpy and scoringrules, in turns with
ours on the same cores, and must find the same numbers. Its packages: pip install scoringrules numba
Ratios are medians of one run, on the clock and on the cores; a busy machine moves the latter less.";

const TRAIN_EXAMPLES: &str = "\
Examples:
  pno bench train                                      Darcy and KS; ours, and the peer if python3 has its packages
  pno bench train --python venv/bin/python             with this interpreter; fails if it has not got them
  pno bench train --only sswe --batch 8
  pno bench train --quick --json bench.json

One step of PNO_D with the published network: three members of every case with fresh dropout, energy score, gradients,
clipping, Adam. The peer is PyTorch with neuraloperator, with the same weights and the same batch, in turns with ours on the
same cores: pip install torch==2.3.1 neuraloperator==0.3.0 torch-harmonics==0.6.5 'numpy<2'
Ratios are medians of one run, on the clock and on the cores; a busy machine moves the latter less.";

/// Arguments of `pno bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Time and share of the matrix-product peak of every published network, per member with dropout on.
    Operators(Operators),
    /// Time to make a trajectory of each equation, beside the programs that made the published data.
    Data(Data),
    /// Time and memory to score a large ensemble, beside numpy and scoringrules.
    Score(Score),
    /// Time of a training step of the published networks, beside PyTorch with neuraloperator.
    Train(Train),
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct Operators {
    /// Devices, separated by commas: cpu, wgpu, wgpu:N, cuda:N; auto is the best one and the CPU
    #[arg(long, default_value = "auto", value_delimiter = ',')]
    device: Vec<String>,
    /// Experiments, separated by commas; all if left out
    #[arg(long, value_name = "EXPERIMENT", value_delimiter = ',')]
    only: Vec<Experiment>,
    /// Members of one pass (fewer where memory would not do)
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    members: u32,
    /// Seconds to spend on one measurement, at least
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Write JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = DATA_EXAMPLES)]
struct Data {
    /// Interpreter for the peers; python3 (or the one that PNO_PYTHON names) if left out, without complaint
    #[arg(long, value_name = "PYTHON")]
    python: Option<OsString>,
    /// Fewer trajectories and fewer turns
    #[arg(long)]
    quick: bool,
    /// Also write what was measured as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace the JSON if it is there
    #[arg(long)]
    force: bool,
    /// Equations, separated by commas: ks, sswe, darcy; all if left out
    #[arg(long, value_name = "EXPERIMENT", value_delimiter = ',')]
    only: Vec<Experiment>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = SCORE_EXAMPLES)]
struct Score {
    /// Interpreter for the peer; python3 (or the one that PNO_PYTHON names) if left out, without complaint
    #[arg(long, value_name = "PYTHON")]
    python: Option<OsString>,
    /// Members of the ensemble
    #[arg(long, value_name = "M", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    members: u32,
    /// Points of a field; 1 000 000 if left out, 100 000 with --quick
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1_000..))]
    points: Option<u32>,
    /// Fewer points and fewer turns
    #[arg(long)]
    quick: bool,
    /// Also write what was measured as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace the JSON if it is there
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = TRAIN_EXAMPLES)]
struct Train {
    /// Interpreter for the peer; python3 (or the one that PNO_PYTHON names) if left out, without complaint
    #[arg(long, value_name = "PYTHON")]
    python: Option<OsString>,
    /// Cases of a step; that of the paper if left out, 8 with --quick
    #[arg(long, value_name = "CASES", value_parser = clap::value_parser!(u32).range(1..=1024))]
    batch: Option<u32>,
    /// Fewer cases and fewer turns
    #[arg(long)]
    quick: bool,
    /// Also write what was measured as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace the JSON if it is there
    #[arg(long)]
    force: bool,
    /// Networks, separated by commas: darcy, ks, sswe; darcy and ks if left out
    #[arg(long, value_name = "EXPERIMENT", value_delimiter = ',')]
    only: Vec<Experiment>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Operators(args) => operators(args),
        Command::Data(args) => data(args),
        Command::Score(args) => score(args),
        Command::Train(args) => train(args),
    }
}

fn data(args: &Data) -> Result<()> {
    refuse(args.json.as_deref(), args.force)?;
    if let Some(other) = args.only.iter().find(|e| !EQUATIONS.contains(e)) {
        bail!(Usage(format!(
            "--only names {other}, which is not solved here; known: ks, sswe, darcy"
        )));
    }
    let what = bench::data::Data {
        only: &args.only,
        python: (&interpreter(args.python.as_ref()), args.python.is_some()),
        quick: args.quick,
    };
    let report = bench::data::measure(&what, |step| eprintln!("{step}"))?;
    print(bench::table(report.cores, &report.rows, &bench::data::WORDS).trim_end())?;
    if let Some(sentence) = &report.missing {
        print(sentence)?;
    }
    write_json(args.json.as_deref(), args.force, &report)
}

fn score(args: &Score) -> Result<()> {
    refuse(args.json.as_deref(), args.force)?;
    let usual = if args.quick { 100_000 } else { 1_000_000 };
    let what = bench::score::Scoring {
        members: args.members as usize,
        points: args.points.unwrap_or(usual) as usize,
        python: (&interpreter(args.python.as_ref()), args.python.is_some()),
        turns: if args.quick { 3 } else { 7 },
    };
    let report = bench::score::measure(&what, |step| eprintln!("{step}"))?;
    print(bench::table(report.cores, &report.rows, &bench::score::WORDS).trim_end())?;
    print(&report.memory.sentence())?;
    if let Some(sentence) = &report.missing {
        print(sentence)?;
    }
    write_json(args.json.as_deref(), args.force, &report)
}

fn train(args: &Train) -> Result<()> {
    refuse(args.json.as_deref(), args.force)?;
    let known = bench::train::NETWORKS;
    if let Some(other) = args.only.iter().find(|e| !known.contains(e)) {
        bail!(Usage(format!(
            "--only names {other}, which has no peer; known: darcy, ks, sswe"
        )));
    }
    let usual = args.quick.then_some(8);
    let what = bench::train::Training {
        only: &args.only,
        batch: args.batch.or(usual).map(|batch| batch as usize),
        python: (&interpreter(args.python.as_ref()), args.python.is_some()),
        turns: if args.quick { 3 } else { 5 },
    };
    let report = bench::train::measure(&what, |step| eprintln!("{step}"))?;
    print(bench::table(report.cores, &report.rows, &bench::train::WORDS).trim_end())?;
    for (row, stages) in report.rows.iter().zip(&report.stages) {
        print(&format!(
            "{}: our time goes to {}",
            row.what,
            stages.sentence()
        ))?;
    }
    if let Some(sentence) = &report.missing {
        print(sentence)?;
    }
    write_json(args.json.as_deref(), args.force, &report)
}

/// The interpreter that was asked for, or the usual one.
fn interpreter(asked_for: Option<&OsString>) -> OsString {
    let usual = || std::env::var_os("PNO_PYTHON").unwrap_or_else(|| "python3".into());
    asked_for.cloned().unwrap_or_else(usual)
}

/// Says no before the work.
fn refuse(json: Option<&Path>, force: bool) -> Result<()> {
    json.map_or(Ok(()), |path| files::refuse_taken(path, force))
}

fn write_json(path: Option<&Path>, force: bool, report: &impl serde::Serialize) -> Result<()> {
    if let Some(path) = path {
        let mut text = serde_json::to_string_pretty(report)?;
        text.push('\n');
        files::write(path, text.as_bytes(), force)?;
    }
    Ok(())
}

fn operators(args: &Operators) -> Result<()> {
    let Ok(budget) = Duration::try_from_secs_f64(args.seconds) else {
        bail!(Usage(format!(
            "--seconds is {}, but must be a positive number",
            args.seconds
        )));
    };
    let what = bench::Operators {
        experiments: args.only.clone(),
        members: args.members,
        budget,
    };
    let mut reports = vec![];
    for (device, label) in devices(&args.device)? {
        let (peak, rows) = bench::measure(&what, &device, |step| eprintln!("{label}: {step}"))?;
        if args.json {
            reports.push(
                serde_json::json!({ "device": label, "peak_gflops": peak, "operators": rows }),
            );
        } else {
            print(&table(&label, peak, &rows))?;
        }
    }
    if args.json {
        print(&serde_json::to_string_pretty(&reports)?)?;
    }
    Ok(())
}

/// The devices asked for; `auto` is the best one, and the CPU beside it if that is a GPU.
fn devices(names: &[String]) -> Result<Vec<(burn::tensor::Device, String)>> {
    let mut opened = vec![];
    for name in names {
        let device = device::open(name)?;
        let is_gpu = !device.1.starts_with("CPU");
        opened.push(device);
        if name == "auto" && is_gpu {
            opened.push(device::open("cpu")?);
        }
    }
    Ok(opened)
}

fn table(label: &str, peak: f64, rows: &[Row]) -> String {
    let mut text = format!("{label}: matrix products of 1024 x 1024 reach {peak:.1} GFLOP/s\n");
    let head = [
        "network",
        "grid",
        "parameters",
        "members",
        "ms/member",
        "GFLOP",
        "GFLOP/s",
        "of peak",
    ];
    // Writing to a text cannot fail.
    let _ = writeln!(
        text,
        "{:<12} {:>14} {:>10} {:>8} {:>10} {:>8} {:>8} {:>8}",
        head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7]
    );
    for row in rows {
        let sizes: Vec<String> = row.grid.iter().map(usize::to_string).collect();
        let _ = writeln!(
            text,
            "{:<12} {:>14} {:>10} {:>8} {:>10.2} {:>8.3} {:>8.1} {:>7.0}%",
            format!("{} {}", row.experiment, row.operator),
            sizes.join(" x "),
            row.parameters,
            row.members,
            row.ms_per_member,
            row.gflop_per_member,
            row.gflops,
            100.0 * row.share_of_peak
        );
    }
    text
}
