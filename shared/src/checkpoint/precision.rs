//! How weights are stored.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::spec::SpecError;

/// Format of the weights in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// IEEE 754 single: exact, for going on with training.
    F32,
    /// IEEE 754 half: half the size, relative error at most 2^-11, for shipping.
    F16,
}

impl Precision {
    /// Every value, in file order.
    pub const ALL: &'static [Self] = &[Self::F32, Self::F16];

    /// The name used in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
        }
    }

    /// Bytes of one weight.
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Self, SpecError> {
        Self::ALL
            .iter()
            .copied()
            .find(|p| p.name() == s)
            .ok_or_else(|| SpecError::Unknown {
                kind: "precision",
                found: s.to_owned(),
                known: "f32, f16",
            })
    }
}
