//! What a model is: experiment, method, architecture. Validated, serialisable, with the parameter count in closed form.
//!
//! A [`ModelSpec`] fixes every tensor's name and shape ([`ModelSpec::tensors`]), so a checkpoint can never choose its own.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::observation::Observation;

mod blocks;
pub mod budget;
mod cost;
mod fit;
mod general;
mod method;
mod names;
mod published;
mod tensors;

pub use blocks::{BlockSpec, Horizontal, Level};
pub use budget::{Demand, Limits};
pub use method::{Masks, Members, Procedure};
pub(crate) use names::names;
pub use names::{Experiment, Loss, Method, Operator, Output, Profile, Rollout};
pub use tensors::TensorSpec;

/// Largest number of real scalars a file may hold: far above the paper's 5.8 million. What else a model may ask for,
/// and how much of it here, is in [`budget`].
pub const MAX_PARAMETERS: usize = 64 << 20;
/// Largest width, hidden width or channel count of any layer.
pub const MAX_CHANNELS: usize = 4096;
/// Largest number of spectral blocks.
pub const MAX_LAYERS: usize = 64;
/// Largest number of blocks of a UNO.
pub const MAX_LEVELS: usize = 32;
/// Largest number of modes along one axis.
pub const MAX_MODES: usize = 4096;
/// Most axes a grid may have.
pub const MAX_DIMENSIONS: usize = 3;
/// Most networks of an ensemble.
pub const MAX_NETWORKS: usize = 64;
/// Most channels of functional noise.
pub const MAX_NOISE: usize = 16;
/// Wavenumbers at which functional noise may fade.
const NOISE: RangeInclusive<f32> = 0.1..=4096.0;
/// How much a block of a UNO may change a grid along one axis.
const SCALES: RangeInclusive<f64> = 0.01..=16.0;

/// Why a specification was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpecError {
    /// A name that is none of the known ones.
    #[error("unknown {kind} `{found}`; known: {known}")]
    Unknown {
        /// What kind of thing was named.
        kind: &'static str,
        /// What was found.
        found: String,
        /// What would have been understood.
        known: &'static str,
    },
    /// A value outside its range.
    #[error("{field} is {found}, but must be {wanted}")]
    Range {
        /// The field's name.
        field: &'static str,
        /// What was found.
        found: String,
        /// What is allowed.
        wanted: String,
    },
    /// More than a machine gives ([`budget`]).
    #[error("{quantity} would be {found}, but {whose} takes at most {most}; {advice} would do")]
    Budget {
        /// What there would be too much of.
        quantity: &'static str,
        /// What is asked for; the largest number there is stands for everything above.
        found: u64,
        /// Whose limit it is.
        whose: &'static str,
        /// The limit.
        most: u64,
        /// What would ask for less.
        advice: &'static str,
    },
}

/// Architecture and method of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// What it was made for.
    pub experiment: Experiment,
    /// How it makes uncertainty.
    pub method: Method,
    /// Which network it is.
    pub operator: Operator,
    /// As it should be, or as it was published.
    pub profile: Profile,
    /// Channels of the input, coordinates included.
    pub in_channels: usize,
    /// Channels of the output.
    pub out_channels: usize,
    /// Channels that the lifting gives; inside the blocks of an FNO or SFNO as well.
    pub width: usize,
    /// Hidden width of the lifting MLP.
    pub lifting: usize,
    /// Hidden width of each projection MLP.
    pub projection: usize,
    /// Number of blocks of an FNO or SFNO; 0 for a UNO.
    pub layers: usize,
    /// Modes along each axis of an FNO in the paper's counting: `n` on a non-last axis, `n/2 + 1` kept on the last.
    /// SFNO: degrees, then twice the orders. Empty for a UNO.
    pub modes: Vec<usize>,
    /// The blocks of a UNO; empty for the others.
    pub levels: Vec<Level>,
    /// Rate of the dropout on hidden activations ("weight dropout" in the paper).
    pub dropout: f32,
    /// Rate of the dropout on spectral coefficients.
    pub fourier_dropout: f32,
    /// Networks of the same kind: several for an ensemble of networks, one for every other method.
    #[serde(default = "one_network")]
    pub networks: usize,
    /// What the last layer gives.
    #[serde(default = "Output::field")]
    pub output: Output,
    /// Hidden width of the pointwise MLP of each block, which then is a residual block; 0 for the published blocks.
    #[serde(default)]
    pub mlp: usize,
    /// Functional noise that the network takes beside its input: one channel for each length scale, given as the
    /// wavenumber beyond which it fades.
    #[serde(default)]
    pub noise: Vec<f32>,
    /// The worst observation that it was trained to begin with; the network then takes one channel more, which says how
    /// far each value of the input may be off. `None` for a network that takes its input for exact.
    #[serde(default)]
    pub observed: Option<Observation>,
}

