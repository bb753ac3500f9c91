//! Darcy flow, which has no peer: the published program takes a quarter of a million explicit steps on a GPU.

use anyhow::{Result, anyhow};
use pno::pde::darcy::{CELLS, Law, Solver};
use pno::spec::Profile;

use super::Effort;
use crate::bench::cores::{self, Cores};
use crate::bench::row::Row;

const SEED: u64 = 1;

/// Measures both profiles: the steady state, and the published end time.
pub fn measure(effort: Effort) -> Result<Vec<Row>> {
    [
        (Profile::Fixed, "multigrid"),
        (Profile::Paper, "until t = 2"),
    ]
    .into_iter()
    .map(|(profile, how)| {
        let solvers = std::cell::RefCell::new(Cores::new(|| Solver::new(CELLS)));
        // A solver that fails is as fast as it is useless.
        Solver::new(CELLS)
            .sample(SEED, 0, profile, Law::Bumps)
            .map_err(|e| anyhow!("Darcy sample 0 of seed {SEED}: {e}"))?;
        // All of one batch of the published 200, so that its common threshold is found before the clock starts.
        let sample = |solver: &mut Solver, index: usize| {
            solver.sample(SEED, index as u64, profile, Law::Bumps)
        };
        let jobs = cores::number() * if effort.quick { 4 } else { 32 };
        Row::measure(
            &format!("darcy {profile}, {CELLS} x {CELLS}, {how}"),
            effort.turns(),
            || solvers.borrow_mut().one(jobs / cores::number(), sample),
            || solvers.borrow_mut().all(jobs, sample),
            None,
        )
    })
    .collect()
}
