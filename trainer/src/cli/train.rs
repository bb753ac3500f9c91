//! `pno train`: from a data set to a checkpoint.

use std::path::PathBuf;

use anyhow::{Result, bail};
use burn::tensor::Device;
use pno::checkpoint::{Checkpoint, Precision};
use pno::ensemble::forecast::Forecaster;
use pno::spec::{Experiment, Loss, Method, Operator, Profile};
use pno::task::Domain;

use super::progress::Progress;
use super::{Usage, print};
use crate::data::{Dataset, Size, Split};
use crate::eval::{Horizon, Outcome, Plan, table};
use crate::train::run::Run;
use crate::train::settings::{Override, Settings};
use crate::{device, files};

const EXAMPLES: &str = "\
Examples:
  pno data generate ks --out data/ks
  pno train ks --data data/ks --method pno-d --out runs/ks-d
  pno train ks --data data/ks --method pno-r --out runs/ks-r --set train.epochs=60 --set model.modes=[10,48]
  pno train ks --data data/ks --method pno-r --operator uno --out runs/ks-uno-r
  pno train ks --data data/ks --method det --out runs/ks-det     one output, no uncertainty
  pno train ks --data data/ks --method pno-r --loss energy+crps --set train.loss_weight=0.5 --out runs/ks-both
  pno train ks --data data/ks --set train.members_schedule=[[0,3],[20,8]] --set model.fourier_dropout=0 --out runs/ks-8
  pno train sswe --data data/sswe --set train.steps=2 --out runs/sswe-2      two steps, every member its own
  pno train ks --data data/ks --out runs/ks-d --resume          after Ctrl-C or a crash
  pno train ks --data data/ks-full --method pno-r --size paper --device cuda:0 --out runs/ks-r-paper
  pno train ks --data data/ks --method pno-d --dry-run          shows every setting and trains nothing

Methods
  pno-d    every member is a pass with its own dropout; trained with a score of members
  pno-r    heads for mean and spread, members are draws from them; trained with a score of members
  mcd      Monte-Carlo dropout: members as in pno-d, trained with l2
  det      one output without dropout, members are copies; trained with l2
  laplace  a posterior of the last layer of a det model: train det, then `pno laplace RUN --data DIR --out MODEL.pno`

Losses
  energy        energy score: whole fields (the paper's; default of pno-d and pno-r)
  crps          point by point: says where the spread belongs, not how points move together
  energy+crps   energy score + train.loss_weight * CRPS
  kernel        Gaussian kernel score, train.bandwidth standard deviations wide
  l2            norm of the error (default, and only one, of det and mcd)";

/// Train a model on a data set.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Experiment of the data set: darcy, ks, sswe, era5 or arrays
    experiment: Experiment,
    /// Data set made by `pno data generate` or `pno data import`
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// How uncertainty is made: pno-d, pno-r, mcd or det (see below)
    #[arg(long, default_value = "pno-d")]
    method: Method,
    /// What is minimised: energy, crps, energy+crps, kernel or l2 (see below)
    #[arg(long)]
    loss: Option<Loss>,
    /// Which network: fno, uno or sfno (sphere); fno unless the grid is a sphere
    #[arg(long)]
    operator: Option<Operator>,
    /// UNO as it should be (fixed) or as it was published, without activations and with damaged resizing (paper)
    #[arg(long, default_value = "fixed")]
    profile: Profile,
    /// Folder of the run
    #[arg(long, value_name = "RUN", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Preset: small (a slim network with more modes, minutes on two cores) or paper (the published network and rules)
    #[arg(long, value_enum, default_value = "small", hide_possible_values = true)]
    size: Size,
    /// auto, cpu, wgpu or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// Seed of weights, order and noise
    #[arg(long)]
    seed: Option<u64>,
    /// Most epochs
    #[arg(long)]
    epochs: Option<usize>,
    /// Go on with the run in --out
    #[arg(long)]
    resume: bool,
    /// Change a setting, for example train.batch=32 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<Override>,
    /// Members of the test at the end; 0 leaves it out
    #[arg(long, default_value_t = 100)]
    test_members: u32,
    /// Show the settings and the number of parameters, train nothing
    #[arg(long)]
    dry_run: bool,
}

/// Trains and tells how it went.
pub fn run(args: &Args) -> Result<()> {
    let data = Dataset::open(&args.data)?;
    if data.experiment() != args.experiment {
        bail!(
            "{} is a data set of `{}`, but `{}` is to be trained",
            args.data.display(),
            data.experiment(),
            args.experiment
        );
    }
    if args.resume && (args.loss.is_some() || !args.overrides.is_empty()) {
        bail!(Usage("a resumed run keeps its settings (only --epochs can change): leave --set and --loss out, or begin another run".into()));
    }
    let settings = settings(args, &data)?;
    if args.dry_run {
        let text = settings.to_toml()?;
        return print(&format!(
            "{text}\n# {} parameters",
            settings.model.parameter_count()
        ));
    }
    let Some(out) = &args.out else {
        bail!("--out is missing");
    };
    let (device, label) = device::open(&args.device)?;
    let run = if args.resume {
        Run::resume(out, args.epochs, &data)?
    } else {
        Run::create(out, settings, &data)?
    };
    let model = &run.settings().model;
    print(&format!(
        "{} {} {} on {label}: {} parameters, {} of {} epochs done, run in {}",
        args.experiment,
        model.operator,
        model.method,
        model.parameter_count(),
        run.epochs_done(),
        run.settings().train.epochs,
        out.display()
    ))?;
    let (path, mut checkpoint) = run.train(&data, &device)?;
    print(&format!(
        "{} epochs, {}\nwrote {}",
        checkpoint.header.provenance.epochs,
        checkpoint.header.provenance.note,
        path.display()
    ))?;
    if args.test_members > 0 {
        let outcome = test(args, &data, &checkpoint, &device)?;
        checkpoint.header.scores = Some(outcome.scores());
        files::write_atomic(&path, &checkpoint.encode(Precision::F32)?)?;
        print(&table(&outcome))?;
    }
    Ok(())
}

/// Scores the model on trajectories that neither training nor the choice of the epoch has seen.
fn test(args: &Args, data: &Dataset, checkpoint: &Checkpoint, device: &Device) -> Result<Outcome> {
    let cases = data.split(Split::Test);
    let grid = data.task_of(Split::Test).input_shape();
    let forecaster = Forecaster::on_grid(checkpoint, &grid, device)?;
    let plan = Plan {
        forecaster: &forecaster,
        dataset: data,
        cases,
        members: args.test_members,
        seed: 0,
        horizon: Horizon::ONE_STEP,
        thresholds: &[],
    };
    let progress = Progress::new("test cases", cases.len());
    plan.run(|done| progress.set(done))
}

fn settings(args: &Args, data: &Dataset) -> Result<Settings> {
    let mut settings = Settings::preset(
        args.experiment,
        operator(args, data),
        args.method,
        args.profile,
        args.size,
        Some(&data.task_of(Split::Train)),
    )?;
    if let Some(loss) = args.loss {
        settings.train.loss = loss;
    }
    if let Some(seed) = args.seed {
        settings.train.seed = seed;
    }
    if let Some(epochs) = args.epochs {
        settings.train.epochs = epochs;
    }
    settings.with_overrides(&args.overrides)
}

/// The operator that was asked for, or the one that suits the grid.
fn operator(args: &Args, data: &Dataset) -> Operator {
    args.operator.unwrap_or(match data.task().domain {
        Domain::Flat => Operator::Fno,
        Domain::Sphere(_) => Operator::Sfno,
    })
}
