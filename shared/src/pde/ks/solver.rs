//! The integrator: finite differences in space, ETDRK4 in time, steps that grow out of a rough start.

use std::fmt;
use std::ops::Range;

use super::loops::Table;
use super::step::Stepper;
use super::{CELLS, LENGTH};

/// Longest step of [`Solver::default_plan`]: 32 steps between two frames.
///
/// Measured against a five times shorter step from white noise, the relative error is 2e-6 at t = 20 and 1.4e-3
/// at t = 78, where the growth of any small difference has the better of it.
pub const DEFAULT_DT: f64 = 0.0625;

/// Time over which steps grow to their full length.
///
/// White noise holds waves that decay within a thousandth of a time unit. Integrating them exactly is not enough: while
/// they decay, the advection term changes as fast as they do, and a step that is longer sees none of it. Full steps
/// from the start are accurate to first order only (3e-3 at t = 20 with a step of 0.1; 8e-6 with growing steps).
/// After this time the waves that a full step cannot follow have died.
const RAMP: f64 = 0.4;

/// Shortest step, as a part of the time in which the fastest wave decays.
const SHORTEST: f64 = 0.2;

/// A plan for one grid: transforms, coefficients and work space.
///
/// Central differences on a periodic grid are diagonal in Fourier space, so the linear part is integrated exactly with
/// the *finite-difference* eigenvalues, and the advection term is taken in physical space.
///
/// All of it is linear with real, even coefficients, except the advection term, which multiplies real numbers cell by
/// cell. So a complex field carries two trajectories, one in its real and one in its imaginary part, and
/// [`Solver::trajectory_pair`] gets the second one for nothing.
#[derive(Clone)]
pub struct Solver {
    dt: f64,
    stepper: Stepper,
    /// Length of the step that `tables` is for.
    step: f64,
    /// Coefficients of that step, of its half, its quarter, …
    tables: Vec<Table>,
}

impl Solver {
    /// A plan for `cells` cells on a periodic line of the given length, with steps no longer than `dt`.
    ///
    /// # Panics
    /// If there are fewer than three cells, or if the length or the step is not positive.
    pub fn new(cells: usize, length: f64, dt: f64) -> Self {
        assert!(cells >= 3, "a KS grid needs three cells, found {cells}");
        assert!(
            length > 0.0 && dt > 0.0,
            "a KS grid needs a positive length and step, found {length} and {dt}"
        );
        Self {
            dt,
            stepper: Stepper::new(cells, length),
            step: 0.0,
            tables: Vec::new(),
        }
    }

    /// The published grid with [`DEFAULT_DT`].
    pub fn default_plan() -> Self {
        Self::new(CELLS, LENGTH, DEFAULT_DT)
    }

    /// Cells of the grid.
    pub fn cells(&self) -> usize {
        self.stepper.cells()
    }

    /// Integrates `u` in place over `duration`, in equal steps no longer than the plan's after the first few.
    ///
    /// Each call takes `u` for a rough field and starts with short steps; for many times in a row use
    /// [`Solver::trajectory`].
    ///
    /// # Panics
    /// If `u` does not have the plan's number of cells, or if the duration is negative.
    pub fn advance(&mut self, u: &mut [f64], duration: f64) {
        self.stepper.load(u, None);
        self.integrate(duration, true);
        let scale = 1.0 / u.len() as f64;
        for (cell, value) in u.iter_mut().zip(self.stepper.show()) {
            *cell = value.re * scale;
        }
    }

    /// Frames `[frames, cells]`, `frame_step` apart; the first is the initial field.
    ///
    /// # Panics
    /// If `initial` does not have the plan's number of cells, or if the frame step is negative.
    pub fn trajectory(&mut self, initial: &[f64], frames: usize, frame_step: f64) -> Vec<f32> {
        self.trajectory_from(initial, 0.0, frames, frame_step)
    }

