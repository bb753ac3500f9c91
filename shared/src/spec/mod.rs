//! What a model is: experiment, method, architecture. Validated, serialisable, with the parameter count in closed form.
//!
//! A [`ModelSpec`] fixes every tensor's name and shape ([`ModelSpec::tensors`]), so a checkpoint can never choose its own.

use serde::{Deserialize, Serialize};
use thiserror::Error;

mod names;

pub use names::{Experiment, Method, Operator, Profile};

/// Largest number of real scalars a model may have: far above the paper's 5.8 million, far below what hurts a browser.
pub const MAX_PARAMETERS: usize = 64 << 20;
/// Largest width, hidden width or channel count of any layer.
pub const MAX_CHANNELS: usize = 4096;
/// Largest number of spectral blocks.
pub const MAX_LAYERS: usize = 64;
/// Largest number of modes along one axis.
pub const MAX_MODES: usize = 4096;
/// Most axes a grid may have.
pub const MAX_DIMENSIONS: usize = 3;

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
    /// Channels of the input, coordinates included.
    pub in_channels: usize,
    /// Channels of the output.
    pub out_channels: usize,
    /// Channels inside the blocks.
    pub width: usize,
    /// Hidden width of the lifting MLP.
    pub lifting: usize,
    /// Hidden width of each projection MLP.
    pub projection: usize,
    /// Number of blocks.
    pub layers: usize,
    /// Modes along each axis, in the paper's counting: `n` on a non-last axis, `n/2 + 1` kept on the last.
    pub modes: Vec<usize>,
    /// Rate of the dropout on hidden activations ("weight dropout" in the paper).
    pub dropout: f32,
    /// Rate of the dropout on spectral coefficients.
    pub fourier_dropout: f32,
}

/// Name and shape of one tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorSpec {
    /// Dotted name, for example `blocks.2.skip.weight`.
    pub name: String,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
}

impl TensorSpec {
    fn new(name: impl Into<String>, shape: &[usize]) -> Self {
        Self {
            name: name.into(),
            shape: shape.to_vec(),
        }
    }

    /// Number of scalars.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no scalars (never, for a validated specification).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ModelSpec {
    /// The FNO of the paper for an experiment, with the dropout rate the authors tuned for the method.
    ///
    /// `None` for experiments whose published network is not an FNO.
    pub fn paper_fno(experiment: Experiment, method: Method) -> Option<Self> {
        let (in_channels, width, hidden, modes) = match experiment {
            Experiment::Darcy => (3, 32, 256, vec![12, 12]),
            Experiment::Ks => (3, 20, 128, vec![10, 12]),
            Experiment::Era5 => (4, 20, 128, vec![10, 12, 12]),
            Experiment::Sswe => return None,
        };
        let dropout = match (experiment, method) {
            (_, Method::PnoD) => 0.2,
            (Experiment::Darcy, Method::PnoR) => 0.01,
            (_, Method::PnoR) => 0.1,
            (Experiment::Darcy, _) => 0.02,
            (_, Method::Mcd) => 0.05,
            (_, Method::Det | Method::Laplace) => 0.01,
        };
        Some(Self {
            experiment,
            method,
            operator: Operator::Fno,
            in_channels,
            out_channels: 1,
            width,
            lifting: hidden,
            projection: hidden,
            layers: 4,
            modes,
            dropout,
            fourier_dropout: dropout,
        })
    }

    /// Number of spatial (and temporal) axes.
    pub fn dimensions(&self) -> usize {
        self.modes.len()
    }

    /// Kept frequencies along each axis: `n`, and `n/2 + 1` on the last (real) axis.
    pub fn kept_modes(&self) -> Vec<usize> {
        let last = self.modes.len().saturating_sub(1);
        self.modes
            .iter()
            .enumerate()
            .map(|(axis, &n)| if axis == last { n / 2 + 1 } else { n })
            .collect()
    }