/// What specifications from before the key stand for.
fn one_network() -> usize {
    1
}

impl ModelSpec {
    /// Number of spatial (and temporal) axes.
    pub fn dimensions(&self) -> usize {
        match self.levels.first() {
            Some(level) if self.operator == Operator::Uno => level.modes.len(),
            _ => self.modes.len(),
        }
    }

    /// Checks every value against its limits. Call it on anything that came from outside.
    pub fn validate(&self) -> Result<(), SpecError> {
        let channels = 1..=MAX_CHANNELS;
        in_range("in_channels", self.in_channels, &channels)?;
        in_range("out_channels", self.out_channels, &channels)?;
        in_range("width", self.width, &channels)?;
        in_range("lifting", self.lifting, &channels)?;
        in_range("projection", self.projection, &channels)?;
        in_range("mlp", self.mlp, &(0..=MAX_CHANNELS))?;
        match self.operator {
            Operator::Uno => self.validate_levels()?,
            Operator::Fno | Operator::Sfno => {
                in_range("layers", self.layers, &(1..=MAX_LAYERS))?;
                in_range("the number of levels", self.levels.len(), &(0..=0))?;
                validate_modes(&self.modes)?;
            }
        }
        if self.operator == Operator::Sfno {
            in_range("the number of axes in modes", self.modes.len(), &(2..=2))?;
            in_range("modes of the second axis", self.modes[1], &(2..=MAX_MODES))?;
        }
        for (field, rate) in [
            ("dropout", self.dropout),
            ("fourier_dropout", self.fourier_dropout),
        ] {
            if !(0.0..1.0).contains(&rate) {
                return Err(SpecError::Range {
                    field,
                    found: rate.to_string(),
                    wanted: "at least 0 and below 1".to_owned(),
                });
            }
        }
        let members = self.method.procedure().members;
        let networks = match members {
            Members::Networks => 2..=MAX_NETWORKS,
            Members::Passes
            | Members::Normals
            | Members::LastLayer
            | Members::Functions
            | Members::Inputs => 1..=1,
        };
        in_range("networks", self.networks, &networks)?;
        let channels = match members {
            Members::Functions => 1..=MAX_NOISE,
            _ => 0..=0,
        };
        in_range("channels of functional noise", self.noise.len(), &channels)?;
        if let Some(scale) = self.noise.iter().find(|scale| !NOISE.contains(*scale)) {
            return Err(SpecError::Range {
                field: "a wavenumber of the noise",
                found: scale.to_string(),
                wanted: format!("{} to {}", NOISE.start(), NOISE.end()),
            });
        }
        if let Some(observed) = &self.observed {
            observed.validate()?;
        }
        // Of all networks, and with a posterior, where there is one: this is what bounds the size of a file.
        let alone = Demand {
            parameters: self.stored_count(),
            ..Demand::default()
        };
        alone.check(&Limits::HERE)
    }

    fn validate_levels(&self) -> Result<(), SpecError> {
        in_range("the number of levels", self.levels.len(), &(1..=MAX_LEVELS))?;
        in_range("layers of a uno (it has levels)", self.layers, &(0..=0))?;
        let modes = self.modes.len();
        in_range("axes in modes of a uno (it has levels)", modes, &(0..=0))?;
        let axes = self.dimensions();
        for level in &self.levels {
            in_range("width of a level", level.width, &(1..=MAX_CHANNELS))?;
            validate_modes(&level.modes)?;
            let same = axes..=axes;
            in_range("the number of axes in modes", level.modes.len(), &same)?;
            in_range("the number of axes in scale", level.scale.len(), &same)?;
            if let Some(scale) = level.scale.iter().find(|s| !SCALES.contains(*s)) {
                return Err(SpecError::Range {
                    field: "scale of a level",
                    found: scale.to_string(),
                    wanted: format!("{} to {}", SCALES.start(), SCALES.end()),
                });
            }
        }
        Ok(())
    }
}

