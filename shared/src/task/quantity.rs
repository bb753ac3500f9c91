//! Physical quantities and their scale.

use serde::{Deserialize, Serialize};

use super::Mask;

/// `physical = mean + std * normalised`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Normalisation {
    /// Mean that is subtracted.
    pub mean: f64,
    /// Standard deviation that is divided by.
    pub std: f64,
}

impl Normalisation {
    /// Leaves values as they are.
    pub const NONE: Self = Self {
        mean: 0.0,
        std: 1.0,
    };

    /// Network units from physical units.
    pub fn normalise(&self, value: f32) -> f32 {
        ((f64::from(value) - self.mean) / self.std) as f32
    }

    /// Physical units from network units.
    pub fn restore(&self, value: f32) -> f32 {
        (f64::from(value) * self.std + self.mean) as f32
    }
}

/// One field that a model takes or gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// Name as in the data set (`u`, `vorticity`).
    pub name: String,
    /// Unit (empty for model units).
    pub unit: String,
    /// Scale between physical and network units.
    pub normalisation: Normalisation,
    /// Points at which it never has a value.
    #[serde(default)]
    pub mask: Option<Mask>,
    /// Standard deviation of its change over one step of the forecast, where that is known and it is forecast from itself.
    #[serde(default)]
    pub increment: Option<f64>,
}

impl Quantity {
    /// A quantity from its parts.
    pub fn new(name: &str, unit: &str, normalisation: Normalisation) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            normalisation,
            mask: None,
            increment: None,
        }
    }

    /// Whether it never has a value at a point of its grid.
    pub fn is_masked(&self, point: usize) -> bool {
        self.mask.as_ref().is_some_and(|mask| mask.is_masked(point))
    }
}
