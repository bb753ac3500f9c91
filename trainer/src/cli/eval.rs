//! `pno eval`: scores of a model on a data set.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use pno::ensemble::forecast::Forecaster;
use pno::observation::Observation;
use pno::score::{Report, Scores};
use pno::spec::{Experiment, Rollout};
use pno::task::Task;

use super::progress::Progress;
use super::{Usage, command_line, print};
use crate::data::{Dataset, Split};
use crate::eval::{
    By, ByLead, Climatology, Evaluation, Horizon, LeadTimes, Outcome, Plan, events, lead_table,
    members_of, result, same_task, table,
};
use crate::figure::{self, Format};
use crate::files::{self, Model};
use crate::{device, interrupt, logger};

const EXAMPLES: &str = "\
Examples:
  pno eval runs/ks-d/model.pno --data data/ks.zarr
  pno eval model.pno --data data/ks.zarr --members 100 --json scores.json --figure forecast.svg
  pno eval model.pno --data data/ks.zarr --split valid --limit 10
  pno eval model.pno --data data/ks.zarr --json result.json --maps maps.zarr --verification plots.svg --threshold 2
  pno eval model.pno --data data/ks.zarr --out results/ks-d  scores.json, maps.zarr and both figures in one folder
  pno eval model.pno --data data/ks.zarr --by lead,channel   tables by lead time and by quantity
  pno eval sswe.pno --data data/sswe.zarr --steps 10          each of ten steps, every member its own trajectory
  pno eval ks-step.pno --data data/ks-step --steps 20 --by lead --wavenumbers 1..40  each lead time beside forecasts without a model
  pno eval model.pno --data data/ks.zarr --write-scores      stores the scores in the model's header

Scores are in network units, as in the paper's tables; L2 and energy score use the root mean square as norm.
A perfect ensemble of 100 members has coverage 0.931 with this quantile rule, not 0.95.

Forecasts without a model, at every lead time: zero (the mean of the data), climatology (random states of the training cases),
persistence (the last input, as it was observed), and where time is in hours and the input is a day long, same hour (the last
input of the same hour of the day). CRPS skill is 1 - CRPS / CRPS of such a forecast. The worst spectrum is the members' power
over the truth's at the wavenumber, on a sphere the degree, at which it is farthest from 1.";

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
    /// Score the state after N steps of the model, where its output can be its next input; the table and the JSON
    /// (`by_step`) also have every step on the way
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: u32,
    /// What the next step begins with: member (every member its own field) or mean (of a few members, as published)
    #[arg(long, default_value = "member")]
    rollout: Rollout,
    /// Begin with observations instead of the exact input: noise=0.1 (in standard deviations), every=4 (points), or both with
    /// a comma; drawn anew for each case from --seed
    #[arg(long, value_name = "HOW", default_value_t = Observation::EXACT)]
    observe: Observation,
    /// Seed of the members; each case mixes in its number
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// auto, cpu, wgpu or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// Write the whole result into a folder; one of the same model, data and settings is replaced, nothing else is
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also print a table by lead time (beside forecasts without a model) or by quantity
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    by: Vec<By>,
    /// Compare spectra at these wavenumbers, on a sphere degrees; if none are named, from 1 to the last at which the truth has
    /// more than 1e-6 of its power
    #[arg(long, value_name = "FIRST..LAST", value_parser = wavenumbers)]
    wavenumbers: Option<RangeInclusive<usize>>,
    /// Data set whose training cases are the climatology, if not those of --data
    #[arg(long, value_name = "DIR")]
    climatology: Option<PathBuf>,
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
    #[arg(long = "threshold", value_name = "X", allow_negative_numbers = true, value_parser = super::score::threshold)]
    thresholds: Vec<f32>,
    /// Case of the figure, if not the first of the split
    #[arg(long, value_name = "I")]
    figure_case: Option<usize>,
    /// Store the scores in the model's header (test split only)
    #[arg(long)]
    write_scores: bool,
    /// Replace what is there: --json, --figure, --verification and --maps
    #[arg(long)]
    force: bool,
}

