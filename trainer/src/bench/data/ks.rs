//! Kuramoto-Sivashinsky against py-pde, which made the published data.

use anyhow::{Result, ensure};
use pno::pde::ks::{CELLS, Solver, initial_condition};

use super::Effort;
use crate::bench::cores::{self, Cores};
use crate::bench::python::Python;
use crate::bench::row::{Difference, Row};

/// Frames are a time unit apart on both sides, as published.
const FRAME_STEP: f64 = 1.0;
/// Time of the last frame that is used.
const UNTIL: usize = 78;
const SEED: u64 = 1;

/// Measures ours in pairs, as data sets are made.
pub fn measure(effort: Effort, python: Option<&Python>) -> Result<Row> {
    let frames = UNTIL + 1;
    let trajectories = cores::number() * if effort.quick { 2 } else { 4 };
    let starts: Vec<f32> = (0..trajectories as u64)
        .flat_map(|trajectory| initial_condition(SEED, trajectory, CELLS))
        .map(|u| u as f32)
        .collect();
    let mut peer = match python {
        None => None,
        Some(python) => {
            crate::npy::write(
                &python.file("ks.npy"),
                &[trajectories, CELLS],
                &starts,
                true,
            )?;
            Some(python.peer(
                "ks_pypde.py",
                &[
                    ("--start", python.file("ks.npy").display().to_string()),
                    (
                        "--frames",
                        python.file("ks-frames.npy").display().to_string(),
                    ),
                    ("--until", UNTIL.to_string()),
                    ("--cores", cores::number().to_string()),
                ],
            )?)
        }
    };

    let solvers = std::cell::RefCell::new(Cores::new(Solver::default_plan));
    let pair = |solver: &mut Solver, index: usize| {
        let start = |of: usize| initial_condition(SEED, (2 * index + of) as u64, CELLS);
        solver.trajectory_pair([&start(0), &start(1)], frames, FRAME_STEP)
    };
    let pairs = cores::number() * if effort.quick { 16 } else { 64 };
    let mut row = Row::measure(
        &format!("ks, {CELLS} cells, t = 0..{UNTIL}"),
        effort.turns(),
        || solvers.borrow_mut().one(pairs / cores::number(), pair) / 2.0,
        || solvers.borrow_mut().all(pairs, pair) / 2.0,
        peer.as_mut(),
    )?;
    if let (Some(python), Some(compared)) = (python, &mut row.peer) {
        let theirs = python.exchanged("ks-frames.npy", &[trajectories, frames, CELLS])?;
        compared.differences = differences(&starts, &theirs, frames);
        ensure!(
            compared.differences.iter().all(|d| d.relative < 0.1),
            "the KS peer solves another equation: after 20 time units its fields differ from ours by {:.2} of their \
             standard deviation, but less than 0.1 is wanted",
            compared.differences[1].relative
        );
    }
    Ok(row)
}

/// At two times, over all trajectories, from the very same numbers.
fn differences(starts: &[f32], theirs: &[f32], frames: usize) -> Vec<Difference> {
    let mut solver = Solver::default_plan();
    let ours: Vec<f32> = starts
        .chunks_exact(CELLS)
        .flat_map(|start| {
            let start: Vec<f64> = start.iter().map(|&u| f64::from(u)).collect();
            solver.trajectory(&start, frames, FRAME_STEP)
        })
        .collect();
    let at = |values: &[f32], time: usize| -> Vec<f32> {
        let trajectories = values.chunks_exact(frames * CELLS);
        trajectories
            .flat_map(|t| t[time * CELLS..][..CELLS].to_vec())
            .collect()
    };
    [2, 20]
        .map(|time| Difference::new(&format!("t = {time}"), &at(&ours, time), &at(theirs, time)))
        .into()
}
