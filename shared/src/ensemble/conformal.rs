//! Conformal scaling: an ensemble that is too narrow or too wide is spread around its mean by factors that reach a stated
//! coverage on cases the network was not trained on.
//!
//! `u' = mean + s (u - mean)`, with one factor `s` for each output channel and each lead time (a time of the output, or
//! a step of a forecast of several steps). The mean stays, the standard deviation becomes `s` times itself, and a quantile
//! `q` becomes `mean + s (q - mean)`: whoever has these statistics needs no members ([`Factors`]).
//!
//! # How the factor is found
//!
//! At every point of every case the score is the smallest `s` whose interval holds the truth. For `n` cases and
//! coverage `1 - alpha` the factor is the smallest one with
//!
//! ```text
//! R(s) <= alpha - (1 - alpha) / n        R(s) = mean over cases of the share of points (by area) whose score is above s
//! ```
//!
//! Intervals are nested: what one factor holds, every larger one holds too. Where the mean of very uneven members lies
//! outside their interval that is not so, and such a point counts as never held, which leaves the promise below as it is.
//!
//! With one point per case this is the split-conformal quantile, the `ceil((n + 1)(1 - alpha))`-th smallest score of `n`.
//! Angelopoulos, Bates, Fisch, Lei and Schuster, "Conformal risk control", 2022.
//!
//! # What is guaranteed, and what is not
//!
//! What must be exchangeable are *cases* (input, truth and the seed of its members), not points: points of a field may
//! depend on each other in any way. Then, of a new case, the expected share of points inside the interval is at least
//! `1 - alpha` at every lead time and in every channel, and hardly more than `2 / (n + 1)` above. The expectation is over
//! the cases of the fit and the new case together. There is no such promise
//!
//! - for a single point, a region, one case, or cases of one kind: only the average over all of them is held;
//! - for a whole field at once;
//! - for cases from another distribution, or windows of one series, which are not exchangeable;
//! - strictly, for the cases that chose the epoch of the training, as the validation split did. One number was chosen
//!   with them, so the difference is small, but a split of its own has none;
//! - for another number of members: fewer have narrower quantiles, and cover less.
//!
//! Only the interval of this coverage is calibrated. Other intervals are scaled alike, which is right where the shape of
//! the distribution is.

use serde::{Deserialize, Serialize};

use super::columns::member_count;
use crate::score::measure::lead_times;
use crate::spec::SpecError;
use crate::task::Task;

mod fit;

pub use fit::{ConformalError, Fit};

/// Most factors of a model. Where channels times lead times are more, neighbouring lead times share one.
pub const MAX_FACTORS: usize = 1024;
/// Longest fingerprint of the data.
pub const MAX_DATA_BYTES: usize = 128;

/// How members are spread, and how that was found: part of a model's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Share of points that the central interval is to hold.
    pub coverage: f64,
    /// Members of each case of the fit. Quantiles of fewer are narrower.
    pub members: u32,
    /// Cases of the fit.
    pub cases: u32,
    /// Fingerprint and part of the data.
    pub data: String,
    /// Output channels.
    pub channels: u32,
    /// Factors `[lead, channel]`.
    pub factors: Vec<f32>,
}

impl Calibration {
    /// Lead times with factors of their own.
    pub fn leads(&self) -> usize {
        self.factors.len() / (self.channels as usize).max(1)
    }

    /// The factors of a field on the grid of a task, after a step of a forecast, counted from 1.
    ///
    /// Where the output has a time axis its times are the lead times, on every grid over the same extent; otherwise the
    /// steps are, and those after the last of the fit have its factors, without any promise.
    pub fn of(&self, task: &Task, step: usize) -> Factors {
        // Asked after every step of a forecast, so no measure is made for it: that of a sphere takes its weights.
        let of_output = lead_times(task);
        let (leads, channels) = (self.leads(), self.channels as usize);
        let lead = |time: usize| match of_output {
            Some(times) => time * leads / times,
            None => step.clamp(1, leads) - 1,
        };
        let times = of_output.unwrap_or(1);
        let row = |time: usize| &self.factors[lead(time) * channels..][..channels];
        Factors {
            each: task.output_values() / times,
            channels,
            all: (0..times).flat_map(|time| row(time).to_vec()).collect(),
        }
    }

    /// Checks every value against its limits. Call it on anything that came from outside.
    pub fn validate(&self, channels: usize) -> Result<(), SpecError> {
        let wrong = |field, found: String, wanted: &str| {
            Err(SpecError::Range {
                field,
                found,
                wanted: wanted.to_owned(),
            })
        };
        if !(self.coverage > 0.0 && self.coverage < 1.0) {
            let found = self.coverage.to_string();
            return wrong("the coverage of the calibration", found, "between 0 and 1");
        }
        if self.members < 2 {
            let found = self.members.to_string();
            return wrong("the members of the calibration", found, "at least 2");
        }
        if self.channels as usize != channels {
            let (found, wanted) = (self.channels.to_string(), channels.to_string());
            return wrong("the channels of the calibration", found, &wanted);
        }
        let count = self.factors.len();
        if count == 0 || count > MAX_FACTORS || !count.is_multiple_of(channels) {
            let wanted = format!("a multiple of {channels}, at most {MAX_FACTORS}");
            return wrong("the number of factors", count.to_string(), &wanted);
        }
        match self.factors.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
            Some(factor) => wrong("a factor", factor.to_string(), "finite and positive"),
            None => Ok(()),
        }
    }
}

/// The factor of every value of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// Values with the same lead time.
    each: usize,
    channels: usize,
    /// `[time, channel]`.
    all: Vec<f32>,
}

impl Factors {
    /// The factor of a value of the field `[points, channel]`.
    pub fn at(&self, value: usize) -> f32 {
        self.all[value / self.each * self.channels + value % self.channels]
    }

    /// Spreads an ensemble around its mean, in place and in any unit.
    ///
    /// # Shapes
    /// - members: `[member, points, channel]`
    ///
    /// # Panics
    /// If that is not a whole number of fields.
    pub fn spread(&self, members: &mut [f32]) {
        let values = self.each * (self.all.len() / self.channels);
        let mean: Vec<f32> = mean(members, values).iter().map(|&m| m as f32).collect();
        for member in members.chunks_exact_mut(values) {
            self.around(&mean, member);
        }
    }

    /// The same for one field whose mean is known: a member, or a quantile.
    pub fn around(&self, mean: &[f32], field: &mut [f32]) {
        for (i, (&mean, u)) in mean.iter().zip(field).enumerate() {
            *u = mean + self.at(i) * (*u - mean);
        }
    }

    /// The same for a standard deviation, or any other distance.
    pub fn widen(&self, std: &mut [f32]) {
        for (i, std) in std.iter_mut().enumerate() {
            *std *= self.at(i);
        }
    }
}

/// Mean of each value over the members.
fn mean(members: &[f32], values: usize) -> Vec<f64> {
    let count = member_count(members, values);
    let mut mean = vec![0.0_f64; values];
    for member in members.chunks_exact(values) {
        for (sum, &u) in mean.iter_mut().zip(member) {
            *sum += f64::from(u);
        }
    }
    for sum in &mut mean {
        *sum /= count as f64;
    }
    mean
}

#[cfg(test)]
mod tests;
