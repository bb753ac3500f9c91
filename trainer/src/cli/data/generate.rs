//! `pno data generate`: data sets of equations.

use std::path::PathBuf;

use anyhow::{Result, bail};
use pno::pde::darcy::Law;
use pno::spec::{Experiment, Profile};
use pno::sphere::Latitudes;

use super::make;
use crate::cli::Usage;
use crate::data::{Counts, Size, Source};
use crate::experiments::{self, DataRecipe, Generator, Unusual, row};

/// Arguments of `pno data generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pno data generate ks --out data/ks.zarr
  pno data generate darcy --samples 1000 --out data/darcy.zarr
  pno data generate darcy --law gaussian --grid 128 --out data/darcy-gaussian.zarr
  pno data generate sswe --samples 200 --grid 64x128 --out data/sswe.zarr
  pno data generate sswe --shares 0,0,500 --frames 11 --seed 1 --profile paper --out data/sswe-test.zarr
  pno data generate ks --size paper --seed 42 --out data/ks-paper.zarr

Profiles: `fixed` is what the task should be (Darcy: the steady state; KS: after a burn-in of 100 time units; shallow water: a
proper first step), `paper` is what was published (Darcy: the state at t = 2; KS: windows that begin with white noise).
An interrupted run leaves its finished chunks beside DIR; the same command goes on from there.
In Python: xarray.open_zarr(\"data/ks.zarr\")")]
pub struct Args {
    /// Which equation: darcy, ks, ks-step (the same trajectories, step by step) or sswe
    experiment: Experiment,
    /// Where the data set goes (a folder)
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of samples, if not the size's own; shared out in its proportions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000), conflicts_with = "shares")]
    samples: Option<u32>,
    /// Numbers of training, validation and test cases
    #[arg(long, value_name = "A,B,C")]
    shares: Option<Counts>,
    /// Names the samples and the splits
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Samples, grid and profile: demo (for trying out), small (of the reproduction on two cores) or paper (as published)
    #[arg(long, value_enum, default_value = "demo", hide_possible_values = true)]
    size: Size,
    /// A named change of the experiment that has data of its own: sswe has `step`
    #[arg(long = "variant", value_name = "NAME", value_delimiter = ',')]
    variants: Vec<String>,
    /// As it should be (fixed) or as it was published (paper), if not the size's own
    #[arg(long)]
    profile: Option<Profile>,
    /// Darcy: law of the permeability, bumps (values 0.1 and 1, the paper's) or gaussian (3 and 12)
    #[arg(long, value_name = "LAW")]
    law: Option<Law>,
    /// Darcy: points along each axis (64). KS: cells that are stored (256). Shallow water: latitudes x longitudes (64x128)
    #[arg(long, value_name = "N|NxM")]
    grid: Option<String>,
    /// Shallow water: hourly frames per trajectory (3: the input, the next hour, and one for two-step training)
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Shallow water: equiangular (with poles, the paper's) or gauss
    #[arg(long)]
    latitudes: Option<Latitudes>,
    /// Replace an existing data set
    #[arg(long)]
    force: bool,
}

/// Runs `pno data generate`.
pub fn run(args: &Args) -> Result<()> {
    let generator = generator(args)?;
    make(&*source(args)?, &args.out, args.force, generator.samples)
}

fn source(args: &Args) -> Result<Box<dyn Source>> {
    let Some(preset) = experiments::recipe(args.experiment, args.size, &args.variants)?.data else {
        bail!(Usage(format!("{} has no recipe", args.experiment)));
    };
    let profile = args.profile.unwrap_or(preset.profile);
    // Another profile has another grid, if none is asked for.
    let own_grid = if profile == preset.profile {
        preset.grid.clone()
    } else {
        vec![]
    };
    let counts = args.shares.unwrap_or_else(|| {
        args.samples.map_or(preset.counts(), |samples| {
            preset.counts().scaled(samples as usize)
        })
    });
    let recipe = DataRecipe {
        shares: counts.0,
        grid: args.grid.as_deref().map_or(Ok(own_grid), sizes)?,
        profile,
        frames: args.frames.or(preset.frames),
        seed: args.seed.unwrap_or(preset.seed),
    };
    let unusual = Unusual {
        law: args.law,
        latitudes: args.latitudes,
    };
    recipe.source(args.experiment, unusual)
}

/// How the data of the experiment are made. A choice that would be ignored is a mistake.
fn generator(args: &Args) -> Result<&'static Generator> {
    let of = args.experiment;
    let Some(generator) = &row(of).generator else {
        bail!(Usage(format!(
            "{of} data cannot be generated, only read: pno data import {of}; generated are {}",
            experiments::named(|_| true)
        )));
    };
    for (flag, is_given) in [
        ("--law", args.law.is_some()),
        ("--grid", args.grid.is_some()),
        ("--frames", args.frames.is_some()),
        ("--latitudes", args.latitudes.is_some()),
    ] {
        if is_given && !generator.flags.contains(&flag) {
            let names = experiments::named(|generator| generator.flags.contains(&flag));
            bail!(Usage(format!("{flag} is for {names}, not for {of}")));
        }
    }
    Ok(generator)
}

/// `64` or `64x128`.
fn sizes(text: &str) -> Result<Vec<usize>> {
    let sizes: Result<Vec<usize>, _> = text.split('x').map(str::parse).collect();
    match sizes {
        Ok(sizes) if (1..=2).contains(&sizes.len()) => Ok(sizes),
        _ => bail!(Usage(format!(
            "--grid {text}: a size such as 64 or 64x128 is wanted"
        ))),
    }
}
