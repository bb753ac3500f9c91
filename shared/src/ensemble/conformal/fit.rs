//! Finding the factors: scores of all points in fine bins, and their corrected quantile.

use thiserror::Error;

use super::{Calibration, MAX_FACTORS, mean};
use crate::ensemble::columns::member_count;
use crate::ensemble::quantiles::Quantiles;
use crate::score::Measure;

/// Smallest and largest factor that can be found.
const RANGE: [f64; 2] = [1e-4, 1e4];
/// Factors are rounded up to the next power of `exp` of this: a tenth of a percent.
const WIDTH: f64 = 1e-3;

/// Why there is no calibration.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ConformalError {
    /// A coverage that is none.
    #[error("a coverage of {0} cannot be reached: it must be between 0 and 1")]
    Coverage(f64),
    /// Members that are all alike.
    #[error("all members of a case are alike, so there is no spread to scale")]
    NoSpread,
    /// The correction for few cases leaves nothing.
    #[error("coverage {coverage} needs at least {wanted} cases, but there are {found}")]
    TooFewCases {
        /// What was asked for.
        coverage: f64,
        /// Cases there are.
        found: usize,
        /// Cases needed.
        wanted: usize,
    },
    /// No factor is large enough.
    #[error(
        "no factor up to 10000 reaches coverage {coverage} in channel {channel} at lead time {lead}: {share:.1} % of its points have no spread, or a mean outside their interval"
    )]
    NoFactor {
        /// What was asked for.
        coverage: f64,
        /// Channel, counted from 1.
        channel: usize,
        /// Lead time, counted from 1.
        lead: usize,
        /// Share of points out of reach, in percent.
        share: f64,
    },
}

/// Scores of one channel at one lead time.
#[derive(Debug, Clone)]
struct Scores {
    /// Weight of the scores in each bin; what no factor reaches comes last.
    bins: Vec<f64>,
    cases: usize,
}

/// Collects scores case by case; memory does not grow with the number of cases.
#[derive(Debug, Clone)]
pub struct Fit {
    coverage: f64,
    measure: Measure,
    /// Lead times with factors of their own: steps of the forecast or groups of times.
    leads: usize,
    members: usize,
    scores: Vec<Scores>,
}

impl Fit {
    /// No case yet, for fields of this measure after `steps` steps of the model.
    pub fn new(measure: Measure, steps: usize, coverage: f64) -> Result<Self, ConformalError> {
        if !(coverage > 0.0 && coverage < 1.0) {
            return Err(ConformalError::Coverage(coverage));
        }
        let leads = if measure.has_time() {
            measure.lead_times()
        } else {
            steps.max(1)
        };
        let leads = leads.min((MAX_FACTORS / measure.channels()).max(1));
        let none = Scores {
            bins: vec![0.0; bin(f64::INFINITY) + 1],
            cases: 0,
        };
        Ok(Self {
            coverage,
            leads,
            members: 0,
            scores: vec![none; leads * measure.channels()],
            measure,
        })
    }

    /// Takes in one case after a step, counted from 1. Points without a truth (NaN) and those that the measure leaves out,
    /// at which members have no value, have no part.
    ///
    /// # Shapes
    /// - members: `[member, points, channel]`
    /// - truth: `[points, channel]`, in the same unit
    pub fn push(
        &mut self,
        step: usize,
        members: &[f32],
        truth: &[f32],
    ) -> Result<(), ConformalError> {
        let values = self.measure.values();
        let count = member_count(members, values);
        let first = &members[..values];
        let left_out = |value: usize| truth[value].is_nan() || self.measure.leaves_out(value);
        let known = |value: &usize| !left_out(*value);
        let same = |member: &[f32]| {
            (0..values)
                .filter(known)
                .all(|value| member[value] == first[value])
        };
        if members.chunks_exact(values).all(same) {
            return Err(ConformalError::NoSpread);
        }
        self.members = count;
        let mean = mean(members, values);
        let (lower, upper) = Quantiles::interval(members, values, 1.0 - self.coverage);
        let channels = self.measure.channels();
        let (times, has_time) = (self.measure.lead_times(), self.measure.has_time());
        let group = |value: usize| {
            let lead = if has_time {
                value / (values / times) * self.leads / times
            } else {
                step.clamp(1, self.leads) - 1
            };
            lead * channels + value % channels
        };
        let mut weights = vec![0.0; self.scores.len()];
        for value in (0..values).filter(known) {
            weights[group(value)] += self.measure.weight(value);
        }
        for value in (0..values).filter(known) {
            let score = score(truth[value], mean[value], lower[value], upper[value]);
            let share = self.measure.weight(value) / weights[group(value)];
            self.scores[group(value)].bins[bin(score)] += share;
        }
        for (scores, weight) in self.scores.iter_mut().zip(weights) {
            scores.cases += usize::from(weight > 0.0);
        }
        Ok(())
    }

