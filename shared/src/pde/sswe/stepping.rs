//! Steps in time: Adams-Bashforth of third order, and how it starts.
//!
//! The gravity waves are explicit, so the step is bounded by them: with the published 150 s at degree 42 the fastest
//! turns by 0.31 radians per step, and the scheme is stable up to 0.72.
//!
//! | | [`Profile::Paper`] | [`Profile::Fixed`] |
//! |---|---|---|
//! | first step | Euler | Runge-Kutta of fourth order |
//! | second step | `(28 f_1 - 16 f_0) / 12`, where Adams-Bashforth 2 has `(18 f_1 - 6 f_0) / 12` | Runge-Kutta |
//! | damping | of the state after the step: first order in the step | an integrating factor: the old tendencies are damped too, so the scheme stays of third order |
//! | at each frame | starts afresh, because the published stepper gives only its last state and remembers nothing | goes on |
//!
//! The second step of the paper looks like a slip in a ring of three tendencies, of which the new one is taken twice.
//! It is consistent (the weights sum to 1) but of first order.

use super::DAMPING_TIME_SECS;
use super::diagnostics::Diagnostics;
use super::state::{State, each};
use super::tendency::Tendency;
use crate::spec::Profile;

/// Integrates a state in equal steps.
#[derive(Debug, Clone)]
pub struct Stepper {
    tendency: Tendency,
    profile: Profile,
    dt: f64,
    state: State,
    /// Tendencies of the last steps, the newest first.
    slopes: [State; 3],
    /// Steps since the last start.
    age: usize,
    /// What the damping leaves of vorticity and divergence over a whole step and over half of one.
    damping: [Vec<f64>; 2],
    /// Start, stage and tendency of a Runge-Kutta step.
    work: Option<Box<[State; 3]>>,
}

impl Stepper {
    /// A plan for `degrees` degrees and steps of `dt_secs` seconds. The state is zero until one is loaded.
    ///
    /// # Panics
    /// If there are no degrees or the step is not positive.
    pub fn new(degrees: usize, dt_secs: f64, profile: Profile) -> Self {
        assert!(dt_secs > 0.0, "a step of {dt_secs} seconds");
        let zeros = State::zeros(degrees);
        let damping = [1.0, 0.5].map(|part| damping(degrees, part * dt_secs / DAMPING_TIME_SECS));
        Self {
            tendency: Tendency::new(degrees),
            profile,
            dt: dt_secs,
            slopes: std::array::from_fn(|_| zeros.clone()),
            age: 0,
            damping,
            work: (profile == Profile::Fixed)
                .then(|| Box::new(std::array::from_fn(|_| zeros.clone()))),
            state: zeros,
        }
    }

    /// The same without damping, for conservation laws.
    #[must_use]
    pub fn undamped(mut self) -> Self {
        for table in &mut self.damping {
            table.fill(1.0);
        }
        self
    }

