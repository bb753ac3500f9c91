//! How well the present is known: observed inputs, with noise on every value and a value at every n-th point only.
//!
//! An observation of a field `u` in network units is `u + level * normal` at the observed points and, between them, straight
//! lines along each axis in turn. A network that was trained for observed inputs ([`ModelSpec::observed`]) has one channel
//! more, behind those of the task: how far the value at each point may be off, `level` where it was observed and
//! [`UNOBSERVED`] where it was not. An exact input has zeros there.
//!
//! The normals are counted by the place of the value in the field and keyed by seed and member, so that the page, the trainer
//! and the evaluation make the same observation of the same field.
//!
//! [`ModelSpec::observed`]: crate::spec::ModelSpec::observed

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::noise::{Place, key, normal};
use crate::spec::SpecError;
use crate::task::{Domain, Task};

/// What the network is told of points without an observation, in standard deviations of the field: as much as of a state
/// of which nothing is known.
pub const UNOBSERVED: f32 = 1.0;
/// Noise levels that mean something, in standard deviations of the field.
const LEVELS: RangeInclusive<f32> = 0.0..=10.0;
/// Distances between observed points that any grid may have.
const DISTANCES: RangeInclusive<usize> = 1..=1024;

/// Noise level and distance of the observed points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Standard deviation of the noise on each value, in network units.
    #[serde(default)]
    pub noise: f32,
    /// One point in so many along each axis is observed.
    #[serde(default = "everywhere")]
    pub every: usize,
}

fn everywhere() -> usize {
    1
}

impl Default for Observation {
    fn default() -> Self {
        Self::EXACT
    }
}

impl Observation {
    /// Everything is known as it is.
    pub const EXACT: Self = Self {
        noise: 0.0,
        every: 1,
    };

    /// Noise on every value.
    pub fn noisy(noise: f32) -> Self {
        Self { noise, every: 1 }
    }

    /// Whether nothing is left to chance.
    pub fn is_exact(&self) -> bool {
        *self == Self::EXACT
    }

    /// Checks every value against its limits. Call it on anything that came from outside.
    pub fn validate(&self) -> Result<(), SpecError> {
        let range = |field, found: String, wanted: String| SpecError::Range {
            field,
            found,
            wanted,
        };
        if !LEVELS.contains(&self.noise) {
            return Err(range(
                "the noise of an observation",
                self.noise.to_string(),
                format!("{} to {}", LEVELS.start(), LEVELS.end()),
            ));
        }
        if !DISTANCES.contains(&self.every) {
            return Err(range(
                "the distance of observed points",
                self.every.to_string(),
                format!("{} to {}", DISTANCES.start(), DISTANCES.end()),
            ));
        }
        Ok(())
    }

    /// Whether a point is observed, by its place along each axis.
    pub fn sees(&self, mut point: usize, sizes: &[usize]) -> bool {
        sizes.iter().rev().all(|&size| {
            let place = point % size;
            point /= size;
            place.is_multiple_of(self.every)
        })
    }

    /// The mean over a grid of what the network is told of its points: how uncertain the whole input is.
    pub fn mean_level(&self, sizes: &[usize]) -> f32 {
        let seen = |&size: &usize| size.div_ceil(self.every) as f32 / size as f32;
        let seen: f32 = sizes.iter().map(seen).product();
        seen * self.noise + (1.0 - seen) * UNOBSERVED
    }

    /// What is observed of an input in physical units, `[points, channel]`: the observation of a seed.
    pub fn of(&self, task: &Task, fields: &[f32], seed: u64) -> Vec<f32> {
        self.drawn(task, fields, seed, 0, Place::Observation)
    }

    /// An input that may have led to the same observation as this one, `[points, channel]`: the observed values with noise
    /// as large again, by which the classic ensemble of perturbed inputs begins.
    pub fn perturbed(&self, task: &Task, observed: &[f32], seed: u64, member: u32) -> Vec<f32> {
        self.drawn(task, observed, seed, member, Place::Perturbation)
    }

