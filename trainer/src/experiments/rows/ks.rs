//! The Kuramoto-Sivashinsky equation, twenty frames to the next twenty.

use anyhow::Result;

use super::{Generator, Row};
use crate::data::sources::Ks;
use crate::experiments::DataRecipe;

pub(super) const ROW: Row = Row {
    text: include_str!("../../../experiments/ks.toml"),
    generator: Some(Generator {
        samples: "trajectories",
        flags: &["--grid"],
        source: |recipe, _| Ok(Box::new(trajectories(recipe, "ks")?)),
    }),
};

/// The trajectories on the cells of a recipe.
pub(super) fn trajectories(recipe: &DataRecipe, experiment: &str) -> Result<Ks> {
    match recipe.grid[..] {
        [] => Ok(Ks::new(&recipe.generated())),
        [cells] => Ks::on_cells(&recipe.generated(), cells),
        _ => Err(recipe.wrong_grid(experiment, "N, cells of a frame")),
    }
}
