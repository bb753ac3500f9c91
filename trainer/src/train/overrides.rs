//! `--set section.key=value`: some values of anything that is made of sections of keys.

use std::str::FromStr;

use anyhow::{Context, Result};
use serde::{Serialize, de::DeserializeOwned};

/// One `--set key=value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    key: String,
    value: toml::Value,
}

impl FromStr for Override {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let (key, value) = s
            .split_once('=')
            .ok_or_else(|| format!("`{s}` is not of the form key=value"))?;
        let (key, value) = (key.trim().to_owned(), value.trim());
        let value = format!("v = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut table| table.remove("v"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        Ok(Self { key, value })
    }
}

/// Anything made of sections of keys, with some of its values replaced.
pub fn overridden<T: Serialize + DeserializeOwned>(
    sections: &T,
    overrides: &[Override],
) -> Result<T> {
    let mut table = toml::Table::try_from(sections).context("settings as a table")?;
    for Override { key, value } in overrides {
        let (section, name) = key.split_once('.').with_context(|| {
            format!("`--set {key}`: a key has the form section.name, for example train.batch")
        })?;
        let known: Vec<String> = table.keys().cloned().collect();
        let entry = table
            .get_mut(section)
            .and_then(toml::Value::as_table_mut)
            .with_context(|| {
                format!(
                    "`--set {key}`: no section `{section}`; sections are {}",
                    known.join(", ")
                )
            })?;
        let names: Vec<String> = entry.keys().cloned().collect();
        let slot = entry.get_mut(name).with_context(|| {
            format!(
                "`--set {key}`: no key `{name}` in `{section}`; keys are {}",
                names.join(", ")
            )
        })?;
        // A whole number is welcome where a fraction is meant.
        *slot = match (value, &*slot) {
            (toml::Value::Integer(i), toml::Value::Float(_)) => toml::Value::Float(*i as f64),
            _ => value.clone(),
        };
    }
    from_value(toml::Value::Table(table))
}

/// A value of a table, or a sentence that names the key.
pub fn from_value<T: DeserializeOwned>(value: toml::Value) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|e| {
        let message = e.inner().to_string();
        anyhow::anyhow!("setting `{}`: {}", e.path(), message.trim_end())
    })
}
