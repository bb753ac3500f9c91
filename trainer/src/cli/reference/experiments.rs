//! The catalogue: every experiment with its sizes, data, networks and variants, from the files of `trainer/experiments`.

use std::fmt::Write;

use anyhow::Result;
use pno::spec::Experiment;

use super::written_by;
use crate::cli::train::list::{TITLES, numbers};
use crate::data::Size;
use crate::experiments;

const OPENING: &str = "\
# Experiment catalogue

`pno train --list` prints the same numbers, and `pno train EXPERIMENT --data DIR --size SIZE --method METHOD --dry-run` every \
setting of one run.
The numbers stand in `trainer/experiments/*.toml`; [a file of your own](extend/experiment.md) lies over them.

Parameters are real scalars, and those of a UNO are of `--profile paper`.
`laplace` and `ensemble` are trained as `det`.
Dropout is the rate of hidden activations and of spectral coefficients alike.
";

/// Columns that the heading says already, or that are the same for all.
const LEFT_OUT: [&str; 2] = ["experiment", "size"];

/// The whole page.
pub fn page() -> Result<String> {
    let mut page = written_by("experiments");
    page.push_str(OPENING);
    for &experiment in Experiment::ALL {
        let _ = write!(page, "\n## {experiment}\n");
        for size in Size::ALL {
            section(&mut page, experiment, size)?;
        }
        let variants = experiments::variants(experiment)?;
        if variants.is_empty() {
            continue;
        }
        let _ = write!(page, "\n### {experiment}, variants\n\n");
        for (name, about) in variants {
            let _ = writeln!(page, "- `--variant {name}`: {about}");
        }
    }
    Ok(page)
}

fn section(page: &mut String, experiment: Experiment, size: Size) -> Result<()> {
    let recipe = experiments::recipe(experiment, size, &[])?;
    let _ = write!(page, "\n### {experiment}, {size}\n\n");
    if !recipe.about.is_empty() {
        let _ = write!(page, "{}.\n\n", capital(&recipe.about));
    }
    let mut commands = String::new();
    for (name, data) in [("", &recipe.data), ("-test", &recipe.rollout)] {
        if let Some(data) = data {
            let words = data.command(experiment).join(" ");
            let _ = writeln!(commands, "pno {words} --out data/{experiment}-{size}{name}");
        }
    }
    if !commands.is_empty() {
        // The smallest are made in the tests; the others take minutes on a busy machine.
        let reason = match size {
            Size::Demo => "",
            Size::Small | Size::Paper => ",takes-long",
        };
        let _ = write!(page, "```sh{reason}\n{commands}```\n\n");
    }
    let rows = numbers(experiment, size)?;
    if rows.is_empty() {
        page.push_str("The network is made for the grid of the data: see `--dry-run`.\n");
        return Ok(());
    }
    let kept = |cells: &[String]| {
        let cells = cells.iter().zip(TITLES);
        let cells = cells.filter(|(_, title)| !LEFT_OUT.contains(title));
        let cells: Vec<&str> = cells.map(|(cell, _)| cell.as_str()).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    page.push_str(&kept(&TITLES.map(str::to_owned)));
    let rule = "---|".repeat(TITLES.len() - LEFT_OUT.len());
    let _ = writeln!(page, "|{rule}");
    for row in rows {
        page.push_str(&kept(&row));
    }
    Ok(())
}

/// A description as a sentence begins.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_experiment_with_the_published_numbers() {
        let page = page().expect("a page");
        for experiment in Experiment::ALL {
            assert!(
                page.contains(&format!("\n## {experiment}\n")),
                "{experiment}"
            );
        }
        assert!(
            page.contains("| fno | pno-d | 231589 | 64 | 1e-3 | constant | 1000 | 0.2 | 9 |"),
            "{page}"
        );
        assert!(page.contains("- `--variant two-step`: "), "{page}");
    }
}
