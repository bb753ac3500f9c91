//! What a NaN means, and how numbers that JSON does not have are written.
//!
//! | number | where there always is one | where nothing says that it was not asked for |
//! |---|---|---|
//! | NaN | null | the text "NaN" |
//! | infinity | the text "Infinity" or "-Infinity" | the same |
//!
//! Where nobody reads, as in messages between programs, they are themselves.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Serialize};

/// What happens where the truth or a member is NaN.
///
/// An infinite value is none that is missing: it is never left out, and the numbers that it takes part in are infinite, or
/// NaN where infinities are subtracted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NanPolicy {
    /// Every number that a NaN takes part in is NaN: a broken forecast is never scored by its unbroken part.
    #[default]
    Propagate,
    /// Values where the **truth** is NaN (land in an ocean model, a missing observation) are left out and counted. A
    /// NaN of a member at any other value is still a broken forecast.
    Skip,
}

/// A number in text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(Cow<'static, str>),
}

impl Written {
    /// A number, by its word where it has one and a person may read it.
    fn new(value: f64, is_text: bool) -> Self {
        let word = match value {
            v if v.is_nan() => "NaN",
            v if v.is_infinite() && v > 0.0 => "Infinity",
            v if v.is_infinite() => "-Infinity",
            _ => return Self::Number(value),
        };
        if is_text {
            Self::Word(word.into())
        } else {
            Self::Number(value)
        }
    }

    fn read<E: Error>(self) -> Result<f64, E> {
        let word = match self {
            Self::Number(value) => return Ok(value),
            Self::Word(word) => word,
        };
        match word.as_ref() {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            other => {
                let other: String = other.chars().take(20).collect();
                Err(E::custom(format!(
                    "a score is {other:?}, but must be a number, \"NaN\", \"Infinity\" or \"-Infinity\""
                )))
            }
        }
    }
}

/// Lists whose NaNs are nothing.
pub(crate) mod nans_as_null {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Written;

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        let is_text = serializer.is_human_readable();
        let written = |&value: &f64| (!value.is_nan()).then(|| Written::new(value, is_text));
        serializer.collect_seq(values.iter().map(written))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        if !deserializer.is_human_readable() {
            let values: Vec<Option<f64>> = Vec::deserialize(deserializer)?;
            return Ok(values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect());
        }
        let values: Vec<Option<Written>> = Vec::deserialize(deserializer)?;
        let read = |value: Option<Written>| value.map_or(Ok(f64::NAN), Written::read);
        values.into_iter().map(read).collect()
    }
}

/// A NaN as nothing.
pub(crate) mod nan_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Written;

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it so; on wasm32 a number is no smaller than a reference"
    )]
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let is_text = serializer.is_human_readable();
        let written = (!value.is_nan()).then(|| Written::new(*value, is_text));
        written.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        if !deserializer.is_human_readable() {
            return Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN));
        }
        Option::<Written>::deserialize(deserializer)?.map_or(Ok(f64::NAN), Written::read)
    }
}

/// A number that may not have been asked for: its NaN is a word, because nothing says something else.
pub(crate) mod asked_nan_as_text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Written;

    #[allow(clippy::ref_option, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        let is_text = serializer.is_human_readable();
        value
            .map(|value| Written::new(value, is_text))
            .serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        if !deserializer.is_human_readable() {
            return Option::deserialize(deserializer);
        }
        Option::<Written>::deserialize(deserializer)?
            .map(Written::read)
            .transpose()
    }
}
