//! `pno data`: make and describe data sets.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;

use super::progress::Progress;
use super::{describe, print};
use crate::data::{Dataset, Source, Split, write};
use crate::figure::Format;
use crate::{files, interrupt};

mod case;
mod generate;
mod import;

/// Arguments of `pno data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a data set by solving the equations
    Generate(generate::Args),
    /// Make a data set of files that you have
    Import(import::Args),
    /// Write one case of files over time, latitude and longitude as an array and a note, for the page
    #[command(after_help = "\
Example: how the case that comes with the page was made
  pno data case air_temperature_small.nc --start 2014-02-24 --title \"North America\" \\
      --credit \"NCEP/NCAR Reanalysis 1, NOAA PSL, public domain\" --out web/cases/air-2014-02-24.npy

The array is [time, latitude, longitude] in physical units, south first, input and truth one after the other: it can also be
dropped on the page, or its first half be given to `pno predict --input`.")]
    Case(case::Args),
    /// Show sizes, units, statistics, splits and the fingerprint of a data set, and draw a case
    #[command(after_help = "\
Examples:
  pno data info data/ks.zarr
  pno data info data/darcy.zarr --case 3 --picture sample.png")]
    Info(InfoArgs),
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
    /// Replace the picture if it is there
    #[arg(long)]
    force: bool,
}

/// Runs `pno data`.
pub fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Generate(args) => generate::run(args),
        Command::Import(args) => import::run(args),
        Command::Case(args) => case::run(args),
        Command::Info(args) => run_info(args),
    }
}

fn run_info(args: &InfoArgs) -> Result<()> {
    if let Some(path) = &args.picture {
        Format::of(path)?;
        files::refuse_taken(path, args.force)?;
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
    let split = dataset.split_of(index).unwrap_or(Split::Test);
    let task = dataset.task_of(split);
    crate::figure::sample(&task, &dataset.case(index)?, &title).write(path)
}

/// Makes the data set of a source, with progress, and says what came out and what to do with it.
fn make(source: &dyn Source, out: &Path, force: bool, what: &str) -> Result<()> {
    interrupt::watch();
    let progress = Progress::new(what, source.contents().rows.number());
    write(source, out, force, |done| progress.set(done))?;
    drop(progress);
    let dataset = Dataset::open(out)?;
    let counts = Split::ALL.map(|split| format!("{split} {}", dataset.split(split).len()));
    print(&format!(
        "{}: {} cases ({})",
        out.display(),
        dataset.cases(),
        counts.join(", ")
    ))?;
    print(&format!(
        "next: pno train {} --data {} --method pno-d --out RUN",
        dataset.experiment(),
        out.display()
    ))
}