/// Runs `pno eval`.
pub fn run(args: &Args) -> Result<()> {
    check(args)?;
    let model = Model::read(&args.model)?;
    let made_for = model.checkpoint.header.spec.experiment;
    let dataset = data_for(args, made_for)?;
    let (device, label) = device::open(&args.device)?;
    let forecaster = forecaster(&model, &dataset.task_of(args.split), &device)?;
    let forecaster = forecaster.observing(args.observe);
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
        members: members_of(&forecaster, args.members)?,
        seed: args.seed,
        horizon: Horizon {
            steps: args.steps as usize,
            rollout: args.rollout,
        },
        thresholds: &args.thresholds,
    };
    let leads = LeadTimes::of(forecaster.task(), &dataset, plan.horizon.steps)?;
    if args.by.contains(&By::Lead) && leads.is_none() {
        bail!(Usage(format!(
            "--by lead: the output of `{made_for}` has no axis of time, and it is no step in time"
        )));
    }
    let other = other_states(args, &forecaster)?;
    let states = other.as_ref().unwrap_or(&dataset);
    let is_own = states.path().canonicalize().ok() == dataset.path().canonicalize().ok();
    let by_lead = scored_by_lead(args, states, is_own)?;
    // It reads all of the data, so only where it is written down.
    let fingerprint = if args.json.is_some() || args.out.is_some() {
        dataset.fingerprint()?
    } else {
        String::new()
    };
    let climatology = match &other {
        Some(other) if !is_own && !fingerprint.is_empty() => Some(other.fingerprint()?),
        _ => None,
    };
    let evaluation = Evaluation {
        plan: &plan,
        model_hash: &model.fingerprint,
        data_fingerprint: &fingerprint,
        split: args.split,
        climatology: climatology.as_deref(),
        device: &label,
        command: &command_line(),
    };
    if let Some(folder) = &args.out {
        result::check(folder, &evaluation.request())?;
    }
    let progress = Progress::new("cases", cases.len());
    let outcome = plan.run_by_lead(&by_lead, |done| progress.set(done))?;
    drop(progress);
    logger::check()?;

    let spec = forecaster.spec();
    print(&format!(
        "{}: {} {} {}, {} parameters, on {label}\n{}: {} of {} {}\n\n{}",
        model.path.display(),
        spec.experiment,
        spec.operator,
        spec.method,
        spec.parameter_count(),
        args.data.display(),
        cases.len(),
        all.len(),
        cases_words(args),
        table(&outcome)
    ))?;
    if let Some(line) = masked(forecaster.task(), &outcome.report) {
        print(&line)?;
    }
    for line in events(&outcome.report) {
        print(&line)?;
    }
    for by in &args.by {
        let table = match by {
            By::Lead => lead_table(&outcome.leads),
            By::Channel => By::quantity_table(&outcome.report, forecaster.task()),
        };
        print(&format!("\n{table}"))?;
    }
    write(args, &evaluation, &outcome)?;
    if args.write_scores {
        write_scores(model, outcome.scores())?;
    }
    Ok(())
}

/// The data set whose cases are scored.
fn data_for(args: &Args, made_for: Experiment) -> Result<Dataset> {
    let dataset = Dataset::open(&args.data)?;
    ensure!(
        made_for == dataset.experiment(),
        "{}: a data set of `{}`, but the model is for `{made_for}`",
        args.data.display(),
        dataset.experiment()
    );
    Ok(dataset)
}

/// What is scored by lead time besides the members, with a word where there is no climatology.
fn scored_by_lead<'a>(args: &Args, states: &'a Dataset, is_own: bool) -> Result<ByLead<'a>> {
    let climatology = Climatology::new(states, is_own);
    if climatology.is_none() {
        print(&format!(
            "no climatology: {} has too few training cases; --climatology names a data set that has some",
            states.path().display()
        ))?;
    }
    Ok(ByLead {
        climatology,
        wavenumbers: args.wavenumbers.clone(),
    })
}

