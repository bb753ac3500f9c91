//! What the paper trained, and what two cores can: every experiment in a file of `trainer/experiments/`.
//!
//! | file | what is there |
//! |---|---|
//! | `rows` | the table of experiments: a row and a file for each |
//! | `layer` | how the tables of a file are laid over each other |
//! | `recipe` | data sets and seeds of an experiment at some size |
//! | `like` | more trajectories of the kind of a data set |
//! | `own` | a user's file over ours |

use anyhow::{Context, Result, bail};
use pno::spec::{Experiment, Method, Operator, Profile};
use pno::task::Task;
use toml::{Table, Value};

mod layer;
mod like;
mod own;
mod recipe;
mod rows;
#[cfg(test)]
mod tests;

pub use layer::known_settings;
pub use like::fresh;
pub use own::{Own, Wish};
pub use recipe::{DataRecipe, Recipe};
pub use rows::{Generator, Unusual, named, row};

use crate::data::Size;
use crate::train::keys;

/// What a file is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// Of which experiment.
    pub experiment: Experiment,
    /// Which network.
    pub operator: Operator,
    /// How uncertainty is made.
    pub method: Method,
    /// As it should be, or as it was published.
    pub profile: Profile,
    /// How large.
    pub size: Size,
    /// Named changes, one over the other.
    pub variants: &'a [String],
    /// The grid, where a network has to suit it.
    pub task: Option<&'a Task>,
}

fn file(experiment: Experiment) -> Result<Table> {
    let file = rows::row(experiment).text.parse::<Table>();
    file.with_context(|| format!("the built-in file {experiment}.toml"))
}

/// Operators that an experiment has numbers for.
pub fn operators(experiment: Experiment) -> Result<Vec<Operator>> {
    let file = file(experiment)?;
    let named = file.get("operator").and_then(Value::as_table);
    let has = |operator: &&Operator| named.is_some_and(|table| table.contains_key(operator.name()));
    Ok(Operator::ALL.iter().filter(has).copied().collect())
}

/// Names and descriptions of the variants of an experiment.
pub fn variants(experiment: Experiment) -> Result<Vec<(String, String)>> {
    Ok(layer::variants(&file(experiment)?))
}

/// Whether an experiment has a variant, in our file or in a user's own.
pub fn has_variant(experiment: Experiment, own: Option<&Table>, name: &str) -> Result<bool> {
    let ours = variants(experiment)?;
    let own = own.map(layer::variants).unwrap_or_default();
    Ok(ours.iter().chain(&own).any(|(known, _)| known == name))
}

/// All values of a choice, with a user's file over ours.
///
/// The tables are `model` and `train` as in `settings.toml`, and what a [`Recipe`] is made of.
pub fn table(choice: &Choice<'_>, own: Option<&Table>) -> Result<Table> {
    let Choice {
        experiment,
        operator,
        ..
    } = *choice;
    let file = file(experiment)?;
    let named = |kind: &str, name: &str| {
        let tables = [Some(&file), own].into_iter().flatten();
        let mut tables = tables.filter_map(|file| file.get(kind)?.as_table());
        tables.any(|table| table.contains_key(name))
    };
    if file.contains_key("operator") && !named("operator", operator.name()) {
        bail!("the paper has no `{operator}` for `{experiment}`");
    }
    let mut known = layer::variants(&file);
    known.extend(own.map(layer::variants).unwrap_or_default());
    let known: Vec<String> = known.into_iter().map(|(name, _)| name).collect();
    for variant in choice.variants {
        if known.is_empty() {
            bail!("unknown variant `{variant}`: `{experiment}` has no variants");
        }
        keys::check(&format!("variant of {experiment}"), variant, &known)?;
    }
    let mut table = base(choice);
    layer::apply(&file, choice, &mut table)?;
    if let Some(own) = own {
        layer::apply(own, choice, &mut table)?;
    }
    Ok(table)
}

/// What follows from the choice itself.
fn base(choice: &Choice<'_>) -> Table {
    let mut model = Table::new();
    for (key, name) in [
        ("experiment", choice.experiment.name()),
        ("method", choice.method.name()),
        ("operator", choice.operator.name()),
        ("profile", choice.profile.name()),
    ] {
        model.insert(key.into(), name.into());
    }
    model.insert("networks".into(), (choice.method.networks() as i64).into());
    let mut train = Table::new();
    train.insert("rollout".into(), choice.profile.rollout().name().into());
    let mut base = Table::new();
    base.insert("model".into(), Value::Table(model));
    base.insert("train".into(), Value::Table(train));
    if choice.method == Method::Laplace {
        let mut laplace = Table::new();
        laplace.insert("profile".into(), choice.profile.name().into());
        laplace.insert("noise".into(), true.into());
        base.insert("laplace".into(), Value::Table(laplace));
    }
    base
}

/// Data sets, seeds and epochs of an experiment at some size, with named changes.
pub fn recipe(experiment: Experiment, size: Size, variants: &[String]) -> Result<Recipe> {
    Recipe::new(experiment, size, variants)
}
