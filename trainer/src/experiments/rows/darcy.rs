//! Darcy flow.

use pno::pde::darcy::Law;

use super::{Generator, Row};
use crate::data::sources::Darcy;

pub(super) const ROW: Row = Row {
    text: include_str!("../../../experiments/darcy.toml"),
    generator: Some(Generator {
        samples: "samples",
        flags: &["--law", "--grid"],
        source: |recipe, unusual| {
            let points = match recipe.grid[..] {
                [] => None,
                [n] => Some(n),
                [n, m] if n == m => Some(n),
                _ => return Err(recipe.wrong_grid("darcy", "N, points along each axis")),
            };
            let law = unusual.law.unwrap_or(Law::Bumps);
            Ok(Box::new(Darcy::new(&recipe.generated(), law, points)?))
        },
    }),
};
