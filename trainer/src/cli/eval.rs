//! `pno eval`: scores of a model on a data set.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::score::{ALPHA, Maps, Scores};
use pno::spec::{ModelSpec, Rollout};

use super::progress::Progress;
use super::{Usage, command_line, print};
use crate::data::{Dataset, Split, write_maps};
use crate::eval::{Horizon, Outcome, Plan, Report, draw, table};
use crate::figure::{self, Format};
use crate::files::{self, Model};
use crate::{device, interrupt};

const EXAMPLES: &str = "\
Examples:
  pno eval runs/ks-d/model.pno --data data/ks.zarr
  pno eval model.pno --data data/ks.zarr --members 100 --json scores.json --figure forecast.svg
  pno eval model.pno --data data/ks.zarr --split valid --limit 10
  pno eval model.pno --data data/ks.zarr --json result.json --maps maps.zarr --verification plots.svg --threshold 2
  pno eval sswe.pno --data data/sswe.zarr --steps 10          the state after ten steps, every member its own trajectory
  pno eval model.pno --data data/ks.zarr --write-scores      stores the scores in the model's header

Scores are in network units, as in the paper's tables; L2 and energy score use the root mean square as norm.
A perfect ensemble of 100 members has coverage 0.931 with this quantile rule, not 0.95.";

/// Arguments of `pno eval`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .pno file or the folder of a run
    model: PathBuf,
    /// The data set
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Members per case
    #[arg(long, value_name = "M", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    members: u32,
    /// Part of the data set: train, valid or test
    #[arg(long, default_value = "test")]
    split: Split,
    /// Score only the first N cases of the split
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Score the state after N steps of the model, where its output can be its next input
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: u32,
    /// What the next step begins with: member (every member its own field) or mean (of a few members, as published)
    #[arg(long, default_value = "member")]
    rollout: Rollout,
    /// Seed of the members; each case mixes in its number
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// auto, cpu, wgpu or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a figure of one case (.svg or .png): truth, mean, error, standard deviation, coverage
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Write figures of the verification (.svg): ranks, reliability, spread and skill, lead times, spectra
    #[arg(long, value_name = "FILE")]
    verification: Option<PathBuf>,
    /// Write maps of the scores, averaged over cases, as Zarr
    #[arg(long, value_name = "DIR.zarr")]
    maps: Option<PathBuf>,
    /// Score the event that the first quantity exceeds this value, in its own unit (repeatable)
    #[arg(long = "threshold", value_name = "X", allow_negative_numbers = true)]
    thresholds: Vec<f32>,
    /// Case of the figure, if not the first of the split
    #[arg(long, value_name = "I", requires = "figure")]
    figure_case: Option<usize>,
    /// Store the scores in the model's header (test split only)
    #[arg(long)]
    write_scores: bool,
}

/// Runs `pno eval`.
pub fn run(args: &Args) -> Result<()> {
    if let Some(path) = &args.figure {
        Format::of(path)?;
    }
    if let Some(path) = &args.verification {
        figure::Charts::check(path)?;
    }
    if args.write_scores && args.split != Split::Test {
        bail!(Usage(format!(
            "--write-scores stores the scores of the test split, but --split is {}",
            args.split
        )));
    }
    if args.write_scores && args.steps != 1 {
        bail!(Usage(format!(
            "--write-scores stores the scores of one step, but --steps is {}",
            args.steps
        )));
    }
    let model = Model::read(&args.model)?;
    let dataset = Dataset::open(&args.data)?;
    let made_for = model.checkpoint.header.spec.experiment;
    ensure!(
        made_for == dataset.experiment(),
        "{}: a data set of `{}`, but the model is for `{made_for}`",
        args.data.display(),
        dataset.experiment()
    );
    let (device, label) = device::open(&args.device)?;
    let grid = dataset.task_of(args.split).input_shape();
    let forecaster = forecaster(&model, &grid, &device)?;
    let all = dataset.split(args.split);
    ensure!(
        !all.is_empty(),
        "{}: its {} split has no cases",
        args.data.display(),
        args.split
    );
    let cases = &all[..args
        .limit
        .map_or(all.len(), |limit| all.len().min(limit as usize))];

    interrupt::watch();
    let plan = Plan {
        forecaster: &forecaster,
        dataset: &dataset,
        cases,
        members: args.members,
        seed: args.seed,
        horizon: Horizon {
            steps: args.steps as usize,
            rollout: args.rollout,
        },
        thresholds: &args.thresholds,
    };
    let progress = Progress::new("cases", cases.len());
    let outcome = plan.run(|done| progress.set(done))?;
    drop(progress);

    let spec = forecaster.spec();
    print(&format!(
        "{}: {} {} {}, {} parameters, on {label}\n{}: {} of {} {} cases{}\n\n{}",
        model.path.display(),
        spec.experiment,
        spec.operator,
        spec.method,
        spec.parameter_count(),
        args.data.display(),
        cases.len(),
        all.len(),
        args.split,
        match args.steps {
            1 => String::new(),
            n => format!(" after {n} steps, rollout {}", args.rollout),
        },
        table(&outcome)
    ))?;
    let written = Written {
        args,
        plan: &plan,
        model: &model,
        outcome: &outcome,
    };
    written.json(&label)?;
    written.pictures()?;
    written.maps()?;
    if args.write_scores {
        write_scores(model, outcome.scores())?;
    }
    Ok(())
}