    /// Seconds of a step.
    pub fn dt_secs(&self) -> f64 {
        self.dt
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the equations conserve, in the current state.
    pub fn diagnostics(&mut self) -> Diagnostics {
        Diagnostics::new(&self.state, self.tendency.transform_mut())
    }

    /// Starts from a state, truncated to the plan's degrees.
    pub fn load(&mut self, state: &State) {
        if state.degrees() == self.state.degrees() {
            self.state.copy_from(state);
        } else {
            self.state = state.truncated(self.state.degrees());
        }
        self.age = 0;
    }

    /// Forgets the old tendencies at a frame, if the published procedure does.
    pub fn frame(&mut self) {
        if self.profile == Profile::Paper {
            self.age = 0;
        }
    }

    /// Takes `steps` steps.
    pub fn advance(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    fn step(&mut self) {
        self.slopes.rotate_right(1);
        let [newest, ..] = &mut self.slopes;
        self.tendency.evaluate(&self.state, newest);
        match (self.profile, self.age) {
            (Profile::Fixed, 0 | 1) => self.runge_kutta(),
            (Profile::Paper, 0) => self.add([12.0, 0.0, 0.0]),
            (Profile::Paper, 1) => self.add([28.0, -16.0, 0.0]),
            _ => self.add([23.0, -16.0, 5.0]),
        }
        self.age += 1;
        if self.profile == Profile::Fixed {
            for slope in &mut self.slopes[..2] {
                damp(slope, &self.damping[0]);
            }
        }
    }

    /// Adds the tendencies with these twelfths of a step, and damps the result.
    fn add(&mut self, twelfths: [f64; 3]) {
        let weights = twelfths.map(|w| w * self.dt / 12.0);
        let [first, second, third] = self.slopes.each_ref().map(State::fields);
        let old = first.into_iter().zip(second).zip(third);
        for (channel, (to, ((a, b), c))) in self.state.fields_mut().into_iter().zip(old).enumerate()
        {
            let kept = &self.damping[0];
            for (i, to) in to.iter_mut().enumerate() {
                let sum = *to + a[i] * weights[0] + b[i] * weights[1] + c[i] * weights[2];
                // The geopotential is not damped.
                *to = if channel == 0 { sum } else { sum * kept[i] };
            }
        }
    }

    /// One step of the classical scheme with the damping as an integrating factor.
    fn runge_kutta(&mut self) {
        let Some(work) = &mut self.work else { return };
        let [start, stage, slope] = work.as_mut();
        let [whole, half] = &self.damping;
        let (first, dt) = (&self.slopes[0], self.dt);

        // E(h) is the damping over h: the stages are at E(dt/2), E(dt/2), E(dt).
        start.copy_from(&self.state);
        self.state.add(dt / 6.0, first);
        damp(&mut self.state, half);
        stage.copy_from(start);
        stage.add(dt / 2.0, first);
        damp(stage, half);
        self.tendency.evaluate(stage, slope);
        self.state.add(dt / 3.0, slope);

        stage.copy_from(start);
        damp(stage, half);
        stage.add(dt / 2.0, slope);
        self.tendency.evaluate(stage, slope);
        self.state.add(dt / 3.0, slope);
        damp(&mut self.state, half);

        stage.copy_from(start);
        damp(stage, whole);
        damp(slope, half);
        stage.add(dt, slope);
        self.tendency.evaluate(stage, slope);
        self.state.add(dt / 6.0, slope);
    }
}

/// `exp(-time (l (l+1) / (L (L-1)))^4)` of each coefficient, with the time in units of the damping time.
fn damping(degrees: usize, time: f64) -> Vec<f64> {
    let mut table = Vec::new();
    let last = (degrees * (degrees - 1)).max(1) as f64;
    each(degrees, |_, l, _| {
        let ratio = (l * (l + 1)) as f64 / last;
        table.push((-time * ratio.powi(4)).exp());
    });
    table
}

fn damp(state: &mut State, kept: &[f64]) {
    for field in [&mut state.zeta, &mut state.delta] {
        for (value, kept) in field.iter_mut().zip(kept) {
            *value *= kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pde::sswe::{coefficients, index};

    #[test]
    fn the_last_degree_is_damped_to_a_part_e_in_two_hours_and_the_first_hardly_at_all() {
        let kept = damping(43, 1.0);
        assert_eq!(kept.len(), coefficients(43));
        for m in [0, 5, 42] {
            assert!((kept[index(43, 42, m)] - (-1.0_f64).exp()).abs() < 1e-15);
        }
        assert_eq!(kept[0], 1.0);
        // The rate goes with the fourth power of the Laplacian.
        let half = kept[index(43, 21, 3)].ln() * (42.0 * 43.0 / (21.0 * 22.0_f64)).powi(4);
        assert!((half + 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_published_profile_starts_afresh_at_a_frame_and_the_other_goes_on() {
        let state = crate::pde::sswe::random_initial_condition(1, 0, 6);
        for (profile, same) in [(Profile::Paper, false), (Profile::Fixed, true)] {
            let run = |break_at: usize| {
                let mut stepper = Stepper::new(6, 600.0, profile);
                stepper.load(&state);
                stepper.advance(break_at);
                stepper.frame();
                stepper.advance(12 - break_at);
                stepper.state().clone()
            };
            assert_eq!(run(6) == run(0), same, "{profile}");
        }
    }
}
