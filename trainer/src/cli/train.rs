//! `pno train`: from a data set to a checkpoint.

use std::cell::OnceCell;
use std::path::PathBuf;

use anyhow::{Result, bail};
use burn::tensor::Device;
use pno::checkpoint::{Checkpoint, Precision};
use pno::ensemble::forecast::Forecaster;
use pno::spec::{Loss, Method, ModelSpec, Operator, Profile};

use super::progress::Progress;
use super::{Usage, print};
use crate::data::{Dataset, Size, Split};
use crate::eval::{Horizon, Outcome, Plan, members_of, table};
use crate::train::composed::{Composed, is_composed};
use crate::train::memory::{Budget, Way};
use crate::train::origin::Origin;
use crate::train::run::{Run, holds_a_run};
use crate::train::settings::{Override, Settings};
use crate::{device, files};

mod choose;
pub(super) mod list;
mod needs;
mod resume;

use choose::{Chosen, What};
use needs::Cases;

const EXAMPLES: &str = "\
Examples:
  pno data generate ks --out data/ks
  pno train ks --data data/ks --method pno-d --out runs/ks-d
  pno train ks --data data/ks --method pno-r --out runs/ks-r --set train.epochs=60 --set model.modes=[10,48]
  pno train ks --data data/ks --method pno-r --operator uno --out runs/ks-uno-r
  pno train ks --data data/ks --method det --out runs/ks-det     one output, no uncertainty
  pno train ks --data data/ks --method ensemble --set model.networks=5 --out runs/ks-ensemble
  pno train ks --data data/ks --method laplace --out runs/ks-laplace
  pno train ks --data data/ks --method pno-r --loss energy+crps --set train.loss_weight=0.5 --out runs/ks-both
  pno train ks --data data/ks --set train.members_schedule=[[0,3],[20,8]] --set model.fourier_dropout=0 --out runs/ks-8
  pno train sswe --data data/sswe --set train.steps=2 --out runs/sswe-both   two steps in the loss from the start
  pno train ks --data data/ks --method pno-d --out runs/ks-d --resume      the same command, after Ctrl-C or a crash
  pno train --list                                               experiments, operators, methods, sizes, variants
  pno train ks --data data/ks-full --method pno-r --size paper --device cuda:0 --out runs/ks-r-paper
  pno train ks --data data/ks-128 --size small --variant full-spectrum --out runs/ks-wide
  pno train sswe --data data/sswe --variant two-step --out runs/sswe-2       one step, then a stage with two
  pno train ks --data data/ks --method pno-d --from runs/ks-mcd --out runs/ks-tuned     fine-tuning
  pno train ks-step --data data/ks-step --method pno-f --fresh --out runs/ks-fresh      new trajectories in every epoch
  pno train ks-step --data data/ks-step --method pno-f --set train.spectral=0.1 --out runs/ks-spectral
  pno train ks-step --data data/ks-step --set train.stages=[{steps=8,epochs=2,batch=8,entries=4,members=2}] --out runs/ks-8
  pno train my.toml --data data/ks --out runs/mine               your own numbers over ours; see below
  pno train ks --method pno-d --dry-run                          shows every setting and trains nothing

Methods
  pno-d    every member is a pass with its own dropout; trained with a score of members
  pno-r    heads for mean and spread, members are draws from them; trained with a score of members
  mcd      Monte-Carlo dropout: members as in pno-d, trained with l2
  det      one output without dropout, members are copies; trained with l2
  laplace  a det network and then a posterior of its last layer; --set laplace.noise=false leaves observation noise out
  ensemble several det networks from different seeds, one after the other; --set model.networks=5

