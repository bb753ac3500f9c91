//! Shallow water on the sphere, hour by hour.

use pno::pde::sswe::{Diagnostics, LIVE_TRAJECTORY, Solver};
use pno::spec::Profile;
use pno::task::{Domain, Task};

use super::{Asked, Solvers, Trajectory, Truth, quantities};
use crate::message::{Hour, Solver as Told};
use crate::nudge::Nudge;

/// Most circles of latitude that are solved: the published grid's.
const MOST_CIRCLES: usize = 128;

/// The start of a case, and the hours after it.
pub fn water(asked: &Asked, _: &mut Solvers) -> Result<Truth, String> {
    let begun = (asked.now)();
    let mut water = Water::start(asked.task, asked.seed, asked.nudges)?;
    Ok(Truth {
        input: water.frame(),
        frames: vec![],
        solver: water.told((asked.now)() - begun),
        later: Some(Box::new(water)),
    })
}

/// A trajectory at its current hour.
pub struct Water {
    solver: Solver,
    grid: [usize; 2],
    hour: u32,
    first: Diagnostics,
}

impl Water {
    /// The start of a seed on the task's grid; if the task cannot be solved, why.
    pub fn start(task: &Task, seed: u64, nudges: &[Nudge]) -> Result<Self, String> {
        quantities(task, 3, 3)?;
        let shape = task.input_shape();
        let (Domain::Sphere(latitudes), &[circles, points]) = (task.domain, shape.as_slice())
        else {
            return Err("it is not on a sphere, and that can be solved".to_owned());
        };
        if !(4..=MOST_CIRCLES).contains(&circles) || points != 2 * circles {
            return Err(format!(
                "it works on {circles} × {points} points, and 4 × 8 to {MOST_CIRCLES} × {} can be solved",
                2 * MOST_CIRCLES
            ));
        }
        let mut solver = Solver::new(circles, points, latitudes, Profile::Fixed);
        solver.start(seed, LIVE_TRAJECTORY);
        if !nudges.is_empty() {
            let mut frame = vec![0.0; solver.frame_len()];
            solver.show(&mut frame);
            let scale = task.inputs[0].normalisation.std;
            let coordinates = task.output_coordinates();
            for (point, values) in frame.chunks_exact_mut(3).enumerate() {
                let (lat, lon) = (
                    coordinates[0][point / points],
                    coordinates[1][point % points],
                );
                let bump: f64 = nudges.iter().map(|nudge| nudge.on_sphere(lat, lon)).sum();
                values[0] += (scale * bump) as f32;
            }
            solver.load_frame(&frame);
        }
        Ok(Self {
            first: solver.diagnostics(),
            solver,
            grid: [circles, points],
            hour: 0,
        })
    }
}

impl Trajectory for Water {
    /// `[lat, lon, channel]`.
    fn frame(&mut self) -> Vec<f32> {
        let mut frame = vec![0.0; self.solver.frame_len()];
        self.solver.show(&mut frame);
        frame
    }

    /// Integrates one hour.
    fn advance(&mut self) {
        self.solver.advance_hours(1);
        self.hour += 1;
    }

    fn told(&mut self, milliseconds: f64) -> Told {
        let current = self.solver.diagnostics();
        let drift = |of: fn(&Diagnostics) -> f64| of(&current) / of(&self.first) - 1.0;
        Told::Water(Hour {
            hour: self.hour,
            latitudes: self.grid[0] as u32,
            longitudes: self.grid[1] as u32,
            steps: self.solver.steps_per_hour() as u32,
            milliseconds,
            mass_drift: drift(|d| d.mass),
            energy_drift: drift(Diagnostics::energy),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Place;

    fn task() -> Task {
        Task::sswe().on_grid(&[16, 32])
    }

    #[test]
    fn hours_are_those_of_the_solvers_trajectory() {
        let mut water = Water::start(&task(), 5, &[]).expect("solvable");
        let latitudes = pno::sphere::Latitudes::Equiangular;
        let mut solver = Solver::new(16, 32, latitudes, Profile::Fixed);
        let wanted = solver.trajectory(5, LIVE_TRAJECTORY, 3);
        for frame in wanted.chunks_exact(16 * 32 * 3) {
            assert_eq!(water.frame(), frame);
            water.advance();
        }
        let Told::Water(told) = water.told(1.0) else {
            panic!("an hour");
        };
        assert_eq!((told.hour, told.latitudes), (3, 16));
        assert!(told.mass_drift.abs() < 1e-9);
    }

    #[test]
    fn a_nudge_lifts_the_surface_where_it_is() {
        let nudge = Nudge::at(
            Place {
                across: 0.5,
                upwards: 0.5,
            },
            2.0,
        );
        let plain = Water::start(&task(), 5, &[]).expect("solvable").frame();
        let lifted = Water::start(&task(), 5, &[nudge])
            .expect("solvable")
            .frame();
        let most = (0..16 * 32).max_by(|&a, &b| {
            let lift = |at: usize| lifted[at * 3] - plain[at * 3];
            lift(a).total_cmp(&lift(b))
        });
        let (row, column) = most.map(|at| (at / 32, at % 32)).expect("points");
        assert!(
            (7..=8).contains(&row) && column.abs_diff(16) <= 1,
            "{row} {column}"
        );
    }

    #[test]
    fn other_tasks_have_their_sentence() {
        let why = |task: &Task| Water::start(task, 1, &[]).map(|_| ()).expect_err("refused");
        assert!(why(&Task::sswe().on_grid(&[16, 40])).contains("16 × 40 points"));
        assert!(why(&Task::ks()).contains("maps 1 to 1"));
    }
}
