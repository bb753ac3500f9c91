//! A user's own file: choices in `[run]`, and values that lie over ours.
//!
//! ```toml
//! [run]
//! experiment = "ks"
//! method = "pno-r"
//! size = "small"
//!
//! [train]
//! epochs = 40
//! ```
//!
//! The `settings.toml` of a run is such a file too.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result};
use pno::spec::{Experiment, Method, Operator, Profile};
use serde::Deserialize;
use toml::{Table, Value};

use super::layer;
use crate::data::Size;
use crate::train::keys;
use crate::train::overrides::from_value;

/// What a file wishes for; flags go before.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wish {
    /// Of which experiment.
    pub experiment: Option<Experiment>,
    /// Which network.
    pub operator: Option<Operator>,
    /// How uncertainty is made.
    pub method: Option<Method>,
    /// As it should be, or as it was published.
    pub profile: Option<Profile>,
    /// How large.
    pub size: Option<Size>,
    /// Named changes.
    pub variants: Vec<String>,
    /// The model to begin with.
    pub from: Option<String>,
}

/// A user's file.
#[derive(Debug, Clone, Default)]
pub struct Own {
    /// What it wishes for.
    pub wish: Wish,
    /// Its layers.
    pub layers: Table,
}

impl Own {
    /// Reads a file; every key in it must mean something.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the settings in {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    /// From the text of a file.
    pub fn parse(text: &str) -> Result<Self> {
        let mut layers: Table = text.parse()?;
        let mut wish = match layers.remove("run") {
            Some(run) => {
                let known: Vec<String> = keys::fields_of::<Wish>()
                    .iter()
                    .map(|key| format!("run.{key}"))
                    .collect();
                for key in run.as_table().into_iter().flat_map(Table::keys) {
                    keys::check("key", &format!("run.{key}"), &known)?;
                }
                from_value::<Wish>(run)?
            }
            None => Wish::default(),
        };
        layer::check_layer(&layers)?;
        // A run's own settings say in `model` what it was; here that is a wish like any other.
        if let Some(model) = layers.get_mut("model").and_then(Value::as_table_mut) {
            wish.experiment = wish.experiment.or(chosen(model, "experiment")?);
            wish.operator = wish.operator.or(chosen(model, "operator")?);
            wish.method = wish.method.or(chosen(model, "method")?);
            wish.profile = wish.profile.or(chosen(model, "profile")?);
        }
        Ok(Self { wish, layers })
    }
}

/// Takes a name out of a table.
fn chosen<T: FromStr>(model: &mut Table, key: &str) -> Result<Option<T>>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let Some(value) = model.remove(key) else {
        return Ok(None);
    };
    let name = value.as_str().unwrap_or_default();
    let name = name.parse().with_context(|| format!("`model.{key}`"))?;
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_wants_and_what_it_changes() {
        let own = Own::parse(
            "[run]\nexperiment = \"ks\"\nsize = \"small\"\nvariants = [\"full-spectrum\"]\n[train]\nepochs = 40\n[method.pno-r.model]\ndropout = 0.3",
        )
        .expect("a file");
        assert_eq!(own.wish.experiment, Some(Experiment::Ks));
        assert_eq!(own.wish.size, Some(Size::Small));
        assert_eq!(own.wish.variants, ["full-spectrum"]);
        assert!(!own.layers.contains_key("run"));
        assert_eq!(own.layers["train"]["epochs"].as_integer(), Some(40));
    }

    #[test]
    fn what_a_run_was_is_a_wish_and_no_value() {
        let own = Own::parse("[model]\nmethod = \"det\"\noperator = \"uno\"\nwidth = 8");
        let own = own.expect("a file");
        assert_eq!(own.wish.method, Some(Method::Det));
        assert_eq!(own.wish.operator, Some(Operator::Uno));
        assert_eq!(own.layers["model"].as_table().map(Table::len), Some(1));
    }

    #[test]
    fn a_slip_in_a_file_is_told_what_was_meant() {
        let refused = |text: &str| format!("{:#}", Own::parse(text).expect_err(text));
        assert_eq!(
            refused("[train]\nlerning_rate = 1e-3"),
            "unknown setting `train.lerning_rate`, did you mean `train.learning_rate`?"
        );
        assert!(refused("[method.pno-d.train]\nepoch = 3").contains("`train.epochs`"));
        assert!(refused("[method.pno-q.train]\nepochs = 3").contains("did you mean `pno-"));
        assert!(refused("[trian]\nepochs = 3").contains("did you mean `train`"));
        assert!(refused("[run]\nmethd = \"det\"").contains("did you mean `run.method`"));
        assert!(refused("train = 3").contains("a table is wanted"));
        assert!(refused("[model]\nmethod = \"pno-x\"").contains("`pno-x`"));
    }
}
