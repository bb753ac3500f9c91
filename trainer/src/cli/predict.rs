//! `pno predict`: an ensemble for one input.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use pno::ensemble::forecast::Forecaster;
use pno::observation::Observation;
use pno::spec::Rollout;
use pno::task::{MAX_POINTS, Task};

use super::{Usage, command_line, print};
use crate::data::{Case, Dataset, write_ensemble};
use crate::eval::{Horizon, draw_steps, members_of, same_task};
use crate::files::{self, Model};
use crate::formats::values_of;
use crate::{device, npy};

const EXAMPLES: &str = "\
Examples:
  pno predict model.pno --data data/ks.zarr --case 3 --members 64 --seed 7 --out members.npy --truth truth.npy
  pno predict model.pno --input window.npy --out members.zarr
  pno predict sswe.pno --input state.npy --steps 10 --out members.zarr       [member, step, latitude, longitude, channel]

The input has the model's shape, [20, 256] for ks, in physical units; `pno inspect MODEL` shows it. Several fields come
in a last axis. An array of other sizes, [20, 512], is taken as the same extent on another grid.
The output is [member, time, x] in physical units. The same model, input and seed give the same members everywhere.";

/// Arguments of `pno predict`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["input", "data"]))]
pub struct Args {
    /// The model: a .pno file or the folder of a run
    model: PathBuf,
    /// Input field as a numpy file
    #[arg(long, value_name = "IN.npy")]
    input: Option<PathBuf>,
    /// Take the input from a data set
    #[arg(long, value_name = "DIR", requires = "case")]
    data: Option<PathBuf>,
    /// Case of the data set
    #[arg(long, value_name = "I", requires = "data", conflicts_with = "input")]
    case: Option<usize>,
    /// Number of members
    #[arg(long, value_name = "M", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    members: u32,
    /// Seed of the members
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Begin with an observation of the input instead of the input itself: noise=0.1 (in standard deviations), every=4
    /// (points), or both with a comma; drawn from --seed
    #[arg(long, value_name = "HOW", default_value_t = Observation::EXACT)]
    observe: Observation,
    /// Steps of the model, where its output can be its next input: all of them are written
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    steps: u32,
    /// What the next step begins with: member (every member its own field) or mean (of a few members, as published)
    #[arg(long, default_value = "member")]
    rollout: Rollout,
    /// Where the members go (.npy or .zarr)
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Replace what is there
    #[arg(long)]
    force: bool,
    /// Also write the truth of the case (.npy), after every step
    #[arg(
        long,
        value_name = "FILE.npy",
        requires = "data",
        conflicts_with = "input"
    )]
    truth: Option<PathBuf>,
    /// auto, cpu, wgpu or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Npy,
    Zarr,
}

/// Runs `pno predict`.
pub fn run(args: &Args) -> Result<()> {
    let format = format_of(&args.out)?;
    for path in std::iter::once(&args.out).chain(&args.truth) {
        files::refuse_taken(path, args.force)?;
    }
    let model = Model::read(&args.model)?;
    let (device, label) = device::open(&args.device)?;
    let (case, sizes) = input(args, &model.checkpoint.header.task)?;
    let forecaster = Forecaster::on_grid(&model.checkpoint, &sizes, &device)
        .with_context(|| model.path.display().to_string())?
        .observing(args.observe);
    let task = forecaster.task();
    let count = members_of(&forecaster, args.members)?;
    let steps = args.steps as usize;
    let horizon = Horizon {
        steps,
        rollout: args.rollout,
    };
    let observed = args.observe.of(task, &case.input, args.seed);
    let drawn = draw_steps(&forecaster, &observed, args.seed, count, horizon)?;
    let values = task.output_values();
    // From a field of each member after every step to a trajectory of every member.
    let members: Vec<f32> = (0..count as usize)
        .flat_map(|m| drawn.iter().map(move |step| &step[m * values..][..values]))
        .flatten()
        .copied()
        .collect();

    let several = (steps > 1).then_some(steps);
    let mut shape = vec![count as usize];
    shape.extend(several);
    shape.extend(task.output_array());
    match format {
        Format::Npy => npy::write(&args.out, &shape, &members, args.force)?,
        Format::Zarr => {
            let about = serde_json::json!({
                "title": format!("{} {} ensemble", forecaster.spec().experiment, forecaster.spec().method),
                "model_hash": model.fingerprint,
                "seed": args.seed,
                "command": command_line(),
                "pno_version": env!("CARGO_PKG_VERSION"),
            });
            write_ensemble(&args.out, task, &members, several, about, args.force)?;
        }
    }
    if let Some(path) = &args.truth {
        let mut shape: Vec<usize> = several.into_iter().collect();
        shape.extend(task.output_array());
        npy::write(path, &shape, &case.truth, args.force)?;
    }
    let trained_on = model.checkpoint.header.task.input_shape();
    if sizes != trained_on {
        print(&format!(
            "grid {sizes:?}: the model was trained on {trained_on:?}"
        ))?;
    }
    let channel = (task.outputs.len() > 1).then_some("channel");
    let axes = task.output.iter().map(|axis| axis.name.as_str());
    let names: Vec<&str> = std::iter::once("member")
        .chain(several.map(|_| "step"))
        .chain(axes)
        .chain(channel)
        .collect();
    print(&format!(
        "{}: {shape:?} [{}] on {label}",
        args.out.display(),
        names.join(", ")
    ))
}

/// The input with the truth where it is known (else empty), and the sizes of its grid.
fn input(args: &Args, task: &Task) -> Result<(Case, Vec<usize>)> {
    match (&args.input, &args.data, args.case) {
        (Some(path), _, _) => {
            let wanted = task.input_array();
            let axes = task.input.len();
            let array = npy::read_if(path, |shape| {
                ensure!(
                    shape.len() == wanted.len() && shape[axes..] == wanted[axes..],
                    "{}: its shape is {shape:?}, but this model takes {wanted:?}, or as many axes of other sizes",
                    path.display()
                );
                ensure!(
                    values_of(shape[..axes].iter().copied()).is_some_and(|n| n <= MAX_POINTS),
                    "{}: its shape is {shape:?}, but a grid has at most {MAX_POINTS} points",
                    path.display()
                );
                Ok(())
            })?;
            let sizes = array.shape[..axes].to_vec();
            let case = Case {
                input: array.values,
                truth: Vec::new(),
            };
            Ok((case, sizes))
        }
        (None, Some(path), Some(index)) => {
            let dataset = Dataset::open(path)?;
            let mut case = dataset.case(index)?;
            let found = dataset.split_of(index).map(|split| dataset.task_of(split));
            let found = found.unwrap_or_else(|| dataset.task().clone());
            let sizes = found.input_shape();
            ensure!(
                sizes.len() == task.input.len(),
                "{}: its cases have {} axes, but this model takes {}",
                path.display(),
                sizes.len(),
                task.input.len()
            );
            same_task(&task.on_grid(&sizes), &found).with_context(|| path.display().to_string())?;
            // A forecast may go further than the data, but then there is no truth to write.
            if args.truth.is_some() {
                for step in 2..=args.steps as usize {
                    case.truth.extend(dataset.case_after(index, step)?.truth);
                }
            }
            Ok((case, sizes))
        }
        _ => bail!(Usage(
            "an input is needed: --input IN.npy, or --data DIR --case I".into()
        )),
    }
}

fn format_of(path: &Path) -> Result<Format> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => Ok(Format::Npy),
        Some("zarr") => Ok(Format::Zarr),
        _ => bail!(Usage(format!(
            "{}: members are written as .npy or .zarr",
            path.display()
        ))),
    }
}
