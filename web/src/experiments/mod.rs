//! What the page knows of each experiment besides its models: a row for each, in a file of its own.
//!
//! What is said of it in paragraphs stands in the interface, in `ui::experiments`, by the same names.

use pno::spec::{Experiment, Method};
use pno::task::Task;

use crate::live::{Live, Place};
use crate::truth::Solve;

mod arrays;
mod darcy;
mod era5;
mod ks;
mod ks_step;
mod sswe;

/// One row of the table.
pub struct Row {
    /// What the switch calls it.
    pub name: &'static str,
    /// When the switch has it.
    pub offered: Offered,
    /// What its settings begin with.
    pub start: Start,
    /// How its cases are solved; `None` where they come from files.
    pub solve: Option<Solve>,
    /// What is solved where there is no model and none was published.
    pub task: Option<fn() -> Task>,
    /// What a hand can do to its input.
    pub hand: Hand,
    /// The grid that is solved where there is no model.
    pub grid: Grid,
    /// The step by which its forecasts go on, where they do.
    pub step: Option<Step>,
    /// Whether what is solved is also shown between its points, by its Fourier series: a grid may be finer than the model's.
    pub refines: bool,
    /// Whether the last column of a picture lies beside the first, also where it is no sphere.
    pub is_ring: bool,
    /// Whether it may be of a sphere.
    pub may_be_sphere: bool,
}

/// When the switch has an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// Always: its truth alone is worth a look.
    Always,
    /// Where a model of it is shipped.
    WithModel,
    /// While it is open: the visitor brought it.
    WhileOpen,
}

/// What the settings of an experiment begin with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Kind of model.
    pub method: Method,
    /// How many members.
    pub members: u32,
    /// Which lead time, from 1; a forecast that goes on is as long.
    pub lead: usize,
    /// Where values are read.
    pub place: Place,
}

impl Start {
    /// One moment, in the middle.
    const USUAL: Self = Self {
        method: Method::PnoD,
        members: 16,
        lead: 1,
        place: Place::MIDDLE,
    };
}

/// What a hand can do to an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// Nothing.
    Rests,
    /// Paint a ground.
    Paints,
    /// Put bumps on a start.
    Nudges,
}

/// Which grids a visitor can choose where there is no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// None: it is the published one.
    Published,
    /// Cells of a square.
    Square,
    /// Points of a sphere.
    Sphere,
}

impl Grid {
    /// The sizes that are chosen; none for the published ones.
    pub fn sizes(self, live: &Live) -> Vec<usize> {
        match self {
            Self::Published => vec![],
            Self::Square => vec![live.cells(); 2],
            Self::Sphere => live.sphere.sizes().to_vec(),
        }
    }
}

/// The step of a forecast that goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What it is called.
    pub name: &'static str,
    /// Unit of its length, as data sets have it.
    pub unit: &'static str,
    /// How much later a step ends than it begins.
    pub length: f64,
}

impl Step {
    /// That of the weather on a sphere.
    pub const HOUR: Self = Self {
        name: "hour",
        unit: "hours",
        length: 1.0,
    };
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

/// Names of the experiments whose row is as wanted: `ks, sswe and ks-step`.
pub fn named(is_wanted: impl Fn(&Row) -> bool) -> String {
    let names = Experiment::ALL.iter().filter(|&&e| is_wanted(row(e)));
    let names: Vec<&str> = names.map(|experiment| experiment.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hand_changes_is_solved() {
        for &experiment in Experiment::ALL {
            let row = row(experiment);
            assert!(
                row.hand == Hand::Rests || row.solve.is_some(),
                "{experiment}"
            );
            assert!(row.start.lead >= 1 && row.start.members >= 1);
        }
    }

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        assert_eq!(named(|row| row.hand == Hand::Paints), "darcy");
        assert_eq!(
            named(|row| row.hand == Hand::Nudges),
            "ks, sswe and ks-step"
        );
        assert_eq!(named(|_| false), "");
    }
}
