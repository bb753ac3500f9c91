//! What is varied, and what stays.

use serde::{Deserialize, Serialize};

use crate::reproduce::size::Size;

/// What is measured in one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Samples of an epoch.
    pub samples: usize,
    /// Points along each axis.
    pub grid: usize,
    /// Members in the loss.
    pub members: usize,
}

/// All that is measured.
pub struct Range {
    /// The values of what is not varied.
    pub base: Setting,
    samples: &'static [usize],
    grids: &'static [usize],
    members: &'static [usize],
    /// Epochs of each measurement.
    pub epochs: usize,
}

/// A name, and the values of what it names with the settings they stand for.
pub type Varied = (&'static str, Vec<(f64, Setting)>);

impl Range {
    /// One quantity varied, the others as they are.
    pub fn settings(&self) -> [Varied; 3] {
        let base = self.base;
        let samples = self.samples.iter();
        let samples = samples.map(|&samples| (samples as f64, Setting { samples, ..base }));
        let grids = self.grids.iter();
        let grids = grids.map(|&grid| ((grid * grid) as f64, Setting { grid, ..base }));
        let members = self.members.iter();
        let members = members.map(|&members| (members as f64, Setting { members, ..base }));
        [
            ("samples", samples.collect()),
            ("points", grids.collect()),
            ("members", members.collect()),
        ]
    }
}

impl Setting {
    /// `n64-g32-m4`.
    pub fn name(self) -> String {
        format!("n{}-g{}-m{}", self.samples, self.grid, self.members)
    }

    /// Where its answer is kept.
    pub fn file(self) -> String {
        format!("{}.json", self.name())
    }
}

/// What is measured for a size.
pub fn range(size: Size) -> Range {
    match size {
        Size::Tiny => Range {
            base: Setting {
                samples: 8,
                grid: 16,
                members: 2,
            },
            samples: &[8, 16],
            grids: &[16, 32],
            members: &[2, 4],
            epochs: 2,
        },
        Size::Small | Size::Paper => Range {
            base: Setting {
                samples: 64,
                grid: 32,
                members: 4,
            },
            samples: &[32, 64, 128, 256],
            grids: &[16, 32, 64, 128],
            members: &[2, 4, 8, 16],
            epochs: 4,
        },
    }
}
