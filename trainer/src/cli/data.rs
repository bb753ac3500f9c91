//! `pno data`: make and describe data sets.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;

use super::{describe, print};
use crate::cli::progress::Progress;
use crate::data::{Dataset, Plan, Size, Split, generate};
use crate::figure::Format;
use crate::interrupt;

/// Arguments of `pno data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a data set by solving the equation
    #[command(after_help = "\
Examples:
  pno data generate ks --out data/ks.zarr
  pno data generate ks --size paper --seed 42 --out data/ks-paper.zarr
  pno data generate ks --samples 8 --out /tmp/tiny.zarr --force

An interrupted run leaves its finished chunks beside DIR; the same command goes on from there.
In Python: xarray.open_zarr(\"data/ks.zarr\")")]
    Generate(GenerateArgs),
    /// Show sizes, statistics, splits and the fingerprint of a data set
    #[command(after_help = "\
Examples:
  pno data info data/ks.zarr
  pno data info data/ks.zarr --case 3 --picture sample.svg")]
    Info(InfoArgs),
}

#[derive(Debug, clap::Args)]
struct GenerateArgs {
    /// Which equation: ks
    experiment: pno::spec::Experiment,
    /// Where the data set goes (a folder)
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of trajectories, if not the size's own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    samples: Option<u32>,
    /// Names the initial conditions and the splits
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Number of trajectories and shares of the splits
    #[arg(long, value_enum, default_value = "small")]
    size: Size,
    /// Replace an existing data set
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
struct InfoArgs {
    /// The data set
    #[arg(value_name = "DIR")]
    data: PathBuf,
    /// Which case to show
    #[arg(long, value_name = "I", default_value_t = 0)]
    case: usize,
    /// Also write the case as a picture (.svg or .png)
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

/// Runs `pno data`.
pub fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Generate(args) => run_generate(args),
        Command::Info(args) => run_info(args),
    }
}

fn run_generate(args: &GenerateArgs) -> Result<()> {
    let plan = Plan {
        experiment: args.experiment,
        samples: args.samples.map_or(args.size.samples(), |n| n as usize),
        size: args.size,
        seed: args.seed,
        out: args.out.clone(),
        force: args.force,
    };
    interrupt::watch();
    let progress = Progress::new("trajectories", plan.samples);
    generate(&plan, |done| progress.set(done))?;
    drop(progress);
    let dataset = Dataset::open(&plan.out)?;
    let counts = Split::ALL.map(|split| format!("{split} {}", dataset.split(split).len()));
    print(&format!(
        "{}: {} cases ({})",
        plan.out.display(),
        dataset.cases(),
        counts.join(", ")
    ))?;
    print(&format!(
        "next: pno train {} --data {} --method pno-d --out RUN",
        plan.experiment,
        plan.out.display()
    ))
}

fn run_info(args: &InfoArgs) -> Result<()> {
    if let Some(path) = &args.picture {
        Format::of(path)?;
    }
    let dataset = Dataset::open(&args.data)?;
    print(&describe::dataset(&dataset, args.case)?)?;
    if let Some(path) = &args.picture {
        picture(&dataset, args.case, path)?;
        print(&format!(
            "picture of case {}: {}",
            args.case,
            path.display()
        ))?;
    }
    Ok(())
}

fn picture(dataset: &Dataset, index: usize, path: &Path) -> Result<()> {
    let title = format!(
        "{}, case {index}",
        dataset.experiment().name().to_uppercase()
    );
    crate::figure::sample(dataset.task(), &dataset.case(index)?, &title).write(path)
}
