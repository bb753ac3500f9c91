//! Several deterministic models become one: a deep ensemble.

use anyhow::{Context, Result, bail, ensure};
use pno::checkpoint::{Checkpoint, Provenance};
use pno::spec::Method;

use crate::train::date;

/// Puts models with these names together. They must be of method `det`, of one specification and task, and differ in
/// their weights; a sentence names the first that is not.
pub fn assemble(models: &[(String, Checkpoint)]) -> Result<Checkpoint> {
    let [(first_name, first), others @ ..] = models else {
        bail!("an ensemble needs at least two models");
    };
    ensure!(
        !others.is_empty(),
        "an ensemble needs at least two models, but {first_name} is the only one"
    );
    for (name, model) in models {
        let method = model.header.spec.method;
        ensure!(
            method == Method::Det,
            "{name} is of method `{method}`, but an ensemble is made of models of method `det`"
        );
    }
    for (name, model) in others {
        for (part, found, wanted) in [
            (
                "model",
                toml::Table::try_from(&model.header.spec),
                toml::Table::try_from(&first.header.spec),
            ),
            (
                "task",
                toml::Table::try_from(&model.header.task),
                toml::Table::try_from(&first.header.task),
            ),
        ] {
            let (found, wanted) = (
                found.context("a header as a table")?,
                wanted.context("a header as a table")?,
            );
            let differs = wanted.iter().find(|(key, v)| found.get(*key) != Some(*v));
            if let Some((key, wanted)) = differs {
                let found = found.get(key).map(short).unwrap_or_default();
                bail!(
                    "{name} cannot be in an ensemble with {first_name}: its {part}.{key} is {found}, but must be {}",
                    short(wanted)
                );
            }
        }
    }
    for (index, (name, model)) in models.iter().enumerate() {
        let same = |(_, other): &&(String, Checkpoint)| other.tensors == model.tensors;
        if let Some((before, _)) = models[..index].iter().find(same) {
            bail!("{name} and {before} are the same network, so their members would be alike");
        }
    }
    let alone: Vec<Checkpoint> = models.iter().map(|(_, model)| model.clone()).collect();
    let mut ensemble = Checkpoint::of_networks(&alone)?;
    ensemble.header.provenance = provenance(&alone).tidied();
    Ok(ensemble)
}

/// A value of a header for a sentence.
fn short(value: &toml::Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How the first was made, and the seeds of all.
fn provenance(models: &[Checkpoint]) -> Provenance {
    let made = |model: &Checkpoint| model.header.provenance.clone();
    let mut all = made(&models[0]);
    let seeds: Vec<String> = models.iter().map(|m| made(m).seed.to_string()).collect();
    for (key, value) in &mut all.settings {
        match key.as_str() {
            "model.method" => *value = format!("\"{}\"", Method::Ensemble),
            "model.networks" => *value = models.len().to_string(),
            _ => {}
        }
    }
    all.settings
        .push(("ensemble.seeds".into(), format!("[{}]", seeds.join(", "))));
    Provenance {
        command: crate::cli::command_line(),
        created: date::today(),
        version: env!("CARGO_PKG_VERSION").into(),
        epochs: models.iter().map(|m| made(m).epochs).max().unwrap_or(0),
        note: format!("deep ensemble of {} networks", models.len()),
        ..all
    }
}
