//! `pno data import`: data sets of files.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use pno::spec::Profile;

use super::make;
use crate::data::Source;
use crate::data::missing::Missing;
use crate::data::sources::{Arrays, Pdebench, PdebenchChoices};
use crate::formats::{self, Options};

mod era5;

pub(super) use era5::region;

/// Arguments of `pno data import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// PDEBench's Darcy flow: one HDF5 file with `nu` and `tensor`
    #[command(after_help = "\
Examples:
  pno data import pdebench 2D_DarcyFlow_beta1.0_Train.hdf5 --out data/darcy-pdebench.zarr
  pno data import pdebench 2D_DarcyFlow_beta1.0_Train.hdf5 --samples 1000 --stride 2 --out data/darcy-64.zarr
  pno data import pdebench 2D_DarcyFlow_beta1.0_Train.hdf5 --profile paper --out data/darcy-paper.zarr

`paper` has the published splits (numpy's and torch's permutations of seed 42) and trains on every second point.")]
    Pdebench(PdebenchArgs),
    /// ERA5 or any field over time, latitude and longitude: WeatherBench2 Zarr (a folder or an address), NetCDF or GRIB
    #[command(after_help = "\
Examples:
  pno data import era5 gs://weatherbench2/datasets/era5/1959-2023_01_10-wb13-6h-1440x721_with_derived_variables.zarr \\
      --variable 2m_temperature --out data/era5.zarr --cache cache
  pno data import era5 era5-2011.grib era5-2012.grib --region 50..58,-10..2 --out data/uk.zarr
  pno data import era5 reanalysis.nc --region all --train 2013-01-01..2014-06-30 --valid 2014-07-01..2014-09-30 \\
      --test 2014-10-01..2014-12-31 --gap-hours 120 --out data/air.zarr

The default box is the paper's: latitude 35 to 74.75, longitude -12.5 to 42.25. Default periods are the paper's where the files
have them (2011-2020, 2021, 2022), otherwise 70, 15 and 15 % of the steps with the length of a window between them.
An interrupted import goes on with the same command; --cache also keeps what was fetched over the network.")]
    Era5(era5::Args),
    /// Your own arrays, as a short TOML file describes them
    #[command(after_help = "\
Example: flow.toml

  title = \"Flow through my sponge\"
  [[inputs]]
  name = \"porosity\"
  file = \"sponge.nc\"
  [[outputs]]
  name = \"pressure\"
  file = \"sponge.nc\"
  unit = \"Pa\"

  pno data import arrays flow.toml --out data/flow.zarr
  pno train arrays --data data/flow.zarr --method pno-r --out runs/flow

Files: .npy, NetCDF, HDF5, Zarr. The first axis is the cases (or time, with [windows]). All keys: docs/data.md")]
    Arrays(ArraysArgs),
}

#[derive(Debug, clap::Args)]
struct PdebenchArgs {
    /// The HDF5 file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    target: Target,
    /// Samples to take, from the first on; all if not given
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Store every n-th point along each axis
    #[arg(long, value_name = "N", default_value_t = 1)]
    stride: usize,
    /// Names the permutation of the splits
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Splits by a seed (fixed), or the published ones with training on every second point (paper)
    #[arg(long, default_value = "fixed")]
    profile: Profile,
}

#[derive(Debug, clap::Args)]
struct ArraysArgs {
    /// The TOML file
    #[arg(value_name = "FILE.toml")]
    config: PathBuf,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    missing: MissingArgs,
    #[command(flatten)]
    cache: Cache,
}

/// What is done with values that are missing.
#[derive(Debug, clap::Args)]
pub(super) struct MissingArgs {
    /// Missing values: an error, or left out (mask) where a point is missing at all times, as the sea in land data
    #[arg(long, value_name = "error|mask")]
    pub(super) missing: Option<Missing>,
}

/// Where the data set goes.
#[derive(Debug, clap::Args)]
pub(super) struct Target {
    /// Where the data set goes (a folder)
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace an existing data set
    #[arg(long)]
    force: bool,
}

impl Target {
    /// Makes the data set of a source there.
    fn make(&self, source: &dyn Source, what: &str) -> Result<()> {
        make(source, &self.out, self.force, what)
    }
}

/// What is kept of the network.
#[derive(Debug, clap::Args)]
pub(super) struct Cache {
    /// Folder for what comes over the network, so that a rerun need not fetch it again
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl Cache {
    pub(super) fn options(&self) -> Options {
        Options {
            cache: self.cache.clone(),
        }
    }
}

/// Runs `pno data import`.
pub fn run(args: &Args) -> Result<()> {
    match &args.kind {
        Kind::Pdebench(args) => {
            let choices = PdebenchChoices {
                profile: args.profile,
                seed: args.seed,
                samples: args.samples,
                stride: args.stride,
            };
            let archive = formats::open(&args.file.to_string_lossy(), &Options::default())?;
            let source = Pdebench::new(archive, choices)?;
            args.target.make(&source, "samples")
        }
        Kind::Era5(args) => era5::run(args),
        Kind::Arrays(args) => {
            let options = args.cache.options();
            let source = Arrays::open(&args.config, &options, args.missing.missing)?;
            args.target.make(&source, "rows")
        }
    }
}
