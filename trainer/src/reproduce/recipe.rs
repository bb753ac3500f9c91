//! How much of everything a size has: the recipes of the experiments, and a trial size below them.

use std::path::Path;

use anyhow::{Context, Result};
use pno::spec::Operator;
use pno::task::Task;

use super::size::Size;
use super::source::{Data, Training};
use crate::data::{Source as DataSource, Split};
use crate::experiments::{self, Choice, DataRecipe, Unusual};
use crate::train::settings::{Override, Settings};
use crate::train::start;

/// A data set that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    data: Data,
    of: DataRecipe,
}

impl Recipe {
    /// The recipe of a data set; `None` for data that are not made here.
    pub fn of(data: Data, size: Size) -> Result<Option<Self>> {
        let recipe = experiments::recipe(data.experiment(), size.preset(), &data.variants())?;
        let found = match data {
            Data::SsweTest => recipe.rollout,
            _ => recipe.data,
        };
        let Some(mut of) = found else {
            return Ok(None);
        };
        if size == Size::Tiny {
            of.shares = match data {
                Data::SsweTest => [0, 0, 2],
                _ => [6, 2, 2],
            };
            of.grid = match data {
                Data::Darcy => vec![32, 32],
                Data::Sswe | Data::SsweTest | Data::SsweStep => vec![16, 32],
                Data::KsStep => vec![64],
                Data::Ks | Data::Era5 => of.grid,
            };
        }
        Ok(Some(Self { data, of }))
    }

    /// Cases for training, validation and test.
    pub fn counts(&self) -> [usize; 3] {
        self.of.shares
    }

    /// What makes the data.
    pub fn source(&self) -> Result<Box<dyn DataSource>> {
        self.of.source(self.data.experiment(), Unusual::default())
    }

    /// The command that makes the same data.
    pub fn words(&self) -> String {
        let words = self.of.command(self.data.experiment());
        format!("pno {}", words.join(" "))
    }
}

/// Input and output of a network in training.
pub fn task(data: Data, size: Size) -> Option<Task> {
    match Recipe::of(data, size).ok()? {
        Some(recipe) => recipe.of.task(data.experiment(), Split::Train).ok(),
        None => Task::published(data.experiment()),
    }
}

/// The seeds of the runs of an experiment.
pub fn seeds(data: Data, size: Size) -> Result<Vec<u64>> {
    let recipe = experiments::recipe(data.experiment(), size.preset(), &data.variants())?;
    Ok(recipe.seeds)
}

/// Every number of a training that begins with fresh weights or with those of the model `from`.
pub fn settings(
    training: &Training,
    size: Size,
    seed: u64,
    task: Option<&Task>,
    from: Option<&Path>,
) -> Result<Settings> {
    let choice = Choice {
        experiment: training.data.experiment(),
        operator: training.operator,
        method: training.method,
        profile: training.profile,
        size: size.preset(),
        variants: &training.variants,
        task,
    };
    let mut settings = Settings::chosen(&choice, None)?;
    // The published fine-tuning had one seed for all, and differed in what it began with.
    if training.from.is_none() || size != Size::Paper {
        settings.train.seed = seed;
    }
    if let Some(from) = from {
        settings.train.from = start::named(from).context("what it begins with")?;
    }
    if size == Size::Tiny {
        tiny(&mut settings);
    }
    let overrides = training.sets.iter().map(|set| set.parse::<Override>());
    let overrides: Vec<Override> = overrides
        .collect::<Result<_, String>>()
        .map_err(anyhow::Error::msg)?;
    settings.with_overrides(&overrides)
}

/// A network and a procedure of seconds.
fn tiny(settings: &mut Settings) {
    let model = &mut settings.model;
    if model.operator == Operator::Uno {
        for level in &mut model.levels {
            level.width = level.width.min(4);
            for modes in &mut level.modes {
                *modes = (*modes).min(4);
            }
        }
    } else {
        (model.width, model.lifting, model.projection, model.layers) = (4, 8, 8, 2);
        for modes in &mut model.modes {
            *modes = (*modes).min(6);
        }
    }
    let train = &mut settings.train;
    (train.batch, train.epochs) = (2, 2);
    for stage in &mut train.stages {
        stage.epochs = 1;
    }
}
