//! Shallow water on the sphere.

use super::{Generator, Row};
use crate::data::sources::{Sswe, SsweChoices};

pub(super) const ROW: Row = Row {
    text: include_str!("../../../experiments/sswe.toml"),
    generator: Some(Generator {
        samples: "trajectories",
        flags: &["--grid", "--frames", "--latitudes"],
        source: |recipe, unusual| {
            let grid = match recipe.grid[..] {
                [] => None,
                [n, m] => Some([n, m]),
                _ => return Err(recipe.wrong_grid("sswe", "LATxLON")),
            };
            let choices = SsweChoices {
                grid,
                latitudes: unusual.latitudes,
                frames: recipe.frames,
            };
            Ok(Box::new(Sswe::new(&recipe.generated(), choices)?))
        },
    }),
};
