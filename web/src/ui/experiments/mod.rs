//! What is said of each experiment in paragraphs: a row for each, in a file of its own.

use leptos::prelude::AnyView;
use pno::spec::Experiment;

mod arrays;
mod darcy;
mod era5;
mod ks;
mod ks_step;
mod sswe;

/// One row of the table.
pub struct Row {
    /// The paragraph in the head of the page.
    pub lead: fn() -> AnyView,
    /// The equation or the data, below the pictures.
    pub about: fn() -> AnyView,
}

/// The row of an experiment.
pub fn words(experiment: Experiment) -> &'static Row {
    match experiment {
        Experiment::Darcy => &darcy::ROW,
        Experiment::Ks => &ks::ROW,
        Experiment::Sswe => &sswe::ROW,
        Experiment::Era5 => &era5::ROW,
        Experiment::Arrays => &arrays::ROW,
        Experiment::KsStep => &ks_step::ROW,
    }
}
