//! What the program knows of an experiment besides the numbers in its file: a row for each, in a file of its own.

use anyhow::Result;
use pno::pde::darcy::Law;
use pno::spec::Experiment;
use pno::sphere::Latitudes;

use super::DataRecipe;
use crate::data::Source;

mod arrays;
mod darcy;
mod era5;
mod ks;
mod ks_step;
mod sswe;

/// One row of the table.
pub struct Row {
    /// Its file of `trainer/experiments/`.
    pub(super) text: &'static str,
    /// How its data are made; `None` for what is only read.
    pub generator: Option<Generator>,
}

/// How data of an experiment are made.
pub struct Generator {
    /// What its samples are called.
    pub samples: &'static str,
    /// The flags of `pno data generate` that not all experiments take.
    pub flags: &'static [&'static str],
    /// The source of what a recipe asks for.
    pub(super) source: fn(&DataRecipe, Unusual) -> Result<Box<dyn Source>>,
}

/// Laws and places that no recipe changes, but a command may.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unusual {
    /// Darcy: law of the permeability.
    pub law: Option<Law>,
    /// Shallow water: where the latitudes are.
    pub latitudes: Option<Latitudes>,
}

/// The row of an experiment.
pub fn row(experiment: Experiment) -> &'static Row {
    match experiment {
        Experiment::Darcy => &darcy::ROW,
        Experiment::Ks => &ks::ROW,
        Experiment::Sswe => &sswe::ROW,
        Experiment::Era5 => &era5::ROW,
        Experiment::Arrays => &arrays::ROW,
        Experiment::KsStep => &ks_step::ROW,
    }
}

/// Names of the experiments whose generator is as wanted.
pub fn named(is_wanted: impl Fn(&Generator) -> bool) -> String {
    let names = Experiment::ALL.iter().filter(|&&experiment| {
        let generator = row(experiment).generator.as_ref();
        generator.is_some_and(&is_wanted)
    });
    let names: Vec<&str> = names.map(|experiment| experiment.name()).collect();
    names.join(", ")
}