    fn drawn(&self, task: &Task, fields: &[f32], seed: u64, member: u32, place: Place) -> Vec<f32> {
        let mut out = fields.to_vec();
        if self.noise > 0.0 {
            let mut normals = vec![0.0; fields.len()];
            normal::fill(key(seed, member, place.layer()), &mut normals);
            let scales = task.inputs.iter().map(|field| field.normalisation.std);
            for ((value, normal), std) in out.iter_mut().zip(normals).zip(scales.cycle()) {
                *value = (f64::from(*value) + std * f64::from(self.noise * normal)) as f32;
            }
        }
        if self.every > 1 {
            let sizes = task.input_shape();
            for axis in 0..sizes.len() {
                let is_round = axis == 1 && task.domain != Domain::Flat;
                self.between(&mut out, &sizes, axis, task.inputs.len(), is_round);
            }
        }
        out
    }

    /// Straight lines between the observed places of an axis; behind the last one its value, or on a circle the way back to
    /// the first.
    fn between(
        &self,
        fields: &mut [f32],
        sizes: &[usize],
        axis: usize,
        channels: usize,
        is_round: bool,
    ) {
        let size = sizes[axis];
        let stride = sizes[axis + 1..].iter().product::<usize>() * channels;
        for block in fields.chunks_exact_mut(size * stride) {
            for place in (0..size).filter(|place| !place.is_multiple_of(self.every)) {
                let before = place / self.every * self.every;
                let after = before + self.every;
                let (after, gap) = match after < size {
                    true => (after, self.every),
                    false if is_round => (0, size - before),
                    false => (before, self.every),
                };
                let share = (place - before) as f32 / gap as f32;
                for i in 0..stride {
                    let (a, b) = (block[before * stride + i], block[after * stride + i]);
                    block[place * stride + i] = a + share * (b - a);
                }
            }
        }
    }

    /// The channels of a network that takes observed inputs: those of the task, `[points, channel]`, with the level of each
    /// point behind them.
    pub fn beside(&self, input: &[f32], sizes: &[usize]) -> Vec<f32> {
        let points: usize = sizes.iter().product();
        let channels = input.len() / points.max(1);
        let mut out = Vec::with_capacity(input.len() + points);
        for (point, values) in input.chunks_exact(channels.max(1)).enumerate() {
            out.extend_from_slice(values);
            out.push(if self.every == 1 || self.sees(point, sizes) {
                self.noise
            } else {
                UNOBSERVED
            });
        }
        out
    }
}

