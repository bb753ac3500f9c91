//! Trajectories on a grid.

use super::diagnostics::Diagnostics;
use super::initial::random_initial_condition;
use super::state::{CHANNELS, State, degrees};
use super::stepping::Stepper;
use super::transform::Transform;
use super::{BURN_IN_HOURS, HOUR_SECS, LATITUDES, LONGITUDES};
use crate::spec::Profile;
use crate::sphere::Latitudes;

/// Steps of an hour on the published grid: 150 s each.
const PUBLISHED_STEPS: usize = 24;

/// Steps of an hour for a grid of `n_lat` circles: 24 for the published 128, and in proportion.
///
/// The fastest gravity wave turns in a time proportional to the number of degrees, and those to the number of circles.
/// So every resolution has the published margin, 0.31 radians per step of the 0.72 that Adams-Bashforth 3 is stable
/// for, and what is left of it carries the wind. Hours are a whole number of steps.
pub fn steps_per_hour(n_lat: usize) -> usize {
    (PUBLISHED_STEPS * n_lat).div_ceil(LATITUDES).max(1)
}

/// The shallow water equations on one grid: a plan with its work space, a current state, and frames of it.
///
/// Frames are `[lat, lon, channel]` with the channels geopotential (m² s⁻²), vorticity and divergence (s⁻¹), from
/// north to south and eastwards from longitude 0.
#[derive(Debug, Clone)]
pub struct Solver {
    stepper: Stepper,
    steps_per_hour: usize,
    shown: Transform,
}

impl Solver {
    /// A plan for a grid, with `ceil(n_lat / 3)` degrees and [`steps_per_hour`] steps.
    ///
    /// # Panics
    /// If the grid does not carry its degrees: it needs a circle, and two longitudes per degree.
    pub fn new(n_lat: usize, n_lon: usize, latitudes: Latitudes, profile: Profile) -> Self {
        Self::with_steps(n_lat, n_lon, latitudes, profile, steps_per_hour(n_lat))
    }

    /// The same with a number of steps per hour of one's own.
    ///
    /// # Panics
    /// As [`Solver::new`], and if an hour has no step.
    pub fn with_steps(
        n_lat: usize,
        n_lon: usize,
        latitudes: Latitudes,
        profile: Profile,
        steps_per_hour: usize,
    ) -> Self {
        assert!(steps_per_hour > 0, "an hour needs a step");
        let degrees = degrees(n_lat);
        let dt_secs = HOUR_SECS / steps_per_hour as f64;
        Self {
            shown: Transform::new(latitudes, n_lat, n_lon, degrees),
            stepper: Stepper::new(degrees, dt_secs, profile),
            steps_per_hour,
        }
    }

    /// The published grid.
    pub fn default_plan(profile: Profile) -> Self {
        Self::new(LATITUDES, LONGITUDES, Latitudes::Equiangular, profile)
    }

    /// Values of a frame.
    pub fn frame_len(&self) -> usize {
        self.shown.n_lat() * self.shown.n_lon() * CHANNELS
    }

    /// Degrees of the truncation.
    pub fn degrees(&self) -> usize {
        self.shown.degrees()
    }

    /// Steps of an hour.
    pub fn steps_per_hour(&self) -> usize {
        self.steps_per_hour
    }

    /// The current state.
    pub fn state(&self) -> &State {
        self.stepper.state()
    }

    /// Starts from a state, truncated to the plan's degrees.
    pub fn load(&mut self, state: &State) {
        self.stepper.load(state);
    }

    /// Starts from a frame: from a data set, or from a forecast, whose finer degrees are left out.
    ///
    /// # Panics
    /// If the frame has another size than [`Solver::frame_len`].
    pub fn load_frame(&mut self, frame: &[f32]) {
        assert_eq!(frame.len(), self.frame_len(), "values of a frame");
        let mut state = State::zeros(self.degrees());
        for (channel, spectrum) in state.fields_mut().into_iter().enumerate() {
            let values = frame[channel..].iter().step_by(CHANNELS);
            let grid: Vec<f64> = values.map(|&v| f64::from(v)).collect();
            self.shown.spectrum_from_grid(&grid, spectrum);
        }
        self.load(&state);
    }

    /// Starts from the first frame of a trajectory: its random start and the hours of burn-in.
    pub fn start(&mut self, seed: u64, trajectory: u64) {
        let state = random_initial_condition(seed, trajectory, self.degrees());
        self.load(&state);
        self.advance_hours(BURN_IN_HOURS);
    }

    /// Integrates from one frame to another.
    pub fn advance_hours(&mut self, hours: usize) {
        self.stepper.frame();
        self.stepper.advance(hours * self.steps_per_hour);
    }

    /// Integrates by single steps, for a page that shows more than frames.
    pub fn advance_steps(&mut self, steps: usize) {
        self.stepper.advance(steps);
    }

    /// Frames `[frame, lat, lon, channel]`, an hour apart, of trajectory number `trajectory` of a seed, after the
    /// burn-in.
    pub fn trajectory(&mut self, seed: u64, trajectory: u64, frames: usize) -> Vec<f32> {
        self.start(seed, trajectory);
        let mut values = vec![0.0; frames * self.frame_len()];
        for (i, frame) in values.chunks_exact_mut(self.frame_len()).enumerate() {
            if i > 0 {
                self.advance_hours(1);
            }
            self.show(frame);
        }
        values
    }

    /// Writes the current frame.
    ///
    /// # Panics
    /// If the frame has another size than [`Solver::frame_len`].
    pub fn show(&mut self, frame: &mut [f32]) {
        self.shown
            .fields_from_spectra(self.stepper.state().fields(), frame);
    }

    /// Writes the current wind on the grid in m s⁻¹: `u` eastwards, `v` northwards.
    ///
    /// # Panics
    /// If `u` or `v` does not have the grid's number of points.
    pub fn show_wind(&mut self, u: &mut [f64], v: &mut [f64]) {
        let state = self.stepper.state();
        self.shown
            .wind_from_spectra(&state.zeta, &state.delta, u, v);
    }

    /// What the equations conserve.
    pub fn diagnostics(&mut self) -> Diagnostics {
        self.stepper.diagnostics()
    }
}
