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

/// How large an experiment is: its network, its data set, its training. The numbers stand in `trainer/experiments/`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// For trying out: a slim network, minutes on two cores.
    Demo,
    /// The published network with fewer samples and epochs on a coarser grid: the reproduction on two cores.
    Small,
    /// As published.
    Paper,
}

impl Size {
    /// Every size, the least first.
    pub const ALL: [Self; 3] = [Self::Demo, Self::Small, Self::Paper];

    /// Name used in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Small => "small",
            Self::Paper => "paper",
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Number of cases for training, validation and test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts(pub [usize; 3]);

impl Counts {
    /// All cases.
    pub fn total(self) -> usize {
        self.0.iter().sum()
    }

    /// Another number of cases in the same proportions; at least one for each as soon as there are three.
    #[must_use]
    pub fn scaled(self, n: usize) -> Self {
        let total = self.total().max(1);
        let share = |part: usize| {
            let rounded = (self.0[part] * n + total / 2) / total;
            rounded.max(usize::from(n >= 3 && self.0[part] > 0))
        };
        let (valid, test) = (share(1), share(2));
        Self([n.saturating_sub(valid + test), valid, test])
    }

    /// The split of each case (as stored): a shuffle by the seed, cut in two places.
    pub fn shares(self, seed: u64) -> Vec<i8> {
        self.shares_in(&noise::permutation(seed, SHUFFLE, self.total()))
    }

    /// The split of each case in a given order: first test, then valid, the rest train.
    pub fn shares_in(self, order: &[usize]) -> Vec<i8> {
        let [_, valid, test] = self.0;
        let mut shares = vec![0; order.len()];
        for (rank, &case) in order.iter().enumerate() {
            shares[case] = match rank {
                r if r < test => 2,
                r if r < test + valid => 1,
                _ => 0,
            };
        }
        shares
    }
}

impl FromStr for Counts {
    type Err = anyhow::Error;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let numbers: Vec<usize> = s
            .split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .unwrap_or_default();
        match numbers[..] {
            [train, valid, test] if train + valid + test > 0 => Ok(Self([train, valid, test])),
            _ => bail!("`{s}` is not three numbers of cases such as 800,100,100"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: Counts) -> [usize; 3] {
        let shares = counts.shares(7);
        [0, 1, 2].map(|part| shares.iter().filter(|&&s| s == part).count())
    }

    fn small(n: usize) -> [usize; 3] {
        counted(Counts([3600, 200, 200]).scaled(n))
    }

    #[test]
    fn a_tiny_data_set_has_something_in_every_part() {
        assert_eq!(small(3), [1, 1, 1]);
        assert_eq!(small(8), [6, 1, 1]);
        assert_eq!(small(1), [1, 0, 0]);
        assert_eq!(small(4_000), [3600, 200, 200]);
    }

    #[test]
    fn the_seed_decides_who_is_where() {
        let counts = Counts([80, 10, 10]);
        assert_eq!(counts.shares(1), counts.shares(1));
        assert_ne!(counts.shares(1), counts.shares(2));
    }

    #[test]
    fn counts_are_read_from_three_numbers() {
        assert_eq!(
            "0,0,500".parse::<Counts>().expect("read"),
            Counts([0, 0, 500])
        );
        for wrong in ["1,2", "0,0,0", "1,2,x", "-1,2,3"] {
            let message = wrong.parse::<Counts>().expect_err("refused").to_string();
            assert!(message.contains(wrong), "{message}");
        }
    }
}
