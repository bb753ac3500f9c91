//! What a NaN means.

use serde::{Deserialize, Serialize};

/// What happens where the truth or a member is NaN.
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

/// The same for lists.
pub(crate) mod nans_as_null {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|v| (!v.is_nan()).then_some(*v)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let values: Vec<Option<f64>> = Vec::deserialize(deserializer)?;
        Ok(values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect())
    }
}

/// A NaN as nothing: JSON has no NaN, and would not read back what it wrote in its place.
pub(crate) mod nan_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it so; on wasm32 a number is no smaller than a reference"
    )]
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        (!value.is_nan()).then_some(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}

/// The same where nothing means that a number was not asked for: in text a NaN is the word, elsewhere it is itself.
pub(crate) mod asked_nan_as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const NAN: &str = "NaN";

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }

    #[allow(clippy::ref_option, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(v) if v.is_nan() && serializer.is_human_readable() => {
                Some(NAN).serialize(serializer)
            }
            _ => value.serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        if !deserializer.is_human_readable() {
            return Option::deserialize(deserializer);
        }
        match Option::deserialize(deserializer)? {
            None => Ok(None),
            Some(Written::Number(value)) => Ok(Some(value)),
            Some(Written::Text(text)) if text == NAN => Ok(Some(f64::NAN)),
            Some(Written::Text(text)) => {
                let text: String = text.chars().take(20).collect();
                Err(D::Error::custom(format!(
                    "a score is {text:?}, but must be a number or \"NaN\""
                )))
            }
        }
    }
}