Losses
  energy        energy score: whole fields (the paper's; default of pno-d and pno-r)
  crps          point by point: says where the spread belongs, not how points move together
  energy+crps   energy score + train.loss_weight * CRPS
  kernel        Gaussian kernel score, train.bandwidth standard deviations wide
  l2            norm of the error (default, and only one, of det and mcd)
To energy, crps and energy+crps, train.spectral times the CRPS of the coefficients of spectra can be added: every wavenumber in
units of its own standard deviation, so that members are as rough as the truth.

Settings, each over the one before: the experiment's file (trainer/experiments), your file, flags, --set. A file of your own
has any of the keys that --dry-run shows, and in [run] what the flags say; the settings.toml of a run is such a file too:
  [run]
  experiment = \"ks\"
  method = \"pno-r\"
  size = \"small\"
  [train]
  epochs = 40";

/// Train a model on a data set.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// Experiment of the data set (darcy, ks, sswe, era5 or arrays), or a file of settings
    #[arg(value_name = "EXPERIMENT|FILE.toml", required_unless_present_any = ["list", "config"])]
    what: Option<What>,
    /// Data set made by `pno data generate` or `pno data import`; --dry-run takes the grid of the preset without it
    #[arg(long, value_name = "DIR", required_unless_present_any = ["list", "dry_run"])]
    data: Option<PathBuf>,
    /// Show what can be trained by name, with its numbers
    #[arg(long)]
    list: bool,
    /// Settings that lie over those of the experiment
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// How uncertainty is made: pno-d (if nothing else is said), pno-r, mcd, det, laplace or
    /// ensemble (see below)
    #[arg(long)]
    method: Option<Method>,
    /// What is minimised: energy, crps, energy+crps, kernel or l2 (see below)
    #[arg(long)]
    loss: Option<Loss>,
    /// Which network: fno, uno or sfno (sphere); fno unless the grid is a sphere
    #[arg(long)]
    operator: Option<Operator>,
    /// What a UNO is and a second step begins with: as it should be (fixed, if nothing else is said) or as published (paper)
    #[arg(long)]
    profile: Option<Profile>,
    /// Folder of the run
    #[arg(long, value_name = "RUN", required_unless_present_any = ["dry_run", "list"])]
    out: Option<PathBuf>,
    /// Preset: demo (a slim network, minutes on two cores; if nothing else is said), small (the published network on less
    /// data, as in docs/results) or paper (the published network and rules)
    #[arg(long, value_enum, hide_possible_values = true)]
    size: Option<Size>,
    /// A named change of the experiment, such as full-spectrum or two-step; --list has them (repeatable)
    #[arg(long = "variant", value_name = "NAME", value_delimiter = ',')]
    variants: Vec<String>,
    /// Begin with the weights of a trained model: a .pno file or a run (fine-tuning)
    #[arg(long, value_name = "MODEL")]
    from: Option<PathBuf>,
    /// New trajectories in every epoch, straight from the solver, like those of --data (darcy, ks, ks-step, sswe); nothing of
    /// them is written, validation and test stay those of --data
    #[arg(long)]
    fresh: bool,
    /// auto, cpu, wgpu or cuda:N; several that share every batch with commas, cuda:0,cuda:1
    #[arg(long, default_value = "auto")]
    device: String,
    /// Seed of weights, order and noise
    #[arg(long)]
    seed: Option<u64>,
    /// Most epochs of the first stage; with --resume another number than before as long as that stage is not over, though
    /// not less than is done, and with the schedule cosine the same
    #[arg(long)]
    epochs: Option<usize>,
    /// Memory of the device, for example 8GB: as many cases of a batch at once as fit, the same result to rounding
    #[arg(long, value_name = "SIZE")]
    memory_budget: Option<Budget>,
    /// Go on with the run in --out, if there is one yet. All other flags may be given again as they were; what is not
    /// given is as the run has it. Others are refused, but for --epochs, --device and --test-members
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
    if args.list {
        return print(&list::text(match args.what {
            Some(What::Experiment(experiment)) => Some(experiment),
            _ => None,
        })?);
    }
    if args.dry_run {
        return dry_run(args);
    }
    let (Some(data), Some(out)) = (&args.data, &args.out) else {
        bail!(Usage("--data and --out are wanted".into()));
    };
    let data = Dataset::open(data)?;
    let way = Way::of(&args.device);
    let resumes = args.resume && holds_a_run(out);
    let (settings, origin) = if resumes {
        (resume::settings(args, out, &data)?, None)
    } else {
        let Chosen {
            settings, asked, ..
        } = choose::settings(args, Some(&data))?;
        let origin = Origin {
            asked: Some(asked),
            ..Origin::now()
        };
        (settings, Some(origin))
    };
    let (devices, label) = device::open_all(&args.device)?;
    if args.resume && !resumes {
        print(&format!("no run in {} yet: it begins", out.display()))?;
    }
    let begun = |settings: &Settings, how_far: &str| {
        let ModelSpec {
            experiment,
            operator,
            method,
            ..
        } = settings.model;
        print(&format!(
            "{experiment} {operator} {method} on {label}: {how_far}run in {}\n{}",
            out.display(),
            needs::text(settings, &Cases::of(&data), !resumes, way)?
        ))
    };
    // Nobody else gets in before the scores of the test are in the model too.
    let lock;
    let (path, mut checkpoint) = if is_composed(settings.model.method) {
        let composed = match origin {
            None => Composed::resume(out, &settings)?,
            Some(origin) => Composed::begin(out, settings, origin, &data)?,
        };
        begun(composed.settings(), "")?;
        let progress = OnceCell::new();
        let trained = composed.train(&data, &devices, print, |done, total| {
            let progress = progress.get_or_init(|| Progress::new("cases", total));
            progress.set(done);
        })?;
        lock = composed.into_lock();
        trained
    } else {
        let run = match origin {
            None => Run::resume(out, &settings, &data)?,
            Some(origin) => Run::begin(out, settings, origin, &data)?,
        };
        let (done, all) = (run.epochs_done(), run.settings().train.all_epochs());
        begun(run.settings(), &format!("{done} of {all} epochs done, "))?;
        let trained = run.train_on(&data, &devices)?;
        lock = run.into_lock();
        trained
    };
    print(&format!(
        "{} epochs, {}\nwrote {}",
        checkpoint.header.provenance.epochs,
        checkpoint.header.provenance.note,
        path.display()
    ))?;
    if args.test_members > 0 {
        let outcome = test(args, &data, &checkpoint, &devices[0])?;
        checkpoint.header.scores = Some(outcome.scores());
        files::write_atomic(&path, &checkpoint.encode(Precision::F32)?)?;
        print(&table(&outcome))?;
    }
    drop(lock);
    Ok(())
}

/// Shows what would be trained.
fn dry_run(args: &Args) -> Result<()> {
    let data = args.data.as_deref().map(Dataset::open).transpose()?;
    let way = Way::of(&args.device);
    let resumed = args
        .out
        .as_deref()
        .filter(|out| args.resume && holds_a_run(out));
    let (settings, cases, variants) = if let (Some(out), Some(data)) = (resumed, &data) {
        let settings = resume::settings(args, out, data)?;
        (settings, Cases::of(data), vec![])
    } else {
        let Chosen {
            settings,
            asked,
            cases,
        } = choose::settings(args, data.as_ref())?;
        (settings, cases, asked.variants)
    };
    let needs = needs::text(&settings, &cases, resumed.is_none(), way)?.replace('\n', "\n# ");
    let mut text = settings.to_toml()?;
    text.push('\n');
    for variant in variants {
        text.extend(["# variant ", variant.as_str(), "\n"]);
    }
    print(&format!("{text}# {needs}"))
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
        members: members_of(&forecaster, args.test_members)?,
        seed: 0,
        horizon: Horizon::ONE_STEP,
        thresholds: &[],
    };
    let progress = Progress::new("test cases", cases.len());
    plan.run(|done| progress.set(done))
}
