//! Equations that the page shows live: one request, one answer, the newest always.

use pno::pde::darcy::{self, LIVE_SAMPLE, Law, PICTURE_TOLERANCE, TOLERANCE};

use super::atmosphere::Atmosphere;
use super::post::reply;
use super::run::{Bench, End};
use super::time::now;
use crate::message::{Problem, Reply, Solve, Solved};

/// Most cells along a side that are solved: eight times the published ones.
const MOST_CELLS: u32 = 1024;

/// What is kept from one request to the next: plans, and the last solutions to start from.
#[derive(Default)]
pub struct Solvers {
    flow: Option<darcy::Solver>,
    weather: Option<Atmosphere>,
}

impl Solvers {
    fn flow(&mut self, cells: usize) -> &mut darcy::Solver {
        match &mut self.flow {
            Some(solver) if solver.cells() == cells => {}
            other => *other = None,
        }
        self.flow.get_or_insert_with(|| darcy::Solver::new(cells))
    }
}

/// Solves what is asked for, unless something newer is asked for meanwhile.
pub async fn solve(wanted: &Solve, fields: Vec<Vec<f32>>, bench: &mut Bench) -> Result<(), End> {
    // A moving brush sends faster than one may solve: let all that is on its way arrive, and take the last.
    bench.give_way().await?;
    match wanted.problem {
        Problem::RandomFlow { seed, cells } => {
            let n = checked(cells)?;
            let field = darcy::coefficient(Law::Bumps, seed, LIVE_SAMPLE, n);
            flow(wanted.id, &field, n, TOLERANCE, &mut bench.solvers)
        }
        Problem::PaintedFlow { cells, exact } => {
            let [field] = <[_; 1]>::try_from(fields).map_err(|fields| {
                let count = fields.len();
                format!("A flow needs one permeability beside its request, but {count} came.")
            })?;
            let tolerance = if exact { TOLERANCE } else { PICTURE_TOLERANCE };
            flow(
                wanted.id,
                &field,
                checked(cells)?,
                tolerance,
                &mut bench.solvers,
            )
        }
        Problem::Weather {
            seed,
            latitudes,
            longitudes,
            hour,
        } => {
            let grid = [latitudes, longitudes];
            // The atmosphere is away while the bench is asked to give way; an hour that was reached is kept.
            let mut weather = Atmosphere::begun(bench.solvers.weather.take(), seed, grid, hour)?;
            let outcome = weather.reach(wanted.id, hour, bench).await;
            bench.solvers.weather = Some(weather);
            outcome
        }
    }
}

fn checked(cells: u32) -> Result<usize, End> {
    if (2..=MOST_CELLS).contains(&cells) {
        return Ok(cells as usize);
    }
    Err(End::Failed(format!(
        "A flow on {cells} × {cells} cells was asked for, but 2 to {MOST_CELLS} can be solved."
    )))
}

fn flow(
    id: u32,
    field: &[f32],
    n: usize,
    tolerance: f64,
    solvers: &mut Solvers,
) -> Result<(), End> {
    let solver = solvers.flow(n);
    let begun = now();
    let solved = solver.paint(field, tolerance);
    let milliseconds = now() - begun;
    let (pressure, report) =
        solved.map_err(|error| format!("The pressure could not be solved: {error}."))?;
    let told = Solved {
        cells: n as u32,
        iterations: report.iterations as u32,
        residual: report.residual,
        milliseconds,
    };
    reply(&Reply::Flow(id, told), &[field, &pressure]);
    Ok(())
}
