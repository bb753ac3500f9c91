//! `pno conformal`: the spread of a model, scaled to a stated coverage.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use pno::ensemble::conformal::Calibration;
use pno::ensemble::forecast::Forecaster;
use pno::spec::Rollout;
use pno::task::Task;

use super::progress::Progress;
use super::{Usage, print};
use crate::conformal::{Options, calibrated, fit};
use crate::data::{Dataset, Split};
use crate::eval::{Horizon, members_of};
use crate::files::{self, Model};
use crate::{device, interrupt};

const EXAMPLES: &str = "\
Examples:
  pno conformal runs/ks-d --data data/ks --out ks-calibrated.pno
  pno conformal ensemble.pno --data data/ks --coverage 0.9 --out ensemble-90.pno
  pno conformal sswe.pno --data data/sswe --steps 5 --out sswe-calibrated.pno      factors for each of five steps
  pno eval ks-calibrated.pno --data data/ks                       scores the scaled members

Members are spread around their mean, u' = mean + s (u - mean), with one factor s for each output channel and each lead
time, chosen on cases that were not trained on so that the central interval holds the stated share of points.
If cases are exchangeable (points need not be), a new case has at least that share inside on average: over cases, and
over the points of each. That is no promise for a single point, a single case, other data, or fewer members.
Coverage C needs at least 1 / (1 - C) - 1 cases: 19 for 0.95. A calibration that is there already is replaced.";

/// Scale the spread of a model so that its intervals reach a stated coverage.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .pno file or the folder of a run
    model: PathBuf,
    /// Data set with cases that the model was not trained on
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Share of points that the central interval is to hold
    #[arg(long, value_name = "C", default_value_t = 0.95)]
    coverage: f64,
    /// Part of the data set: valid, or another that was not trained on
    #[arg(long, default_value = "valid")]
    split: Split,
    /// Members per case, as many as forecasts will have
    #[arg(long, value_name = "M", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    members: u32,
    /// Steps of the model that get factors of their own, where its output can be its next input
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: u32,
    /// What the next step begins with: member (every member its own field) or mean (of a few members, as published)
    #[arg(long, default_value = "member")]
    rollout: Rollout,
    /// Seed of the members; each case mixes in its number
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
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
    if !(args.coverage > 0.0 && args.coverage < 1.0) {
        bail!(Usage(format!(
            "--coverage {} is no share: it must be between 0 and 1",
            args.coverage
        )));
    }
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
    let cases = data.split(args.split).len();
    // Before the work, not after it; the fit counts again.
    let wanted = (1.0 / (1.0 - args.coverage) - 1.0 - 1e-9).ceil();
    ensure!(
        cases as f64 >= wanted,
        "{}: coverage {} needs at least {wanted} cases, but its {} split has {cases}",
        args.data.display(),
        args.coverage,
        args.split
    );
    let (device, label) = device::open(&args.device)?;
    let grid = data.task_of(args.split).input_shape();
    let forecaster = Forecaster::on_grid(&model.checkpoint, &grid, &device)
        .with_context(|| format!("{} cannot be used", model.path.display()))?;
    interrupt::watch();
    let options = Options {
        coverage: args.coverage,
        split: args.split,
        members: members_of(&forecaster, args.members)?,
        seed: args.seed,
        horizon: Horizon {
            steps: args.steps as usize,
            rollout: args.rollout,
        },
    };
    let progress = Progress::new("cases", cases);
    let calibration = fit(&forecaster, &data, options, |done| progress.set(done))
        .with_context(|| model.path.display().to_string())?;
    drop(progress);
    let told = factors(&calibration, forecaster.task());
    let out = calibrated(&model.checkpoint, calibration);
    files::write(&args.out, &out.encode(out.header.precision)?, args.force)?;
    print(&format!(
        "{}: conformal scaling to coverage {}, {cases} {} cases with {} members, on {label}\n{told}",
        args.out.display(),
        args.coverage,
        args.split,
        options.members
    ))
}

/// One line for each channel: the factors of its lead times.
pub fn factors(calibration: &Calibration, task: &Task) -> String {
    let channels = calibration.channels as usize;
    let line = |channel: usize| {
        let of_channel = calibration.factors.iter().skip(channel).step_by(channels);
        let texts: Vec<String> = of_channel.map(|s| format!("{s:.3}")).collect();
        let name = task.outputs.get(channel).map_or("?", |q| q.name.as_str());
        format!("{name}: {}", texts.join(" "))
    };
    (0..channels).map(line).collect::<Vec<_>>().join("\n")
}
