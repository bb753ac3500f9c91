//! `--set section.key=value`: some values of anything that is made of sections of keys.

use std::str::FromStr;

use anyhow::{Context, Result};
use serde::{Serialize, de::DeserializeOwned};

use super::keys;
use crate::experiments::known_settings;

/// One `--set key=value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    key: String,
    value: toml::Value,
}

#[cfg(test)]
impl Override {
    /// A value for a key.
    pub fn new(key: &str, value: toml::Value) -> Self {
        let key = key.to_owned();
        Self { key, value }
    }
}

impl Override {
    /// `section.key`.
    pub fn key(&self) -> &str {
        &self.key
    }
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
    // Those that may be left out are known, too.
    let sections: Vec<&str> = table.keys().map(String::as_str).collect();
    let mut known = names(&table);
    known.extend(known_settings(&sections));
    for Override { key, value } in overrides {
        keys::check("setting", key, &known)?;
        let slot = key.split_once('.').and_then(|(section, name)| {
            let section = table.get_mut(section)?.as_table_mut()?;
            Some((section, name))
        });
        let (section, name) = slot.with_context(|| format!("unknown setting `{key}`"))?;
        // A whole number is welcome where a fraction is meant.
        let value = match (value, section.get(name)) {
            (toml::Value::Integer(i), Some(toml::Value::Float(_))) => toml::Value::Float(*i as f64),
            _ => value.clone(),
        };
        section.insert(name.to_owned(), value);
    }
    from_value(toml::Value::Table(table))
}

/// Every `section.key` of a table of sections.
fn names(table: &toml::Table) -> Vec<String> {
    let mut all = vec![];
    for (section, values) in table {
        let values = values.as_table().into_iter().flatten();
        all.extend(values.map(|(key, _)| format!("{section}.{key}")));
    }
    all
}

/// Refuses keys that no settings have, in a file of them.
pub fn check_sections(table: &toml::Table) -> Result<()> {
    let known = known_settings(&["model", "train", "laplace"]);
    names(table)
        .iter()
        .try_for_each(|key| keys::check("setting", key, &known))
}

/// A value of a table, or a sentence that names the key.
pub fn from_value<T: DeserializeOwned>(value: toml::Value) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|e| {
        let message = e.inner().to_string();
        anyhow::anyhow!("setting `{}`: {}", e.path(), message.trim_end())
    })
}
