//! `pno train --list`: what can be trained by name, with its numbers.

use std::fmt::Write;

use anyhow::Result;
use pno::spec::{Experiment, Method};

use super::choose::listed;
use crate::data::Size;
use crate::experiments;
use crate::train::settings::Settings;

const METHODS: [Method; 4] = [Method::PnoD, Method::PnoR, Method::Mcd, Method::Det];
/// Titles of the columns of [`numbers`].
pub const TITLES: [&str; 11] = [
    "experiment",
    "operator",
    "method",
    "size",
    "parameters",
    "batch",
    "rate",
    "schedule",
    "epochs",
    "dropout",
    "seeds",
];
/// Columns of numbers, which end where their titles end.
const NUMBERS: [usize; 6] = [4, 5, 6, 8, 9, 10];

/// The table, of all experiments or of one, and below it the variants and sizes.
pub fn text(only: Option<Experiment>) -> Result<String> {
    let experiments = Experiment::ALL
        .iter()
        .copied()
        .filter(|experiment| only.is_none_or(|only| only == *experiment));
    let (mut rows, mut notes) = (vec![TITLES.map(str::to_owned)], String::new());
    for experiment in experiments {
        for size in Size::ALL {
            let recipe = experiments::recipe(experiment, size, &[])?;
            let _ = writeln!(notes, "{experiment} --size {size}: {}", recipe.about);
            for data in recipe.data.iter().chain(&recipe.rollout) {
                let _ = writeln!(notes, "    pno {}", data.command(experiment).join(" "));
            }
            rows.extend(numbers(experiment, size)?);
        }
        for (name, about) in experiments::variants(experiment)? {
            let _ = writeln!(notes, "{experiment} --variant {name}: {about}");
        }
    }
    let table = if rows.len() > 1 {
        aligned(&rows)
    } else {
        String::new()
    };
    let fresh = match only {
        None => format!(
            " With --fresh, new trajectories in every epoch: {}.",
            experiments::named(|_| true)
        ),
        Some(_) => String::new(),
    };
    Ok(format!(
        "{table}\n{notes}\nUNOs with --profile paper; networks for an imported grid: as on the published one.\n\
         laplace is trained as det.{fresh} Every number: pno train EXPERIMENT --data DIR --size SIZE --method METHOD --dry-run"
    ))
}

/// The rows of one experiment at one size: every operator with every method that is trained.
pub fn numbers(experiment: Experiment, size: Size) -> Result<Vec<[String; 11]>> {
    let seeds = experiments::recipe(experiment, size, &[])?.seeds.len();
    let mut rows = vec![];
    for operator in experiments::operators(experiment)? {
        for method in METHODS {
            let settings = listed(experiment, operator, method, size)?;
            rows.push(row(&settings, size, seeds));
        }
    }
    Ok(rows)
}

fn row(settings: &Settings, size: Size, seeds: usize) -> [String; 11] {
    let Settings { model, train, .. } = settings;
    [
        model.experiment.to_string(),
        model.operator.to_string(),
        model.method.to_string(),
        size.to_string(),
        model.parameter_count().to_string(),
        train.batch.to_string(),
        format!("{:.0e}", train.learning_rate),
        format!("{:?}", train.schedule).to_lowercase(),
        train.epochs.to_string(),
        model.dropout.to_string(),
        seeds.to_string(),
    ]
}

fn aligned(rows: &[[String; 11]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..TITLES.len()).map(width).collect();
    let line = |row: &[String; 11]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| {
            if NUMBERS.contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}
