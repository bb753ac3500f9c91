//! Making a data set: trajectories in parallel, one chunk per task, resumable.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use pno::pde::ks;
use pno::spec::Experiment;
use pno::task::Task;
use rayon::prelude::*;
use serde_json::json;

use super::partial::Partial;
use super::split::Size;
use super::zarr::{Array, Attributes, Layout, Store, attributes, write_coordinate};
use crate::cli::Usage;
use crate::interrupt::{self, Interrupted};

/// Cases per chunk: 16 cases of KS are 655 kB, enough for the disk and little enough to share out among threads.
const CASES_PER_CHUNK: usize = 16;
/// Raised whenever the same seed would give other numbers.
const GENERATOR: &str = "ks-etdrk4-1";

/// What to make.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which equation.
    pub experiment: Experiment,
    /// Number of trajectories.
    pub samples: usize,
    /// How the cases are shared out.
    pub size: Size,
    /// Names the initial conditions and the shares.
    pub seed: u64,
    /// Where it goes.
    pub out: PathBuf,
    /// Whether an older data set there may be replaced.
    pub force: bool,
}

/// Makes the data set; `progress` hears of every finished trajectory (also of those an earlier run finished).
///
/// The same plan gives the same values however often it was interrupted.
pub fn generate(plan: &Plan, progress: impl Fn(usize) + Sync) -> Result<()> {
    if plan.experiment != Experiment::Ks {
        bail!(Usage(format!(
            "{} data cannot be generated yet; known: ks",
            plan.experiment
        )));
    }
    let task = Task::ks();
    ensure!(plan.samples > 0, "--samples is 0, but must be at least 1");
    let partial = Partial::start(&plan.out, &request(plan), plan.force)?;
    let store = Store::at(partial.folder())?;
    let u = store.create::<f32>(field_layout(plan, &task))?;
    fill(&u, plan.seed, progress).with_context(|| go_on(plan))?;

    let mut times = task.input[0].coordinates();
    times.extend(task.output[0].coordinates());
    let time = write_coordinate(&store, "time", "time in model units", "1", times)?;
    let x = write_coordinate(
        &store,
        "x",
        "position in model units",
        "1",
        task.input[1].coordinates(),
    )?;
    let split = store.write(
        split_layout(plan.samples),
        plan.size.shares(plan.samples, plan.seed),
    )?;
    store.write_group(group_attributes(plan), &[&u, &time, &x, &split])?;
    partial.finish()
}

/// Solves what is not there yet.
fn fill(u: &Array, seed: u64, progress: impl Fn(usize) + Sync) -> Result<()> {
    let (frames, cells) = (u.shape()[1], u.shape()[2]);
    let done = AtomicUsize::new(0);
    let tell = |n: usize| progress(done.fetch_add(n, Ordering::Relaxed) + n);
    (0..u.chunks())
        .into_par_iter()
        .try_for_each_init(ks::Solver::default_plan, |solver, chunk| {
            // A chunk that decodes is whole: a write that was cut short fails its length or its checksum.
            if u.read_chunk::<f32>(chunk).is_ok() {
                tell(u.rows_of(chunk).len());
                return Ok(());
            }
            let mut values = Vec::with_capacity(u.rows_per_chunk() * u.row_len());
            for trajectory in u.rows_of(chunk) {
                if interrupt::requested() {
                    bail!(Interrupted("the finished chunks are kept".into()));
                }
                let start = ks::initial_condition(seed, trajectory as u64, cells);
                values.extend(solver.trajectory(&start, frames, ks::FRAME_STEP));
                tell(1);
            }
            u.write_chunk(chunk, values)
        })
}

fn go_on(plan: &Plan) -> String {
    format!(
        "{} is not finished (run the same command again: it goes on where it stopped)",
        plan.out.display()
    )
}

/// Everything that decides the values, as text: a partial folder is only taken up by the same request.
fn request(plan: &Plan) -> String {
    json!({
        "generator": GENERATOR,
        "experiment": plan.experiment.name(),
        "size": plan.size.name(),
        "samples": plan.samples,
        "seed": plan.seed,
    })
    .to_string()
}

fn field_layout(plan: &Plan, task: &Task) -> Layout<'static> {
    Layout {
        name: "u",
        dimensions: &["case", "time", "x"],
        shape: vec![
            plan.samples,
            task.input[0].size + task.output[0].size,
            task.input[1].size,
        ],
        rows: CASES_PER_CHUNK.min(plan.samples),
        attributes: attributes(json!({
            "long_name": "velocity u of the Kuramoto-Sivashinsky equation",
            "units": "1",
            "coordinates": "split",
            "comment": "the first 20 frames are the input of a case, the next 20 its truth; only frames that are used are stored",
        })),
    }
}

fn split_layout(samples: usize) -> Layout<'static> {
    Layout {
        name: "split",
        dimensions: &["case"],
        shape: vec![samples],
        rows: samples,
        attributes: attributes(json!({
            "long_name": "part of the data set the case belongs to",
            "flag_values": [0, 1, 2],
            "flag_meanings": "train valid test",
        })),
    }
}

fn group_attributes(plan: &Plan) -> Attributes {
    attributes(json!({
        "title": "Kuramoto-Sivashinsky trajectories from white noise",
        "experiment": plan.experiment.name(),
        "equation": "u_t = -1/2 u u_x - u_xx - u_xxxx, periodic on [0, 100), 256 cells, second-order central differences, integrated by ETDRK4",
        "initial_condition": "independent U(-1, 1) per cell",
        "frames": "t = 0, 2, ..., 78: the only frames that are used of the published 300",
        "seed": plan.seed,
        "split_seed": plan.seed,
        "split_rule": "a permutation of the cases by split_seed: first test, then valid, the rest train",
        "size": plan.size.name(),
        "generator": GENERATOR,
        "pno_version": env!("CARGO_PKG_VERSION"),
    }))
}
