//! One step of the Kuramoto-Sivashinsky equation.

use super::{Generator, Row, ks};

pub(super) const ROW: Row = Row {
    text: include_str!("../../../experiments/ks-step.toml"),
    generator: Some(Generator {
        samples: "trajectories",
        flags: &["--grid"],
        source: |recipe, _| Ok(Box::new(ks::trajectories(recipe, "ks-step")?.in_steps())),
    }),
};