/// `noise=0.1,every=4`, either part alone, in any order.
impl FromStr for Observation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut found = Self::EXACT;
        for part in text.split(',') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let broken = || format!("`{part}` is neither noise=LEVEL nor every=POINTS");
            match name.trim() {
                "noise" => found.noise = value.trim().parse().map_err(|_| broken())?,
                "every" => found.every = value.trim().parse().map_err(|_| broken())?,
                _ => return Err(broken()),
            }
        }
        found.validate().map_err(|error| error.to_string())?;
        Ok(found)
    }
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "noise={},every={}", self.noise, self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_level_that_was_asked_for_and_is_that_of_its_seed() {
        let task = Task::ks_step();
        let fields: Vec<f32> = (0..256).map(|i| (0.1 * i as f32).sin()).collect();
        let tenth = Observation::noisy(0.1);
        let mut squares = 0.0;
        for seed in 0..50 {
            let found = tenth.of(&task, &fields, seed);
            assert_eq!(found, tenth.of(&task, &fields, seed));
            assert_ne!(found, tenth.of(&task, &fields, seed + 1));
            assert_ne!(found, tenth.perturbed(&task, &fields, seed, 0));
            let errors = found.iter().zip(&fields).map(|(a, b)| f64::from(a - b));
            squares += errors.map(|e| e * e).sum::<f64>();
        }
        let wanted = 0.1 * task.inputs[0].normalisation.std;
        let found = (squares / (50.0 * 256.0)).sqrt();
        // Twelve thousand normals: half a per cent.
        assert!((found / wanted - 1.0).abs() < 0.03, "{found}, not {wanted}");
        let louder = Observation::noisy(0.2).of(&task, &fields, 3);
        let quiet = tenth.of(&task, &fields, 3);
        for ((loud, quiet), field) in louder.iter().zip(quiet).zip(&fields) {
            assert!((loud - field - 2.0 * (quiet - field)).abs() < 1e-5);
        }
        assert_eq!(Observation::EXACT.of(&task, &fields, 3), fields);
    }

    #[test]
    fn between_observed_points_are_straight_lines() {
        let task = Task::ks_step().on_grid(&[10]);
        let fields: Vec<f32> = (0..10).map(|i| 3.0 * i as f32).collect();
        let every = Observation {
            noise: 0.0,
            every: 4,
        };
        let found = every.of(&task, &fields, 1);
        // A line stays a line; behind the last observed point nothing is known of its slope.
        assert_eq!(found[..9], fields[..9]);
        assert_eq!(found[9], 24.0);
        let bent: Vec<f32> = (0..10)
            .map(|i| if i == 4 { 8.0 } else { 1e9 * (i % 4) as f32 })
            .collect();
        let found = every.of(&task, &bent, 1);
        assert_eq!(found, [0.0, 2.0, 4.0, 6.0, 8.0, 6.0, 4.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn a_circle_of_latitude_is_closed() {
        let task = Task::sswe().on_grid(&[5, 6]);
        let mut fields = vec![0.0; 5 * 6 * 3];
        // The second quantity at longitude 4 of every latitude.
        for row in fields.chunks_exact_mut(6 * 3) {
            row[4 * 3 + 1] = 6.0;
        }
        let found = Observation {
            noise: 0.0,
            every: 4,
        }
        .of(&task, &fields, 1);
        for row in found.chunks_exact(6 * 3) {
            let second: Vec<f32> = row.iter().skip(1).step_by(3).copied().collect();
            assert_eq!(second, [0.0, 1.5, 3.0, 4.5, 6.0, 3.0]);
        }
    }

    #[test]
    fn the_network_is_told_how_far_each_point_may_be_off() {
        let two = Observation {
            noise: 0.25,
            every: 2,
        };
        let found = two.beside(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
        assert_eq!(
            found,
            [1.0, 0.25, 2.0, 1.0, 3.0, 0.25, 4.0, 1.0, 5.0, 1.0, 6.0, 1.0]
        );
        let levels: f32 = found.iter().skip(1).step_by(2).sum();
        assert!((two.mean_level(&[2, 3]) - levels / 6.0).abs() < 1e-6);
        assert_eq!(Observation::noisy(0.25).mean_level(&[2, 3]), 0.25);
        let exact = Observation::EXACT.beside(&[1.0, 2.0], &[1]);
        assert_eq!(exact, [1.0, 2.0, 0.0]);
    }

    #[test]
    fn it_is_read_as_it_is_written_and_what_it_is_not_is_told() {
        let read = |text: &str| text.parse::<Observation>();
        let both = Observation {
            noise: 0.1,
            every: 4,
        };
        assert_eq!(read("noise=0.1,every=4"), Ok(both));
        assert_eq!(read(&both.to_string()), Ok(both));
        assert_eq!(
            read("every=2"),
            Ok(Observation {
                noise: 0.0,
                every: 2
            })
        );
        for (text, told) in [
            ("noise=-1", "must be 0 to 10"),
            ("noise=NaN", "must be 0 to 10"),
            ("every=0", "must be 1 to 1024"),
            (
                "sigma=1",
                "`sigma=1` is neither noise=LEVEL nor every=POINTS",
            ),
            ("noise", "neither"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(told), "{message}");
        }
    }
}
