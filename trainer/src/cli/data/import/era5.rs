//! `pno data import era5`: a box and some years of a field over time, latitude and longitude.

use anyhow::{Result, bail};
use pno::spec::Profile;

use super::{Cache, MissingArgs, Target};
use crate::cli::Usage;
use crate::data::era5::{Cutting, Period, Periods, Region, Request, Selection};
use crate::data::sources::Era5;
use crate::formats;

/// Arguments of `pno data import era5`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zarr folders or addresses (http, https, gs), NetCDF or GRIB files; several are joined along time
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    #[command(flatten)]
    target: Target,
    /// The variable, if there are several
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,
    /// Box in degrees, south..north,west..east, or `all`; it may cross Greenwich or the date line
    #[arg(
        long,
        value_name = "S..N,W..E",
        default_value = "35..74.75,-12.5..42.25",
        allow_hyphen_values = true
    )]
    region: String,
    /// Hours from one step to the next; a finer file is thinned out
    #[arg(long, value_name = "H", default_value_t = 6)]
    step_hours: u32,
    /// Steps of the input; the truth has as many
    #[arg(long, value_name = "N", default_value_t = 10)]
    steps: usize,
    /// Period for training, for example 2011-01-01..2020-12-31
    #[arg(long, value_name = "FROM..TO", requires_all = ["valid", "test"])]
    train: Option<String>,
    /// Period for validation
    #[arg(long, value_name = "FROM..TO", requires_all = ["train", "test"])]
    valid: Option<String>,
    /// Period for the final scores
    #[arg(long, value_name = "FROM..TO", requires_all = ["train", "valid"])]
    test: Option<String>,
    /// Hours between two periods that nobody uses; the length of a window if not given
    #[arg(long, value_name = "H")]
    gap_hours: Option<u32>,
    /// Steps between the beginnings of two windows
    #[arg(long, value_name = "N", default_value_t = 1)]
    stride: usize,
    /// Leave out every window that touches this period (repeatable)
    #[arg(long, value_name = "FROM..TO")]
    exclude: Vec<String>,
    /// Unit of the values, where the files do not say it: K, degC or another
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Windows that never leak between periods (fixed), or the published ones (paper)
    #[arg(long, default_value = "fixed")]
    profile: Profile,
    #[command(flatten)]
    missing: MissingArgs,
    #[command(flatten)]
    cache: Cache,
}

/// Runs `pno data import era5`.
pub fn run(args: &Args) -> Result<()> {
    let request = Request {
        variable: args.variable.clone(),
        region: region(&args.region)?,
        period: None,
        step_hours: args.step_hours,
        unit: args.unit.clone(),
    };
    let cutting = cutting(args)?;
    let options = args.cache.options();
    let archives = args
        .sources
        .iter()
        .map(|source| formats::open(source, &options))
        .collect::<Result<Vec<_>>>()?;
    let selection = Selection::open(archives, &request).map_err(|error| {
        // The default box is one that few files have.
        if error.to_string().contains("the box wants") {
            return error.context("--region chooses another box, `--region all` takes everything");
        }
        error
    })?;
    let missing = args.missing.missing.unwrap_or_default();
    let source = Era5::new(selection, &args.sources, &cutting, missing)?;
    args.target.make(&source, "steps")
}

/// Reads the box; `all` is none.
pub fn region(text: &str) -> Result<Option<Region>> {
    if text == "all" {
        return Ok(None);
    }
    match text.parse() {
        Ok(region) => Ok(Some(region)),
        Err(error) => bail!(Usage(format!("--region: {error:#}"))),
    }
}

fn cutting(args: &Args) -> Result<Cutting> {
    let period = |flag: &str, text: &str| {
        Period::parse(text, args.profile)
            .map_err(|error| anyhow::Error::new(Usage(format!("--{flag}: {error:#}"))))
    };
    let periods = match (&args.train, &args.valid, &args.test) {
        (Some(train), Some(valid), Some(test)) => Some(Periods {
            train: period("train", train)?,
            valid: period("valid", valid)?,
            test: period("test", test)?,
        }),
        _ => None,
    };
    let exclude = args.exclude.iter().map(|text| {
        let Period { first, last } = period("exclude", text)?;
        Ok((first, last))
    });
    Ok(Cutting {
        profile: args.profile,
        inputs: args.steps,
        outputs: args.steps,
        stride: args.stride,
        periods,
        gap_hours: args.gap_hours,
        exclude: exclude.collect::<Result<_>>()?,
    })
}
