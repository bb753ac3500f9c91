//! Which cases are for training, for validation, and for the final scores.

use std::fmt;
use std::str::FromStr;

use anyhow::bail;
use pno::noise;

/// Stream of the seed that shuffles the cases; trajectories count up from 0 and never come here.
const SHUFFLE: u64 = u64::MAX;

/// A part of a data set. No trajectory is in two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// What the network learns from.
    Train,
    /// What decides when to stop.
    Valid,
    /// What the scores are of.
    Test,
}

impl Split {
    /// All parts; the position is the number stored in the `split` array.
    pub const ALL: [Self; 3] = [Self::Train, Self::Valid, Self::Test];

    /// Name used in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Valid => "valid",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Split {
    type Err = anyhow::Error;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        match Self::ALL.into_iter().find(|split| split.name() == s) {
            Some(split) => Ok(split),
            None => bail!("unknown split `{s}`; known: train, valid, test"),
        }
    }
}

/// How large a data set is and how it is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Size {
    /// 4000 trajectories, 90 / 5 / 5 %: a minute on two cores.
    Small,
    /// 10 000 trajectories, 72 / 18 / 10 %: the published sizes.
    Paper,
}

impl Size {
    /// Name used in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Paper => "paper",
        }
    }

    /// Number of trajectories.
    pub fn samples(self) -> usize {
        match self {
            Self::Small => 4_000,
            Self::Paper => 10_000,
        }
    }

    /// The split of each of `n` cases (as stored): a shuffle by the seed, cut in two places.
    pub fn shares(self, n: usize, seed: u64) -> Vec<i8> {
        let (valid, test) = self.held_back(n);
        let mut shares = vec![0; n];
        for (rank, case) in noise::permutation(seed, SHUFFLE, n).into_iter().enumerate() {
            shares[case] = match rank {
                r if r < test => 2,
                r if r < test + valid => 1,
                _ => 0,
            };
        }
        shares
    }

    /// Number of validation and test cases among `n`; at least one each as soon as there are three.
    fn held_back(self, n: usize) -> (usize, usize) {
        let (valid_percent, test_percent) = match self {
            Self::Small => (5, 5),
            Self::Paper => (18, 10),
        };
        let share = |percent: usize| ((n * percent + 50) / 100).max(usize::from(n >= 3));
        (share(valid_percent), share(test_percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(size: Size, n: usize) -> [usize; 3] {
        let shares = size.shares(n, 7);
        [0, 1, 2].map(|part| shares.iter().filter(|&&s| s == part).count())
    }

    #[test]
    fn the_published_sizes_are_shared_out_as_published() {
        assert_eq!(counts(Size::Paper, 10_000), [7200, 1800, 1000]);
        assert_eq!(counts(Size::Small, 4_000), [3600, 200, 200]);
    }

    #[test]
    fn a_tiny_data_set_has_something_in_every_part() {
        assert_eq!(counts(Size::Small, 3), [1, 1, 1]);
        assert_eq!(counts(Size::Small, 8), [6, 1, 1]);
        assert_eq!(counts(Size::Paper, 1), [1, 0, 0]);
    }

    #[test]
    fn the_seed_decides_who_is_where() {
        assert_eq!(Size::Small.shares(100, 1), Size::Small.shares(100, 1));
        assert_ne!(Size::Small.shares(100, 1), Size::Small.shares(100, 2));
    }
}
