//! From flags and files to the settings of a run.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use pno::spec::{Experiment, Method, Operator, Profile};
use pno::task::Task;

use super::Args;
use super::needs::Cases;
use crate::cli::Usage;
use crate::data::{Dataset, Size};
use crate::experiments::{self, Choice, Own, Recipe};
use crate::train::keep::short;
use crate::train::memory::{Budget, Way};
use crate::train::origin::Asked;
use crate::train::settings::{Override, Settings};
use crate::train::start;

/// The variant that comes with `--from`.
pub const FINE_TUNE: &str = "fine-tune";

/// What is to be trained: an experiment of the paper, or what a file says.
#[derive(Debug, Clone)]
pub enum What {
    /// One of ours.
    Experiment(Experiment),
    /// A file of settings.
    File(PathBuf),
}

impl FromStr for What {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_file = |text: &str| {
            let extension = std::path::Path::new(text).extension();
            extension.is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
        };
        match text.parse() {
            Ok(experiment) => Ok(Self::Experiment(experiment)),
            Err(_) if is_file(text) => Ok(Self::File(text.into())),
            Err(error) => Err(format!("{error}; or a file of settings, my.toml")),
        }
    }
}

/// What a new run is to be.
pub struct Chosen {
    /// Every number.
    pub settings: Settings,
    /// The names that were asked for.
    pub asked: Asked,
    /// What there is to train on: the data set, or what the experiment's own recipe would make.
    pub cases: Cases,
}

/// How a batch is cut is said once: by a budget, or by its numbers.
pub fn cut_once(args: &Args) -> Result<()> {
    let cuts = ["train.micro_batch", "train.micro_members"];
    let named = args
        .overrides
        .iter()
        .map(Override::key)
        .find(|key| cuts.contains(key));
    if let (Some(budget), Some(named)) = (args.memory_budget, named) {
        bail!(Usage(format!(
            "--memory-budget {budget} and --set {named} both say how a batch is cut: name one"
        )));
    }
    Ok(())
}

/// The settings of a new run. Without data they are those of the experiment's own recipe, which can only be looked at.
pub fn settings(args: &Args, data: Option<&Dataset>) -> Result<Chosen> {
    cut_once(args)?;
    let own = own(args)?;
    let wish = own.as_ref().map(|own| own.wish.clone()).unwrap_or_default();
    let size = args.size.or(wish.size).unwrap_or(Size::Demo);
    let (experiment, cases) = match data {
        Some(data) => (experiment(args, own.as_ref(), data)?, Cases::of(data)),
        None => published(args, own.as_ref(), size)?,
    };
    let from = args.from.clone().or(wish.from.map(PathBuf::from));
    let mut variants = wish.variants;
    variants.extend(args.variants.iter().cloned());
    let layers = own.as_ref().map(|own| &own.layers);
    if from.is_some()
        && !variants.iter().any(|name| name == FINE_TUNE)
        && experiments::has_variant(experiment, layers, FINE_TUNE)?
    {
        variants.insert(0, FINE_TUNE.to_owned());
    }
    let choice = Choice {
        experiment,
        operator: args
            .operator
            .or(wish.operator)
            .unwrap_or_else(|| Recipe::usual_operator(&cases.task)),
        method: args.method.or(wish.method).unwrap_or(Method::PnoD),
        profile: args.profile.or(wish.profile).unwrap_or(Profile::Fixed),
        size,
        variants: &variants,
        task: Some(&cases.task),
    };
    let mut settings = Settings::chosen(&choice, layers)?;
    if let Some(loss) = args.loss {
        settings.train.loss = loss;
    }
    if let Some(seed) = args.seed {
        settings.train.seed = seed;
    }
    settings.train.fresh |= args.fresh;
    if let Some(epochs) = args.epochs {
        settings.train.epochs = epochs;
    }
    if let Some(from) = &from {
        settings.train.from = start::named(from).context("--from")?;
    }
    let mut settings = settings.with_overrides(&args.overrides)?;
    if let Some(budget) = args.memory_budget {
        budget.applied(&mut settings, &cases.task, Way::of(&args.device))?;
    }
    let asked = Asked {
        size,
        variants,
        file: file(args)?.map_or(Ok(String::new()), named)?,
        memory_budget: spoken(args.memory_budget),
    };
    Ok(Chosen {
        settings,
        asked,
        cases,
    })
}

/// A budget as it is kept; empty for none.
pub fn spoken(budget: Option<Budget>) -> String {
    budget.map(|budget| budget.to_string()).unwrap_or_default()
}

/// The file of settings that was named, if there is one.
pub fn file(args: &Args) -> Result<Option<&Path>> {
    match (&args.what, &args.config) {
        (Some(What::File(first)), Some(second)) => bail!(Usage(format!(
            "{} and --config {} are two files of settings: name one",
            first.display(),
            second.display()
        ))),
        (Some(What::File(path)), None) | (_, Some(path)) => Ok(Some(path)),
        _ => Ok(None),
    }
}

/// A file of settings with the first characters of its hash.
pub fn named(path: &Path) -> Result<String> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    let hash = blake3::hash(&text).to_hex();
    Ok(format!("{}#{}", path.display(), short(&hash)))
}

/// What the file of settings says.
pub fn own(args: &Args) -> Result<Option<Own>> {
    file(args)?.map(Own::read).transpose()
}

/// The experiment that was asked for by name.
pub fn wanted(args: &Args, own: Option<&Own>) -> Option<Experiment> {
    match &args.what {
        Some(What::Experiment(experiment)) => Some(*experiment),
        _ => own.and_then(|own| own.wish.experiment),
    }
}

/// The experiment that was asked for, which must be that of the data.
pub fn experiment(args: &Args, own: Option<&Own>, data: &Dataset) -> Result<Experiment> {
    let found = data.experiment();
    match wanted(args, own) {
        Some(wanted) if wanted != found => bail!(
            "{} is a data set of `{found}`, but `{wanted}` is to be trained",
            data.path().display(),
        ),
        _ => Ok(found),
    }
}

/// The experiment that was asked for, and what its own recipe would make.
fn published(args: &Args, own: Option<&Own>, size: Size) -> Result<(Experiment, Cases)> {
    let missing = |why: &str| Usage(format!("--data is missing: {why}"));
    let Some(experiment) = wanted(args, own) else {
        bail!(missing("the file of settings names no experiment"));
    };
    let recipe = experiments::recipe(experiment, size, &[])?;
    let Some(task) = recipe.task()? else {
        bail!(missing("the grid of `arrays` is that of its data"));
    };
    let counts = recipe.data.map(|data| data.counts().0);
    let cases = Cases {
        task,
        counts: counts.map(|[train, valid, _]| [train, valid]),
    };
    Ok((experiment, cases))
}

/// Settings of an experiment at some size, on the grid of its own recipe.
pub fn listed(
    experiment: Experiment,
    operator: Operator,
    method: Method,
    size: Size,
) -> Result<Settings> {
    let task: Option<Task> = experiments::recipe(experiment, size, &[])?.task()?;
    let choice = Choice {
        experiment,
        operator,
        method,
        profile: Profile::Paper,
        size,
        variants: &[],
        task: task.as_ref(),
    };
    Settings::chosen(&choice, None)
}
