//! How large a reproduction is.

use std::fmt;

use crate::data;

/// Size of a reproduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Size {
    /// Seconds: shows that everything runs, and nothing else.
    #[value(hide = true)]
    Tiny,
    /// A reduction that two cores finish in hours.
    Small,
    /// The published procedure, for a GPU.
    Paper,
}

impl Size {
    /// Name in paths and words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Small => "small",
            Self::Paper => "paper",
        }
    }

    /// The presets it begins with.
    pub fn preset(self) -> data::Size {
        match self {
            Self::Tiny | Self::Small => data::Size::Small,
            Self::Paper => data::Size::Paper,
        }
    }

    /// What everybody who sees its numbers must know.
    pub fn warning(self) -> Option<&'static str> {
        match self {
            Self::Tiny => {
                Some("A trial of the machinery on a handful of samples: the numbers mean nothing.")
            }
            Self::Small => Some(
                "A reduction: fewer samples, epochs and runs than in the paper, smaller networks, coarser grids. \
                 Compare methods with each other, not digits with the paper.",
            ),
            Self::Paper => None,
        }
    }

    /// Members of every evaluation.
    pub fn members(self) -> u32 {
        match self {
            Self::Tiny => 4,
            Self::Small | Self::Paper => 100,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
