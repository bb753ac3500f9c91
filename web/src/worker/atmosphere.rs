//! Shallow water, hour by hour.

use pno::pde::sswe::{BURN_IN_HOURS, Diagnostics, LIVE_TRAJECTORY, Solver};
use pno::spec::Profile;
use pno::sphere::Latitudes;

use super::post::reply;
use super::run::{Bench, End};
use super::time::now;
use crate::message::{Hour, Reply};

/// Most circles of latitude that are solved: the published grid's.
const MOST_CIRCLES: u32 = 128;
/// After so long the worker lets messages in.
const BREATH_MS: f64 = 15.0;

/// A trajectory at its current hour.
pub struct Atmosphere {
    solver: Solver,
    seed: u64,
    grid: [u32; 2],
    hour: u32,
    first: Diagnostics,
    /// Time of the solver, and hours, since the request began.
    spent: (f64, u32),
    /// Time of the solver for an hour, as it was last measured.
    ms_per_hour: f64,
}

impl Atmosphere {
    /// Goes on with `last` if it is on the way to `hour` of the same trajectory, else begins anew.
    pub fn begun(last: Option<Self>, seed: u64, grid: [u32; 2], hour: u32) -> Result<Self, String> {
        let [circles, points] = grid;
        if !(4..=MOST_CIRCLES).contains(&circles) || points != 2 * circles {
            return Err(format!(
                "Shallow water on {circles} × {points} points was asked for, but 4 × 8 to {MOST_CIRCLES} × {} can be solved.",
                2 * MOST_CIRCLES
            ));
        }
        match last {
            Some(last) if last.seed == seed && last.grid == grid && last.hour <= hour => Ok(Self {
                spent: (0.0, 0),
                ..last
            }),
            Some(last) if last.grid == grid => Ok(Self::start(last.solver, seed, grid)),
            _ => {
                let [n_lat, n_lon] = grid.map(|size| size as usize);
                let solver = Solver::new(n_lat, n_lon, Latitudes::Equiangular, Profile::Fixed);
                Ok(Self::start(solver, seed, grid))
            }
        }
    }

    fn start(mut solver: Solver, seed: u64, grid: [u32; 2]) -> Self {
        let begun = now();
        solver.start(seed, LIVE_TRAJECTORY);
        let spent = (now() - begun, BURN_IN_HOURS as u32);
        Self {
            first: solver.diagnostics(),
            solver,
            seed,
            grid,
            hour: 0,
            spent,
            ms_per_hour: 0.0,
        }
    }

    /// Integrates to an hour and shows it, unless something newer is asked for on the way.
    pub async fn reach(&mut self, id: u32, hour: u32, bench: &Bench) -> Result<(), End> {
        let mut rested = now();
        while self.hour < hour {
            if now() - rested > BREATH_MS {
                bench.in_sight(id).await;
                bench.give_way().await?;
                rested = now();
            }
            let begun = now();
            self.solver.advance_hours(1);
            self.hour += 1;
            self.spent = (self.spent.0 + now() - begun, self.spent.1 + 1);
        }
        self.show(id);
        Ok(())
    }

    fn show(&mut self, id: u32) {
        let mut frame = vec![0.0; self.solver.frame_len()];
        self.solver.show(&mut frame);
        let current = self.solver.diagnostics();
        let drift = |of: fn(&Diagnostics) -> f64| of(&current) / of(&self.first) - 1.0;
        if let (spent, hours @ 1..) = self.spent {
            self.ms_per_hour = spent / f64::from(hours);
        }
        let told = Hour {
            hour: self.hour,
            latitudes: self.grid[0],
            longitudes: self.grid[1],
            steps: self.solver.steps_per_hour() as u32,
            ms_per_hour: self.ms_per_hour,
            mass_drift: drift(|d| d.mass),
            energy_drift: drift(Diagnostics::energy),
        };
        reply(&Reply::Weather(id, told), &[&frame]);
    }
}