/// The data set of the climatology, where another one was named for it.
fn other_states(args: &Args, forecaster: &Forecaster) -> Result<Option<Dataset>> {
    let Some(path) = &args.climatology else {
        return Ok(None);
    };
    let other = Dataset::open(path)?;
    same_task(forecaster.task(), &other.task_of(args.split))
        .with_context(|| path.display().to_string())?;
    Ok(Some(other))
}

/// `test cases after 20 steps, rollout member`.
fn cases_words(args: &Args) -> String {
    let steps = match args.steps {
        1 => String::new(),
        n => format!(" after {n} steps, rollout {}", args.rollout),
    };
    format!("{} cases{steps}", args.split)
}

/// `1..40`: both ends count.
fn wavenumbers(text: &str) -> Result<RangeInclusive<usize>, String> {
    let ends = text.split_once("..");
    let ends = ends.and_then(|(first, last)| {
        let last = last.strip_prefix('=').unwrap_or(last);
        Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
    });
    match ends {
        Some((first, last)) if first <= last => Ok(first..=last),
        _ => Err("two wavenumbers such as 1..40 are wanted, the smaller one first".into()),
    }
}

/// What is left out, where something is.
fn masked(task: &Task, report: &Report) -> Option<String> {
    let values = task.output_values();
    let masked = (0..values)
        .filter(|&value| task.masks_output(value))
        .count();
    let spectra = if report.spectra.len() == task.outputs.len() {
        ""
    } else {
        "; a spectrum is that of rows without them, and a field that has no such row has none"
    };
    (masked > 0).then(|| {
        format!("masked: {masked} of {values} values never have one and count nowhere{spectra}")
    })
}

/// Refuses what cannot be, before the work.
fn check(args: &Args) -> Result<()> {
    let Args {
        json,
        figure,
        verification,
        maps,
        ..
    } = args;
    for path in [json, figure, verification, maps].into_iter().flatten() {
        files::refuse_taken(path, args.force)?;
    }
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
    if args.figure_case.is_some() && args.figure.is_none() && args.out.is_none() {
        bail!(Usage(
            "--figure-case names a case, but there is no figure: --figure or --out is wanted"
                .into()
        ));
    }
    Ok(())
}

/// Writes what was asked for.
fn write(args: &Args, evaluation: &Evaluation, outcome: &Outcome) -> Result<()> {
    let case = args.figure_case.unwrap_or(evaluation.plan.cases[0]);
    if let Some(path) = &args.json {
        evaluation.write_json(outcome, path)?;
        print(&format!("scores: {}", path.display()))?;
    }
    if let Some(path) = &args.figure {
        evaluation.write_forecast(path, case)?;
        print(&format!("figure: {}", path.display()))?;
    }
    if let Some(path) = &args.verification {
        evaluation.write_verification(outcome, path)?;
        print(&format!("verification: {}", path.display()))?;
    }
    if let Some(path) = &args.maps {
        evaluation.write_maps(outcome, path)?;
        print(&format!("maps: {}", path.display()))?;
    }
    if let Some(path) = &args.out {
        evaluation.write(outcome, path, case)?;
        print(&format!("result: {}", path.display()))?;
    }
    Ok(())
}

/// Puts a model on a device, for the grid of data which may be finer than that of its training. There the data have masks
/// of their own; on its own grid a model knows them.
fn forecaster(model: &Model, data: &Task, device: &burn::tensor::Device) -> Result<Forecaster> {
    let (grid, own) = (
        data.input_shape(),
        model.checkpoint.header.task.input_shape(),
    );
    Forecaster::on_grid(&model.checkpoint, &grid, device)
        .and_then(|forecaster| {
            if grid == own {
                Ok(forecaster)
            } else {
                forecaster.masked_as(data)
            }
        })
        .with_context(|| format!("{} cannot be used", model.path.display()))
}

fn write_scores(mut model: Model, scores: Scores) -> Result<()> {
    model.checkpoint.header.scores = Some(scores);
    let bytes = model.checkpoint.encode(model.checkpoint.header.precision)?;
    files::write_atomic(&model.path, &bytes)?;
    print(&format!("scores stored in {}", model.path.display()))
}
