//! Darcy flow through a random or a painted ground.

use pno::pde::darcy::{self, LIVE_SAMPLE, Law, PICTURE_TOLERANCE, TOLERANCE};
use pno::task::Task;

use super::{Asked, Solvers, Truth, quantities};
use crate::message::{Solved, Solver};
use crate::painting::Painting;

/// Most cells along a side that are solved: eight times the published ones.
const MOST_CELLS: usize = 1024;

/// What water is pressed through.
pub enum Ground<'a> {
    /// The random field of a seed.
    Seed(u64),
    /// A permeability by cell, `[x, y]`.
    Painted(&'a [f32]),
}

/// Plans and the last pressure to start from.
#[derive(Default)]
pub struct Flow {
    solver: Option<darcy::Solver>,
}

/// Cells along a side of the square that is solved, and every how-manieth the model takes.
///
/// The published training grid is every second cell of a finer one, and its first coordinate says so.
fn cells(task: &Task) -> Result<(usize, usize), String> {
    quantities(task, 1, 1)?;
    let shape = task.input_shape();
    let &[n, other] = shape.as_slice() else {
        return Err(format!(
            "it has {} axes, and a square can be solved",
            shape.len()
        ));
    };
    if n != other || !(2..=MOST_CELLS).contains(&n) {
        return Err(format!(
            "it works on {n} × {other} points, and squares of 2 to {MOST_CELLS} can be solved"
        ));
    }
    let finest = (0.5 / task.input[0].start).round();
    let fits = finest.is_finite() && finest >= n as f64 && finest <= MOST_CELLS as f64;
    let finest = if fits { finest as usize } else { n };
    Ok(if finest.is_multiple_of(n) {
        (finest, finest / n)
    } else {
        (n, 1)
    })
}

/// The pressure in the ground of a case.
pub fn flow(asked: &Asked, solvers: &mut Solvers) -> Result<Truth, String> {
    let ground = match asked.painted {
        Some(painted) => Ground::Painted(painted),
        None => Ground::Seed(asked.seed),
    };
    let solved = solvers
        .flow
        .solve(asked.task, &ground, asked.exact, asked.now);
    let (input, pressure, told) = solved?;
    Ok(Truth {
        input,
        frames: vec![pressure],
        solver: Solver::Flow(told),
        later: None,
    })
}

impl Flow {
    /// Permeability and pressure on the task's grid, and how they were found; if the task cannot be solved, why.
    pub fn solve(
        &mut self,
        task: &Task,
        ground: &Ground,
        exact: bool,
        now: impl Fn() -> f64,
    ) -> Result<(Vec<f32>, Vec<f32>, Solved), String> {
        let (cells, stride) = cells(task)?;
        let field = match ground {
            Ground::Seed(seed) => darcy::coefficient(Law::Bumps, *seed, LIVE_SAMPLE, cells),
            Ground::Painted(field) => {
                let n = (field.len() as f64).sqrt() as usize;
                let painting = Painting::from_coefficient(n, field);
                let painting = painting.filter(|_| n > 0).ok_or_else(|| {
                    format!(
                        "a painting has {} cells, and a square is wanted",
                        field.len()
                    )
                })?;
                painting.on(cells).coefficient()
            }
        };
        if self
            .solver
            .as_ref()
            .is_some_and(|solver| solver.cells() != cells)
        {
            self.solver = None;
        }
        let solver = self.solver.get_or_insert_with(|| darcy::Solver::new(cells));
        let begun = now();
        let tolerance = if exact { TOLERANCE } else { PICTURE_TOLERANCE };
        let (pressure, report) = solver
            .paint(&field, tolerance)
            .map_err(|error| format!("the pressure could not be solved: {error}"))?;
        let told = Solved {
            cells: cells as u32,
            iterations: report.iterations as u32,
            residual: report.residual,
            milliseconds: now() - begun,
        };
        let coarse = |fine: Vec<f32>| {
            if stride == 1 {
                return fine;
            }
            let n = cells / stride;
            let point = |at: usize| fine[at / n * stride * cells + at % n * stride];
            (0..n * n).map(point).collect()
        };
        Ok((coarse(field), coarse(pressure), told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_training_grid_is_every_second_cell() {
        let mut flow = Flow::default();
        let ground = Ground::Seed(3);
        let (a, u, told) = flow
            .solve(&Task::darcy(), &ground, true, || 0.0)
            .expect("solvable");
        assert_eq!((a.len(), u.len(), told.cells), (64 * 64, 64 * 64, 128));
        let sample = darcy::coefficient(Law::Bumps, 3, LIVE_SAMPLE, 128);
        assert_eq!(a[5 * 64 + 9], sample[10 * 128 + 18]);
        let task = super::super::task(pno::spec::Experiment::Darcy, &[64, 64]).expect("published");
        let (_, _, told) = flow.solve(&task, &ground, true, || 0.0).expect("solvable");
        assert_eq!(told.cells, 64, "a chosen grid has all its cells");
    }

    #[test]
    fn a_painting_of_another_size_is_brought_to_the_grid() {
        let mut flow = Flow::default();
        let painting = Painting::filled(64, true).coefficient();
        let (a, u, _) = flow
            .solve(&Task::darcy(), &Ground::Painted(&painting), false, || 0.0)
            .expect("solvable");
        assert!(a.iter().all(|a| *a == 1.0));
        let most = u.iter().copied().fold(0.0, f32::max);
        assert!(
            (most - 0.0737).abs() < 0.002,
            "{most} in the middle of a square"
        );
    }

    #[test]
    fn other_tasks_have_their_sentence() {
        let mut flow = Flow::default();
        let mut solve = |task: &Task| {
            let solved = flow.solve(task, &Ground::Seed(1), true, || 0.0);
            solved.map(|_| ()).expect_err("not to be solved")
        };
        assert!(solve(&Task::darcy().on_grid(&[12, 16])).contains("12 × 16 points"));
        assert!(solve(&Task::sswe()).contains("maps 3 to 3 quantities"));
        assert!(solve(&Task::era5()).contains("3 axes"));
        let odd = Task::darcy().on_grid(&[12, 12]);
        assert_eq!(cells(&odd), Ok((12, 1)), "128 is no multiple of 12");
    }
}
