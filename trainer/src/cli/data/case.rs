//! `pno data case`: one case of files as an array and a note, for the page to show.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::import::{Cache, MissingArgs, region};
use crate::cli::{Usage, print};
use crate::data::era5::{Period, Request, Selection};
use crate::data::missing::Missing;
use crate::data::sources::window_task;
use crate::formats::cf::{format_date, parse_date};
use crate::{files, formats, npy};

const HOUR_SECS: i64 = 3600;

/// Arguments of `pno data case`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zarr folders or addresses (http, https, gs), NetCDF or GRIB files; several are joined along time
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// Time of the first step, UTC: 2014-02-24 or 2014-02-24T06:00
    #[arg(long, value_name = "TIME")]
    start: String,
    /// Where the array goes (.npy); a note of the same name goes beside it (.json)
    #[arg(long, value_name = "OUT.npy")]
    out: PathBuf,
    /// The variable, if there are several
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,
    /// Box in degrees, south..north,west..east; everything if not given
    #[arg(
        long,
        value_name = "S..N,W..E",
        default_value = "all",
        allow_hyphen_values = true
    )]
    region: String,
    /// Hours from one step to the next; a finer file is thinned out
    #[arg(long, value_name = "H", default_value_t = 6)]
    step_hours: u32,
    /// Steps of the input; the truth has as many
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=1000))]
    steps: u32,
    /// Unit of the values, where the files do not say it: K, degC or another
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// What the visitor reads of where and what it is
    #[arg(long, value_name = "WORDS", default_value = "")]
    title: String,
    /// Where the values are from, and whom to thank
    #[arg(long, value_name = "WORDS", default_value = "")]
    credit: String,
    #[command(flatten)]
    missing: MissingArgs,
    #[command(flatten)]
    cache: Cache,
    /// Replace what is there
    #[arg(long)]
    force: bool,
}

/// Runs `pno data case`.
pub fn run(args: &Args) -> Result<()> {
    if args.out.extension().is_none_or(|ending| ending != "npy") {
        bail!(Usage(format!(
            "{}: a case is written as .npy",
            args.out.display()
        )));
    }
    let beside = args.out.with_extension("json");
    for path in [&args.out, &beside] {
        files::refuse_taken(path, args.force)?;
    }
    let first = parse_date(&args.start)
        .map_err(|error| anyhow::Error::new(Usage(format!("--start: {error:#}"))))?;
    let frames = 2 * args.steps as usize;
    let last = first + (frames as i64 - 1) * i64::from(args.step_hours) * HOUR_SECS;
    let request = Request {
        variable: args.variable.clone(),
        region: region(&args.region)?,
        period: Some(Period { first, last }),
        step_hours: args.step_hours,
        unit: args.unit.clone(),
    };
    let options = args.cache.options();
    let archives = args
        .sources
        .iter()
        .map(|source| formats::open(source, &options))
        .collect::<Result<Vec<_>>>()?;
    let mut selection = Selection::open(archives, &request)?;
    ensure!(
        selection.times.first() == Some(&first) && selection.times.len() == frames,
        "a case of {frames} steps from {} to {} was asked for, but the files have {} of them",
        format_date(first),
        format_date(last),
        selection.times.len()
    );
    // First, because it refuses more points than there can be.
    let mut task = window_task(&selection, args.steps as usize)?;
    if args.missing.missing == Some(Missing::Mask) {
        selection.mask_as(0)?;
        task = window_task(&selection, args.steps as usize)?;
    }
    let values = selection.read(0..frames)?;
    let shape = [
        frames,
        selection.latitudes.len(),
        selection.longitudes.len(),
    ];
    let note = json!({
        "experiment": "era5",
        "start": format_date(first),
        "title": args.title,
        "credit": args.credit,
        "task": task,
    });
    npy::write(&args.out, &shape, &values, args.force)?;
    write_note(&beside, &note, args.force)?;
    print(&format!(
        "{}: {shape:?} [time, latitude, longitude] in {}, {} to {}; {}",
        args.out.display(),
        selection.units,
        format_date(first),
        format_date(last),
        beside.display()
    ))
}

fn write_note(path: &Path, note: &serde_json::Value, force: bool) -> Result<()> {
    let mut text = serde_json::to_string_pretty(note).context("the note of a case")?;
    text.push('\n');
    files::write(path, text.as_bytes(), force)
}