/// What an evaluation leaves behind.
struct Written<'a> {
    args: &'a Args,
    plan: &'a Plan<'a>,
    model: &'a Model,
    outcome: &'a Outcome,
}

impl Written<'_> {
    fn json(&self, label: &str) -> Result<()> {
        let Self {
            args,
            plan,
            model,
            outcome,
        } = self;
        if let Some(path) = &args.json {
            let report = Report {
                outcome,
                spec: plan.forecaster.spec(),
                model_hash: &model.fingerprint,
                data_fingerprint: &plan.dataset.fingerprint()?,
                split: args.split.name(),
                seed: args.seed,
                horizon: plan.horizon,
                scale: plan.forecaster.task().quantity().normalisation.std,
                device: label,
                command: &command_line(),
            };
            files::write_atomic(path, report.json().as_bytes())?;
            print(&format!("scores: {}", path.display()))?;
        }
        Ok(())
    }

    fn pictures(&self) -> Result<()> {
        let Self {
            args,
            plan,
            outcome,
            ..
        } = self;
        if let Some(path) = &args.figure {
            draw_figure(args, plan, args.figure_case.unwrap_or(plan.cases[0]), path)?;
            print(&format!("figure: {}", path.display()))?;
        }
        if let Some(path) = &args.verification {
            figure::verification(&outcome.report, &title(plan.forecaster.spec())).write(path)?;
            print(&format!("verification: {}", path.display()))?;
        }
        Ok(())
    }

    fn maps(&self) -> Result<()> {
        let Self {
            args,
            plan,
            model,
            outcome,
        } = self;
        if let Some(path) = &args.maps {
            let about = serde_json::json!({
                "title": format!("maps of scores: {}", title(plan.forecaster.spec())),
                "model_hash": model.fingerprint,
                "units": "network units",
                "members": args.members,
                "cases": outcome.report.cases,
                "command": command_line(),
                "pno_version": env!("CARGO_PKG_VERSION"),
            });
            write_maps(path, plan.forecaster.task(), &outcome.maps, about)?;
            print(&format!("maps: {}", path.display()))?;
        }
        Ok(())
    }
}

/// Puts a model on a device, for a grid which may be finer than that of its training.
fn forecaster(model: &Model, grid: &[usize], device: &burn::tensor::Device) -> Result<Forecaster> {
    Forecaster::on_grid(&model.checkpoint, grid, device)
        .with_context(|| format!("{} cannot be used", model.path.display()))
}

/// `KS PNO_D`.
fn title(spec: &ModelSpec) -> String {
    format!(
        "{} {}",
        spec.experiment.name().to_uppercase(),
        spec.method.name().to_uppercase().replace('-', "_")
    )
}

fn draw_figure(args: &Args, plan: &Plan, index: usize, path: &std::path::Path) -> Result<()> {
    let case = plan.dataset.case_after(index, plan.horizon.steps)?;
    let members = draw(
        plan.forecaster,
        &case.input,
        case_seed(plan.seed, index as u64),
        plan.members,
        plan.horizon,
    )?;
    let maps = Maps::new(&members, &case.truth, ALPHA);
    let title = format!(
        "{}, case {index}, {} members, seed {}",
        title(plan.forecaster.spec()),
        args.members,
        args.seed
    );
    figure::forecast(plan.forecaster.task(), &case.truth, &maps, &title).write(path)
}

fn write_scores(mut model: Model, scores: Scores) -> Result<()> {
    model.checkpoint.header.scores = Some(scores);
    let bytes = model.checkpoint.encode(model.checkpoint.header.precision)?;
    files::write_atomic(&model.path, &bytes)?;
    print(&format!("scores stored in {}", model.path.display()))
}
