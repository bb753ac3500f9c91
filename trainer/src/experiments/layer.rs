//! Settings in layers: a table of a file, and inside it tables that hold for some operator, method, size or variant only.
//!
//! ```toml
//! [train]
//! batch = 64                              # for all
//! [operator.uno.train]
//! batch = 32                              # for a UNO
//! [operator.uno.size.small.train]
//! batch = 16                              # for a small UNO
//! ```
//!
//! Inner tables lie over outer ones; side by side the order is operator, method, size, variant.

use anyhow::{Context, Result, bail};
use pno::spec::{Masks, Method, ModelSpec, Operator};
use toml::{Table, Value};

use super::Choice;
use super::recipe::DataRecipe;
use crate::data::Size;
use crate::laplace;
use crate::train::keys::{check, fields_of};
use crate::train::settings::TrainSettings;

/// Tables that hold for some choice, in the order in which they are laid over each other.
const CHOICES: [&str; 4] = ["operator", "method", "size", "variant"];
/// Tables of values, with the names of what can be in them.
const SECTIONS: [&str; 5] = ["model", "train", "laplace", "data", "rollout"];

fn fields(section: &str) -> &'static [&'static str] {
    match section {
        "model" => fields_of::<ModelSpec>(),
        "train" => fields_of::<TrainSettings>(),
        "laplace" => fields_of::<laplace::Options>(),
        _ => fields_of::<DataRecipe>(),
    }
}

/// Every setting of these sections, as `section.key`.
pub fn known_settings(sections: &[&str]) -> Vec<String> {
    let names = |section: &&str| {
        let section = (*section).to_owned();
        let keys = fields(&section).iter();
        keys.map(move |key| format!("{section}.{key}"))
    };
    sections.iter().flat_map(names).collect()
}

/// Refuses keys that mean nothing, here and in all inner tables.
pub fn check_layer(layer: &Table) -> Result<()> {
    let known: Vec<String> = CHOICES
        .iter()
        .chain(&SECTIONS)
        .chain(&["about", "network", "seeds"])
        .map(|&key| key.to_owned())
        .collect();
    for (key, value) in layer {
        let table = || {
            let is = value.type_str();
            let table = value.as_table();
            table.with_context(|| format!("`{key}` is of type {is}, but a table is wanted"))
        };
        if SECTIONS.contains(&key.as_str()) {
            let known = known_settings(&SECTIONS);
            for name in table()?.keys() {
                check("setting", &format!("{key}.{name}"), &known)?;
            }
        } else if CHOICES.contains(&key.as_str()) {
            for (name, inner) in table()? {
                check_name(key, name)?;
                let inner = inner.as_table();
                let inner = inner.with_context(|| format!("`{key}.{name}` must be a table"))?;
                check_layer(inner)?;
            }
        } else {
            check("key", key, &known)?;
        }
    }
    Ok(())
}

fn check_name(kind: &str, name: &str) -> Result<()> {
    let known: Vec<String> = match kind {
        "operator" => Operator::ALL.iter().map(ToString::to_string).collect(),
        "method" => Method::ALL.iter().map(ToString::to_string).collect(),
        "size" => Size::ALL.iter().map(ToString::to_string).collect(),
        _ => return Ok(()),
    };
    check(kind, name, &known)
}

/// Lays a table over what is there: `onto` has the sections, and beside them `seeds` and `about`.
pub fn apply(layer: &Table, choice: &Choice<'_>, onto: &mut Table) -> Result<()> {
    match layer.get("network").map(|name| name.as_str()) {
        None | Some(Some("published")) => {}
        // For another operator than suits the grid there is only the published network.
        Some(Some("general")) => {
            let general = choice
                .task
                .map(|task| ModelSpec::for_task(choice.experiment, choice.method, task))
                .filter(|general| general.operator == choice.operator);
            if let Some(general) = general {
                let general = Table::try_from(general).context("a network as a table")?;
                onto.insert("model".into(), Value::Table(general));
            }
        }
        Some(_) => bail!("`network` must be \"published\" or \"general\""),
    }
    for (key, value) in layer {
        match value {
            Value::Table(values) if SECTIONS.contains(&key.as_str()) => {
                let section = onto
                    .entry(key.clone())
                    .or_insert_with(|| Value::Table(Table::new()));
                if let Value::Table(section) = section {
                    section.extend(values.clone());
                }
            }
            value if ["seeds", "about"].contains(&key.as_str()) => {
                onto.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    let inner = |kind: &str, name: &str| layer.get(kind)?.as_table()?.get(name)?.as_table();
    let method = method_table(layer, choice.method);
    let chosen = [
        inner("operator", choice.operator.name()),
        method,
        inner("size", choice.size.name()),
    ];
    for inner in chosen.into_iter().flatten() {
        apply(inner, choice, onto)?;
    }
    for variant in choice.variants {
        if let Some(inner) = inner("variant", variant) {
            apply(inner, choice, onto)?;
        }
    }
    Ok(())
}

/// The table of a method. What is made of deterministic networks is trained as they are.
fn method_table(layer: &Table, method: Method) -> Option<&Table> {
    let methods = layer.get("method")?.as_table()?;
    let deterministic = method.procedure().training == Masks::PerCase && !method.has_spread_head();
    let own = methods.get(method.name());
    let table = own.or_else(|| methods.get(Method::Det.name()).filter(|_| deterministic));
    table?.as_table()
}

/// Names and descriptions of all variants, in any of the inner tables.
pub fn variants(layer: &Table) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = vec![];
    for kind in CHOICES {
        for (name, inner) in layer
            .get(kind)
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
        {
            let Some(inner) = inner.as_table() else {
                continue;
            };
            if kind == "variant" {
                let about = inner.get("about").and_then(Value::as_str);
                all.push((name.clone(), about.unwrap_or_default().to_owned()));
            }
            all.extend(variants(inner));
        }
    }
    all.sort();
    // The description stands in one of the places only.
    all.dedup_by(|a, b| {
        let same = a.0 == b.0;
        if same && b.1.is_empty() {
            b.1.clone_from(&a.1);
        }
        same
    });
    all
}
