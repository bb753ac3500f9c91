//! `pno laplace`: a deterministic model becomes a Laplace approximation.

use std::cell::OnceCell;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use pno::spec::Profile;

use super::print;
use super::progress::Progress;
use crate::data::Dataset;
use crate::files::{self, Model};
use crate::laplace::{Options, fit};
use crate::{device, interrupt};

const EXAMPLES: &str = "\
Examples:
  pno train ks --data data/ks --method det --out runs/ks-det
  pno laplace runs/ks-det --data data/ks --out ks-laplace.pno
  pno laplace runs/ks-det --data data/ks --no-noise --out ks-laplace-field.pno      the field itself, not measurements
  pno laplace runs/ks-det --data data/ks --profile paper --out ks-laplace-paper.pno

The posterior is that of the last affine map; the network stays as it is. With fixed, members get the observation noise
that the evidence found, because the posterior of a few hundred weights after millions of values is almost a point;
--no-noise leaves it out. With paper, scales and draws are those of the published program, and there is no noise.";

/// Make a Laplace approximation of a trained deterministic model.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .pno file or the folder of a run, of method det (or laplace, to be fitted again)
    model: PathBuf,
    /// Data set that it was trained on
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// As it should be (fixed) or as it was published (paper)
    #[arg(long, default_value = "fixed")]
    profile: Profile,
    /// Members without observation noise
    #[arg(long)]
    no_noise: bool,
    /// The file to write
    #[arg(long, value_name = "MODEL.pno")]
    out: PathBuf,
    /// Replace what is there
    #[arg(long)]
    force: bool,
    /// auto, cpu, wgpu or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    // Before the work, not after it.
    files::refuse_taken_file(&args.out, args.force)?;
    let model = Model::read(&args.model)?;
    let data = Dataset::open(&args.data)?;
    let made_for = model.checkpoint.header.spec.experiment;
    ensure!(
        made_for == data.experiment(),
        "{}: a data set of `{}`, but the model is for `{made_for}`",
        args.data.display(),
        data.experiment()
    );
    let (device, label) = device::open(&args.device)?;
    interrupt::watch();
    let progress = OnceCell::new();
    let options = Options {
        profile: args.profile,
        noise: !args.no_noise,
    };
    let told = |done, total| {
        let progress = progress.get_or_init(|| Progress::new("cases", total));
        progress.set(done);
    };
    let (fitted, fit) = fit(&model.checkpoint, &data, options, &device, told)
        .with_context(|| model.path.display().to_string())?;
    drop(progress);
    let precision = fitted.header.precision;
    files::write(&args.out, &fitted.encode(precision)?, args.force)?;
    print(&format!(
        "{}: last-layer Laplace approximation ({}), on {label}\n\
         prior precision {:.6}, noise scale {:.6} (residuals have {:.6}), log evidence {:.6e}\n\
         the data determine {:.1} of {} weights; members have {}",
        args.out.display(),
        args.profile,
        fit.scales.delta,
        fit.scales.noise,
        fit.residual,
        fit.log_evidence,
        fit.determined,
        fit.parameters,
        if fit.posterior.noise() > 0.0 {
            "observation noise"
        } else {
            "no observation noise"
        }
    ))
}
