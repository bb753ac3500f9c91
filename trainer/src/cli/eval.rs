//! `pno eval`: scores of a model on a data set.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use pno::ensemble::forecast::Forecaster;
use pno::noise::case_seed;
use pno::score::{ALPHA, Maps, Scores};

use super::progress::Progress;
use super::{Usage, command_line, print};
use crate::data::{Dataset, Split};
use crate::eval::{Plan, Report, draw, table};
use crate::figure::{self, Format};
use crate::files::{self, Model};
use crate::{device, interrupt};

const EXAMPLES: &str = "\
Examples:
  pno eval runs/ks-d/model.pno --data data/ks.zarr
  pno eval model.pno --data data/ks.zarr --members 100 --json scores.json --figure forecast.svg
  pno eval model.pno --data data/ks.zarr --split valid --limit 10
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
    if args.write_scores && args.split != Split::Test {
        bail!(Usage(format!(
            "--write-scores stores the scores of the test split, but --split is {}",
            args.split
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
    };
    let progress = Progress::new("cases", cases.len());
    let outcome = plan.run(|done| progress.set(done))?;
    drop(progress);

    let spec = forecaster.spec();
    print(&format!(
        "{}: {} {} {}, {} parameters, on {label}\n{}: {} of {} {} cases\n\n{}",
        model.path.display(),
        spec.experiment,
        spec.operator,
        spec.method,
        spec.parameter_count(),
        args.data.display(),
        cases.len(),
        all.len(),
        args.split,
        table(&outcome)
    ))?;
    if let Some(path) = &args.json {
        let report = Report {
            outcome: &outcome,
            spec,
            model_hash: &model.fingerprint,
            data_fingerprint: &dataset.fingerprint()?,
            split: args.split.name(),
            seed: args.seed,
            scale: forecaster.task().quantity().normalisation.std,
            device: &label,
            command: &command_line(),
        };
        files::write_atomic(path, report.json().as_bytes())?;
        print(&format!("scores: {}", path.display()))?;
    }
    if let Some(path) = &args.figure {
        draw_figure(args, &plan, args.figure_case.unwrap_or(cases[0]), path)?;
        print(&format!("figure: {}", path.display()))?;
    }
    if args.write_scores {
        write_scores(model, outcome.scores)?;
    }
    Ok(())
}

/// Puts a model on a device, for a grid which may be finer than that of its training.
fn forecaster(model: &Model, grid: &[usize], device: &burn::tensor::Device) -> Result<Forecaster> {
    Forecaster::on_grid(&model.checkpoint, grid, device)
        .with_context(|| format!("{} cannot be used", model.path.display()))
}

fn draw_figure(args: &Args, plan: &Plan, index: usize, path: &std::path::Path) -> Result<()> {
    let case = plan.dataset.case(index)?;
    let members = draw(
        plan.forecaster,
        &case.input,
        case_seed(plan.seed, index as u64),
        plan.members,
    )?;
    let maps = Maps::new(&members, &case.truth, ALPHA);
    let spec = plan.forecaster.spec();
    let title = format!(
        "{} {}, case {index}, {} members, seed {}",
        spec.experiment.name().to_uppercase(),
        spec.method.name().to_uppercase().replace('-', "_"),
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
