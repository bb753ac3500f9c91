//! Shallow water on the sphere against the same scheme in torch.

use anyhow::{Result, ensure};
use pno::pde::sswe::{
    BURN_IN_HOURS, CHANNELS, LATITUDES, LONGITUDES, Solver, State, degrees, index,
    random_initial_condition,
};
use pno::spec::Profile;

use super::Effort;
use crate::bench::cores::{self, Cores};
use crate::bench::python::Python;
use crate::bench::row::{Difference, Row};

/// Hourly frames after the burn-in: those of the published training set.
const FRAMES: usize = 3;
const SEED: u64 = 1;

/// Measures the published grid and stepping.
pub fn measure(effort: Effort, python: Option<&Python>) -> Result<Row> {
    let start = rounded(random_initial_condition(SEED, 0, degrees(LATITUDES)));
    let mut peer = match python {
        None => None,
        Some(python) => {
            write(python, &start)?;
            Some(python.peer(
                "sswe_torch.py",
                &[
                    ("--start", python.file("sswe.npy").display().to_string()),
                    (
                        "--frames",
                        python.file("sswe-frames.npy").display().to_string(),
                    ),
                    ("--number", FRAMES.to_string()),
                    ("--cores", cores::number().to_string()),
                ],
            )?)
        }
    };

    let solvers = std::cell::RefCell::new(Cores::new(|| Solver::default_plan(Profile::Paper)));
    let trajectory =
        |solver: &mut Solver, index: usize| solver.trajectory(SEED, index as u64, FRAMES);
    let jobs = cores::number() * if effort.quick { 4 } else { 16 };
    let hours = FRAMES - 1;
    let mut row = Row::measure(
        &format!("sswe, {LATITUDES} x {LONGITUDES}, {BURN_IN_HOURS} h + {hours} h"),
        effort.turns(),
        || solvers.borrow_mut().one(jobs / cores::number(), trajectory),
        || solvers.borrow_mut().all(jobs, trajectory),
        peer.as_mut(),
    )?;
    if let (Some(python), Some(compared)) = (python, &mut row.peer) {
        let shape = [1, FRAMES, CHANNELS, LATITUDES, LONGITUDES];
        let theirs = python.exchanged("sswe-frames.npy", &shape)?;
        compared.differences = differences(&start, &theirs);
        for difference in &compared.differences {
            ensure!(
                difference.relative < 0.05,
                "the shallow-water peer solves other equations: its {} differs from ours by {:.2} of its standard \
                 deviation, but less than 0.05 is wanted",
                difference.of,
                difference.relative
            );
        }
    }
    Ok(row)
}

/// The state in the numbers of the peer, so that both start from the same one.
fn rounded(mut state: State) -> State {
    for field in [&mut state.phi, &mut state.zeta, &mut state.delta] {
        for value in field {
            value.re = f64::from(value.re as f32);
            value.im = f64::from(value.im as f32);
        }
    }
    state
}

/// `[trajectory, channel, l, m, re/im]`, zero above the triangle.
fn write(python: &Python, state: &State) -> Result<()> {
    let n = state.degrees();
    let mut values = vec![0.0; CHANNELS * n * n * 2];
    for (field, square) in state
        .fields()
        .into_iter()
        .zip(values.chunks_exact_mut(n * n * 2))
    {
        for l in 0..n {
            for m in 0..=l {
                let value = field[index(n, l, m)];
                let at = 2 * (l * n + m);
                (square[at], square[at + 1]) = (value.re as f32, value.im as f32);
            }
        }
    }
    crate::npy::write(
        &python.file("sswe.npy"),
        &[1, CHANNELS, n, n, 2],
        &values,
        true,
    )
}

/// After the burn-in.
fn differences(start: &State, theirs: &[f32]) -> Vec<Difference> {
    let mut solver = Solver::default_plan(Profile::Paper);
    solver.load(start);
    solver.advance_hours(BURN_IN_HOURS);
    let mut ours = vec![0.0; solver.frame_len()];
    solver.show(&mut ours);
    let points = LATITUDES * LONGITUDES;
    ["geopotential", "vorticity", "divergence"]
        .iter()
        .enumerate()
        .map(|(channel, name)| {
            let ours: Vec<f32> = ours[channel..].iter().step_by(CHANNELS).copied().collect();
            let of = format!("{name} after {BURN_IN_HOURS} h");
            Difference::new(&of, &ours, &theirs[channel * points..][..points])
        })
        .collect()
}