fn validate_modes(modes: &[usize]) -> Result<(), SpecError> {
    let axes = 1..=MAX_DIMENSIONS;
    in_range("the number of axes in modes", modes.len(), &axes)?;
    modes
        .iter()
        .try_for_each(|&n| in_range("modes", n, &(1..=MAX_MODES)))
}

fn in_range(
    field: &'static str,
    found: usize,
    range: &RangeInclusive<usize>,
) -> Result<(), SpecError> {
    if range.contains(&found) {
        return Ok(());
    }
    let (first, last) = (range.start(), range.end());
    Err(SpecError::Range {
        field,
        found: found.to_string(),
        wanted: if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_ones_are_told() {
        for method in Method::ALL {
            assert_eq!(method.name().parse(), Ok(*method));
        }
        let message = "pno-x".parse::<Method>().unwrap_err().to_string();
        assert!(
            message.contains("`pno-x`") && message.contains("pno-d"),
            "{message}"
        );
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let good = ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO");
        let refused = |change: fn(&mut ModelSpec)| {
            let mut spec = good.clone();
            change(&mut spec);
            spec.validate().unwrap_err().to_string()
        };
        assert!(refused(|s| s.width = 0).contains("width is 0"));
        assert!(refused(|s| s.modes = vec![]).contains("axes"));
        assert!(refused(|s| s.modes = vec![4096, 4096, 4096]).contains("parameters"));
        assert!(refused(|s| s.dropout = f32::NAN).contains("dropout is NaN"));
        assert!(refused(|s| s.dropout = 1.0).contains("below 1"));
        assert!(refused(|s| s.operator = Operator::Uno).contains("levels"));
        assert!(refused(|s| s.networks = 5).contains("networks is 5, but must be 1"));
        let ensemble = |n| (Method::Ensemble, n);
        for n in [0, 1, MAX_NETWORKS + 1, usize::MAX] {
            let mut spec = good.clone();
            (spec.method, spec.networks) = ensemble(n);
            let message = spec.validate().unwrap_err().to_string();
            assert!(message.ends_with("but must be 2 to 64"), "{message}");
        }
        let mut spec = good.clone();
        (spec.method, spec.networks) = ensemble(64);
        spec.validate().expect("64 small networks");
        spec.modes = vec![64, 64];
        let message = spec.validate().unwrap_err().to_string();
        assert!(message.contains("the number of parameters"), "{message}");
        assert!(
            refused(|s| (s.operator, s.modes) = (Operator::Sfno, vec![8, 8, 8])).contains("axes")
        );
        assert!(
            refused(|s| (s.operator, s.modes) = (Operator::Sfno, vec![8, 1])).contains("second")
        );
    }

    #[test]
    fn a_uno_with_a_wrong_level_is_refused() {
        let profile = Profile::Fixed;
        let good = ModelSpec::paper(Experiment::Ks, Operator::Uno, Method::PnoD, profile);
        let good = good.expect("a UNO");
        good.validate().expect("valid");
        let refused = |change: fn(&mut ModelSpec)| {
            let mut spec = good.clone();
            change(&mut spec);
            spec.validate().unwrap_err().to_string()
        };
        assert!(refused(|s| s.layers = 4).contains("layers of a uno"));
        assert!(refused(|s| s.modes = vec![3, 3]).contains("modes of a uno"));
        assert!(refused(|s| s.levels.clear()).contains("levels is 0"));
        assert!(refused(|s| s.levels[2].scale = vec![1.0]).contains("axes in scale"));
        assert!(refused(|s| s.levels[2].scale[1] = f64::NAN).contains("scale of a level"));
        assert!(refused(|s| s.levels[2].modes = vec![4]).contains("axes in modes"));
        assert!(refused(|s| s.levels[6].width = 0).contains("width of a level"));
        assert!(refused(|s| s.operator = Operator::Fno).contains("layers is 0"));
    }
}