    /// The factors, with a word about the data they were found on.
    pub fn finish(self, data: &str) -> Result<Calibration, ConformalError> {
        let channels = self.measure.channels();
        let factor = |(group, scores): (usize, &Scores)| {
            let (lead, channel) = (group / channels + 1, group % channels + 1);
            scores.factor(self.coverage, lead, channel)
        };
        let factors = self.scores.iter().enumerate().map(factor);
        Ok(Calibration {
            factors: factors.collect::<Result<_, _>>()?,
            coverage: self.coverage,
            members: self.members as u32,
            cases: self.scores.iter().map(|s| s.cases).min().unwrap_or(0) as u32,
            data: data.to_owned(),
            channels: channels as u32,
        })
    }
}

impl Scores {
    /// The smallest factor with few enough scores above it.
    fn factor(&self, coverage: f64, lead: usize, channel: usize) -> Result<f32, ConformalError> {
        let (n, alpha) = (self.cases as f64, 1.0 - coverage);
        // Coverages such as 0.9 are not numbers of the machine; a case more because of that would be strange.
        let rounding = 1e-9;
        let allowed = alpha * (n + 1.0) - 1.0 + rounding;
        if allowed < 0.0 {
            return Err(ConformalError::TooFewCases {
                coverage,
                found: self.cases,
                wanted: (1.0 / alpha - 1.0 - rounding).ceil() as usize,
            });
        }
        let mut above = 0.0;
        for (bin, weight) in self.bins.iter().enumerate().rev() {
            if above + weight > allowed {
                if bin + 1 == self.bins.len() {
                    return Err(ConformalError::NoFactor {
                        coverage,
                        channel,
                        lead,
                        share: 100.0 * weight / n,
                    });
                }
                return Ok(edge(bin) as f32);
            }
            above += weight;
        }
        Ok(edge(0) as f32)
    }
}

/// The factor from which on the interval holds the truth, for every larger one too.
///
/// Where the mean of very uneven members lies outside their interval, the scaled interval moves away from the mean as a
/// whole, and what a factor holds a larger one does not. Such a point counts as one that no factor reaches: whatever
/// its interval holds by chance is then more than was promised.
pub(super) fn score(truth: f32, mean: f64, lower: f32, upper: f32) -> f64 {
    if !(f64::from(lower)..=f64::from(upper)).contains(&mean) {
        return f64::INFINITY;
    }
    let distance = f64::from(truth) - mean;
    let reach = f64::from(if distance > 0.0 { upper } else { lower }) - mean;
    match distance / reach {
        // Without any reach: never.
        _ if distance == 0.0 => 0.0,
        score if score > 0.0 => score,
        _ => f64::INFINITY,
    }
}

/// The bin of a score, whose upper edge is above it.
fn bin(score: f64) -> usize {
    let last = ((RANGE[1] / RANGE[0]).ln() / WIDTH) as usize + 1;
    if score < RANGE[0] {
        0
    } else if score < RANGE[1] {
        (((score / RANGE[0]).ln() / WIDTH) as usize + 1).min(last)
    } else {
        last + 1
    }
}

/// The upper edge of a bin.
fn edge(bin: usize) -> f64 {
    RANGE[0] * (WIDTH * bin as f64).exp()
}