    /// The same from a later time on: the first of the frames `[frames, cells]` is the field at `burn_in`.
    ///
    /// It is integrated in the same steps, so the frames are those of the longer trajectory from time 0, bit for bit.
    ///
    /// # Panics
    /// As [`Solver::trajectory`], and if `burn_in` is not a whole number of frame steps.
    pub fn trajectory_from(
        &mut self,
        initial: &[f64],
        burn_in: f64,
        frames: usize,
        frame_step: f64,
    ) -> Vec<f32> {
        let skipped = whole_frames(burn_in, frame_step).unwrap_or_else(|| {
            panic!("a burn-in of {burn_in} is no whole number of frame steps of {frame_step}")
        });
        self.stepper.load(initial, None);
        let mut kept = Vec::with_capacity(frames * self.cells());
        let kept_frames = skipped..skipped.saturating_add(frames);
        self.each_frame(kept_frames, frame_step, |re, _| kept.push(re));
        kept
    }

    /// Two trajectories for the price of one.
    ///
    /// # Panics
    /// As [`Solver::trajectory`].
    pub fn trajectory_pair(
        &mut self,
        initial: [&[f64]; 2],
        frames: usize,
        frame_step: f64,
    ) -> [Vec<f32>; 2] {
        self.stepper.load(initial[0], Some(initial[1]));
        let mut kept = initial.map(|field| Vec::with_capacity(frames * field.len()));
        self.each_frame(0..frames, frame_step, |re, im| {
            kept[0].push(re);
            kept[1].push(im);
        });
        kept
    }

    /// Integrates from frame to frame, from the start on, and calls `keep` for each cell of the frames wanted.
    fn each_frame(
        &mut self,
        wanted: Range<usize>,
        frame_step: f64,
        mut keep: impl FnMut(f32, f32),
    ) {
        let scale = 1.0 / self.cells() as f64;
        for frame in 0..wanted.end {
            if frame > 0 {
                self.integrate(frame_step, frame == 1);
            }
            if frame < wanted.start {
                continue;
            }
            for value in self.stepper.show() {
                keep((value.re * scale) as f32, (value.im * scale) as f32);
            }
        }
    }

    fn integrate(&mut self, duration: f64, rough: bool) {
        assert!(
            duration >= 0.0 && duration.is_finite(),
            "a KS integration over a time of {duration}"
        );
        // The slack keeps a ratio such as 2 / 0.1 from being rounded up to one step more.
        let steps = (duration / self.dt - 1e-9).ceil() as usize;
        if steps == 0 {
            return;
        }
        self.plan(duration / steps as f64);
        let ramped = if rough { self.ramp(steps) } else { 0 };
        for _ in ramped..steps {
            self.stepper.step(&self.tables[0]);
        }
    }

    /// Takes the first of `steps` steps in ever longer pieces, and returns how many that were.
    fn ramp(&mut self, steps: usize) -> usize {
        let ramped = steps.min((RAMP / self.dt).ceil() as usize);
        // As many steps of 1/2, of 1/4, …, and the shortest twice: together as long as that many whole steps.
        let shortest = self.tables.last().into_iter();
        for table in shortest.chain(self.tables.iter().skip(1).rev()) {
            for _ in 0..ramped {
                self.stepper.step(table);
            }
        }
        ramped
    }

    /// Coefficients for `step`, and for its halves down to the time scale of the fastest wave.
    fn plan(&mut self, step: f64) {
        if self.step == step {
            return;
        }
        let halvings = (step * self.stepper.fastest() / SHORTEST).log2().ceil();
        self.tables = (0..=halvings.max(1.0) as i32)
            .map(|halving| self.stepper.table(step * 0.5_f64.powi(halving)))
            .collect();
        self.step = step;
    }
}

/// How many frame steps a time after the start is; `None` where it is no whole number of them.
///
/// Both may be rounded (0.6 is not three times 0.2 in binary), hence the slack.
pub fn whole_frames(time: f64, frame_step: f64) -> Option<usize> {
    let steps = if time == 0.0 { 0.0 } else { time / frame_step };
    let whole = steps.round();
    let is_whole = (steps - whole).abs() <= 1e-9 * whole.max(1.0);
    (is_whole && (0.0..=u32::MAX as f64).contains(&whole)).then_some(whole as usize)
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("cells", &self.cells())
            .field("dt", &self.dt)
            .finish_non_exhaustive()
    }
}