    /// Every tensor of the model, in file order. The spectral weight of a block is two real tensors
    /// `[mode, in, out]`, modes in ascending signed frequency, last axis fastest.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let (w, modes) = (self.width, self.kept_modes().iter().product());
        let mut out = mlp("lifting", self.in_channels, self.lifting, w);
        for i in 0..self.layers {
            for part in ["real", "imag"] {
                out.push(TensorSpec::new(
                    format!("blocks.{i}.spectral.{part}"),
                    &[modes, w, w],
                ));
            }
            out.push(TensorSpec::new(format!("blocks.{i}.spectral.bias"), &[w]));
            out.push(TensorSpec::new(format!("blocks.{i}.skip.weight"), &[w, w]));
        }
        out.extend(mlp("projection", w, self.projection, self.out_channels));
        if self.method.has_spread_head() {
            out.extend(mlp("spread", w, self.projection, self.out_channels));
        }
        out
    }

    /// Number of real scalars, in closed form: lifting, blocks (complex weights count twice), heads.
    pub fn parameter_count(&self) -> usize {
        let (w, h, p) = (self.width, self.lifting, self.projection);
        let modes: usize = self.kept_modes().iter().product();
        let head = (w + 1) * p + (p + 1) * self.out_channels;
        let heads = if self.method.has_spread_head() { 2 } else { 1 };
        (self.in_channels + 1) * h
            + (h + 1) * w
            + self.layers * (2 * w * w * modes + w + w * w)
            + heads * head
    }

    /// Checks every value against its limits. Call it on anything that came from outside.
    pub fn validate(&self) -> Result<(), SpecError> {
        let channels = 1..=MAX_CHANNELS;
        for (field, value, range) in [
            ("in_channels", self.in_channels, channels.clone()),
            ("out_channels", self.out_channels, channels.clone()),
            ("width", self.width, channels.clone()),
            ("lifting", self.lifting, channels.clone()),
            ("projection", self.projection, channels),
            ("layers", self.layers, 1..=MAX_LAYERS),
            (
                "the number of axes in modes",
                self.modes.len(),
                1..=MAX_DIMENSIONS,
            ),
        ] {
            if !range.contains(&value) {
                return Err(SpecError::Range {
                    field,
                    found: value.to_string(),
                    wanted: format!("{} to {}", range.start(), range.end()),
                });
            }
        }
        if let Some(n) = self.modes.iter().find(|n| !(1..=MAX_MODES).contains(*n)) {
            return Err(SpecError::Range {
                field: "modes",
                found: n.to_string(),
                wanted: format!("1 to {MAX_MODES} on each axis"),
            });
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
        if self.operator != Operator::Fno {
            return Err(SpecError::Unknown {
                kind: "operator",
                found: self.operator.to_string(),
                known: "fno (uno and sfno are not built yet)",
            });
        }
        // Each factor is at most 2^12 and at most six of them meet, so u128 cannot overflow.
        let modes: u128 = self.kept_modes().iter().map(|&k| k as u128).product();
        let spectral = 2 * modes * (self.width as u128).pow(2) * self.layers as u128;
        if spectral > MAX_PARAMETERS as u128 || self.parameter_count() > MAX_PARAMETERS {
            return Err(SpecError::Range {
                field: "the number of parameters",
                found: spectral.to_string(),
                wanted: format!("at most {MAX_PARAMETERS}"),
            });
        }
        Ok(())
    }
}

fn mlp(name: &str, input: usize, hidden: usize, output: usize) -> Vec<TensorSpec> {
    vec![
        TensorSpec::new(format!("{name}.hidden.weight"), &[input, hidden]),
        TensorSpec::new(format!("{name}.hidden.bias"), &[hidden]),
        TensorSpec::new(format!("{name}.output.weight"), &[hidden, output]),
        TensorSpec::new(format!("{name}.output.bias"), &[output]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_counts_are_the_published_ones() {
        for (experiment, method, count) in [
            (Experiment::Darcy, Method::PnoD, 710_305),
            (Experiment::Darcy, Method::PnoR, 719_010),
            (Experiment::Ks, Method::PnoD, 231_589),
            (Experiment::Ks, Method::PnoR, 234_406),
            (Experiment::Era5, Method::Det, 2_695_717),
            (Experiment::Era5, Method::PnoR, 2_698_534),
        ] {
            let spec = ModelSpec::paper_fno(experiment, method).expect("an FNO");
            spec.validate().expect("valid");
            assert_eq!(spec.parameter_count(), count, "{experiment} {method}");
            let by_tensor: usize = spec.tensors().iter().map(TensorSpec::len).sum();
            assert_eq!(by_tensor, count, "{experiment} {method}: tensor table");
        }
    }

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
    }
}
