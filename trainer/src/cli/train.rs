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
use crate::train::run::Run;
use crate::train::settings::{Override, Settings};
use crate::{device, files};

mod choose;
pub(super) mod list;
mod needs;

use choose::What;

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
  pno train ks --data data/ks --out runs/ks-d --resume          after Ctrl-C or a crash
  pno train --list                                               experiments, operators, methods, sizes, variants
  pno train ks --data data/ks-full --method pno-r --size paper --device cuda:0 --out runs/ks-r-paper
  pno train ks --data data/ks-128 --size small --variant full-spectrum --out runs/ks-wide
  pno train sswe --data data/sswe --variant two-step --out runs/sswe-2       one step, then a stage with two
  pno train ks --data data/ks --method pno-d --from runs/ks-mcd --out runs/ks-tuned     fine-tuning
  pno train my.toml --data data/ks --out runs/mine               your own numbers over ours; see below
  pno train ks --data data/ks --method pno-d --dry-run          shows every setting and trains nothing

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

Settings, each over the one before: the experiment's file (trainer/experiments), your file, flags, --set. A file of your own
has any of the keys that --dry-run shows, and in [run] what the flags say; the settings.toml of a run is such a file too:
  [run]
  experiment = \"ks\"
  method = \"pno-r\"
  size = \"small\"
  [train]
  epochs = 40";

/// Train a model on a data set.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Experiment of the data set (darcy, ks, sswe, era5 or arrays), or a file of settings
    #[arg(value_name = "EXPERIMENT|FILE.toml", required_unless_present_any = ["list", "config"])]
    what: Option<What>,
    /// Data set made by `pno data generate` or `pno data import`
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
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
    /// auto, cpu, wgpu or cuda:N; several that share every batch with commas, cuda:0,cuda:1
    #[arg(long, default_value = "auto")]
    device: String,
    /// Seed of weights, order and noise
    #[arg(long)]
    seed: Option<u64>,
    /// Most epochs of the first stage; with --resume of the stage that the run is in
    #[arg(long)]
    epochs: Option<usize>,
    /// Memory of the device, for example 8GB: as many cases of a batch at once as fit, the same result to rounding
    #[arg(long, value_name = "SIZE")]
    memory_budget: Option<Budget>,
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
    if args.list {
        return print(&list::text(match args.what {
            Some(What::Experiment(experiment)) => Some(experiment),
            _ => None,
        })?);
    }
    let Some(data) = &args.data else {
        bail!(Usage("--data is missing".into()));
    };
    let data = Dataset::open(data)?;
    let kept = !args.overrides.is_empty()
        || args.loss.is_some()
        || args.from.is_some()
        || args.config.is_some()
        || args.memory_budget.is_some()
        || !args.variants.is_empty();
    if args.resume && kept {
        bail!(Usage("a resumed run keeps its settings (only --epochs can change): leave --set, --loss, --from, --variant, --config and --memory-budget out, or begin another run".into()));
    }
    let way = Way::of(&args.device);
    if args.resume {
        choose::same_experiment(args, &data)?;
    } else if args.dry_run {
        let (settings, variants) = choose::settings(args, &data)?;
        let needs = needs::text(&settings, &data, true, way)?.replace('\n', "\n# ");
        let mut text = settings.to_toml()?;
        text.push('\n');
        for variant in variants {
            text.extend(["# variant ", variant.as_str(), "\n"]);
        }
        return print(&format!("{text}# {needs}"));
    }
    let Some(out) = &args.out else {
        bail!(Usage("--out is missing".into()));
    };
    let (devices, label) = device::open_all(&args.device)?;
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
            needs::text(settings, &data, !args.resume, way)?
        ))
    };
    let settings = if args.resume {
        None
    } else {
        Some(choose::settings(args, &data)?.0)
    };
    let composed = match &settings {
        None => Composed::found_in(out, args.epochs),
        Some(new) if is_composed(new.model.method) => {
            Some(Composed::create(out, new.clone(), &data)?)
        }
        Some(_) => None,
    };
    let (path, mut checkpoint) = if let Some(composed) = composed {
        begun(composed.settings(), "")?;
        let progress = OnceCell::new();
        composed.train(&data, &devices, print, |done, total| {
            let progress = progress.get_or_init(|| Progress::new("cases", total));
            progress.set(done);
        })?
    } else {
        let run = match settings {
            None => Run::resume(out, args.epochs, &data)?,
            Some(settings) => Run::create(out, settings, &data)?,
        };
        let (done, all) = (run.epochs_done(), run.settings().train.all_epochs());
        begun(run.settings(), &format!("{done} of {all} epochs done, "))?;
        run.train_on(&data, &devices)?
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
        members: members_of(&forecaster, args.test_members)?,
        seed: 0,
        horizon: Horizon::ONE_STEP,
        thresholds: &[],
    };
    let progress = Progress::new("test cases", cases.len());
    plan.run(|done| progress.set(done))
}
