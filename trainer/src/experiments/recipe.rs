//! What an experiment is made of besides the network: data sets, seeds, epochs.

use anyhow::{Context, Error, Result, anyhow, bail};
use pno::spec::{Experiment, Method, Operator, Profile};
use pno::task::{Domain, Task};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::rows::{Unusual, row};
use super::{Choice, operators, table};
use crate::data::sources::Generated;
use crate::data::{Counts, Size, Source, Split};
use crate::train::overrides::from_value;

/// A data set that can be generated, as `pno data generate` takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataRecipe {
    /// Numbers of training, validation and test cases.
    pub shares: [usize; 3],
    /// Points along each axis of space, as stored; empty for the generator's own.
    #[serde(default)]
    pub grid: Vec<usize>,
    /// As it should be, or as it was published.
    pub profile: Profile,
    /// Frames of a trajectory, where that can be chosen.
    #[serde(default)]
    pub frames: Option<usize>,
    /// Names the samples and the splits.
    #[serde(default)]
    pub seed: u64,
}

impl DataRecipe {
    /// Number of training, validation and test cases.
    pub fn counts(&self) -> Counts {
        Counts(self.shares)
    }

    /// What makes the data set.
    pub fn source(&self, experiment: Experiment, unusual: Unusual) -> Result<Box<dyn Source>> {
        match &row(experiment).generator {
            Some(generator) => (generator.source)(self, unusual),
            None => bail!("{experiment} data cannot be generated, only read"),
        }
    }

    /// What all generators take.
    pub(super) fn generated(&self) -> Generated {
        Generated {
            counts: self.counts(),
            seed: self.seed,
            profile: self.profile,
        }
    }

    /// The refusal of a grid that an experiment cannot have.
    pub(super) fn wrong_grid(&self, experiment: &str, wanted: &str) -> Error {
        let grid: Vec<String> = self.grid.iter().map(ToString::to_string).collect();
        let grid = grid.join("x");
        anyhow!("{grid} is no grid for {experiment}, which takes {wanted}")
    }

    /// The words of the command that makes it, without `--out`.
    pub fn command(&self, experiment: Experiment) -> Vec<String> {
        let joined = |numbers: &[usize], with: &str| {
            let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            words.join(with)
        };
        let mut words: Vec<String> = ["data", "generate", experiment.name()]
            .map(str::to_owned)
            .to_vec();
        let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
        flag("--profile", self.profile.to_string());
        flag("--shares", joined(&self.shares, ","));
        if !self.grid.is_empty() {
            flag("--grid", joined(&self.grid, "x"));
        }
        if let Some(frames) = self.frames {
            flag("--frames", frames.to_string());
        }
        flag("--seed", self.seed.to_string());
        words
    }

    /// Input and output of a network on the grid of a split.
    pub fn task(&self, experiment: Experiment, split: Split) -> Result<Task> {
        let source = self.source(experiment, Unusual::default())?;
        Ok(source.contents().description.task_of(split))
    }
}

/// Data sets, seeds and epochs of an experiment at some size.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// Of which experiment.
    pub experiment: Experiment,
    /// How large.
    pub size: Size,
    /// What the experiment or its size is, for people.
    pub about: String,
    /// The data set; `None` for what is read from files that the user brings.
    pub data: Option<DataRecipe>,
    /// Another data set for forecasts of many steps, of test cases alone.
    pub rollout: Option<DataRecipe>,
    /// Seeds of the runs.
    pub seeds: Vec<u64>,
    /// Most epochs of a run's first stage.
    pub epochs: usize,
}

impl Recipe {
    pub(super) fn new(experiment: Experiment, size: Size, variants: &[String]) -> Result<Self> {
        let choice = Choice {
            experiment,
            operator: operators(experiment)?
                .first()
                .copied()
                .unwrap_or(Operator::Fno),
            method: Method::Det,
            profile: Profile::Fixed,
            size,
            variants,
            task: None,
        };
        let values = table(&choice, None)?;
        Self::read(experiment, size, &values)
            .with_context(|| format!("the built-in file {experiment}.toml"))
    }

    fn read(experiment: Experiment, size: Size, values: &Table) -> Result<Self> {
        let data = |key: &str| values.get(key).cloned().map(from_value).transpose();
        let about = values.get("about").and_then(Value::as_str);
        let epochs = values.get("train").and_then(|train| train.get("epochs"));
        let epochs = epochs.and_then(Value::as_integer).unwrap_or_default();
        let seeds = values.get("seeds").cloned();
        Ok(Self {
            experiment,
            size,
            about: about.unwrap_or_default().to_owned(),
            data: data("data")?,
            rollout: data("rollout")?,
            seeds: seeds.map(from_value).transpose()?.unwrap_or_default(),
            epochs: usize::try_from(epochs).context("train.epochs")?,
        })
    }

    /// Input and output of a network at this size: of the recipe's data, or of the published ones.
    pub fn task(&self) -> Result<Option<Task>> {
        match &self.data {
            Some(data) => data.task(self.experiment, Split::Train).map(Some),
            None => Ok(Task::published(self.experiment)),
        }
    }

    /// The operator that suits the grid.
    pub fn usual_operator(task: &Task) -> Operator {
        match task.domain {
            Domain::Flat => Operator::Fno,
            Domain::Sphere(_) => Operator::Sfno,
        }
    }
}
