//! From flags and files to the settings of a run.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use pno::spec::{Experiment, Method, Operator, Profile};
use pno::task::Task;

use super::Args;
use crate::cli::Usage;
use crate::data::{Dataset, Size, Split};
use crate::experiments::{self, Choice, Own, Recipe};
use crate::train::memory::Way;
use crate::train::settings::Settings;
use crate::train::start;

/// The variant that comes with `--from`.
const FINE_TUNE: &str = "fine-tune";

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

/// The settings of a new run, and the variants that are in them.
pub fn settings(args: &Args, data: &Dataset) -> Result<(Settings, Vec<String>)> {
    let own = own(args)?;
    let wish = own.as_ref().map(|own| own.wish.clone()).unwrap_or_default();
    let experiment = experiment(args, own.as_ref(), data)?;
    let task = data.task_of(Split::Train);
    let from = args.from.clone().or(wish.from.map(PathBuf::from));
    let mut variants = wish.variants;
    variants.extend(args.variants.iter().cloned());
    if from.is_some() && !variants.iter().any(|name| name == FINE_TUNE) {
        variants.insert(0, FINE_TUNE.to_owned());
    }
    let choice = Choice {
        experiment,
        operator: args
            .operator
            .or(wish.operator)
            .unwrap_or_else(|| Recipe::usual_operator(&task)),
        method: args.method.or(wish.method).unwrap_or(Method::PnoD),
        profile: args.profile.or(wish.profile).unwrap_or(Profile::Fixed),
        size: args.size.or(wish.size).unwrap_or(Size::Demo),
        variants: &variants,
        task: Some(&task),
    };
    let mut settings = Settings::chosen(&choice, own.as_ref().map(|own| &own.layers))?;
    if let Some(loss) = args.loss {
        settings.train.loss = loss;
    }
    if let Some(seed) = args.seed {
        settings.train.seed = seed;
    }
    if let Some(epochs) = args.epochs {
        settings.train.epochs = epochs;
    }
    if let Some(from) = &from {
        settings.train.from = start::named(from).context("--from")?;
    }
    let mut settings = settings.with_overrides(&args.overrides)?;
    if let Some(budget) = args.memory_budget {
        budget.applied(&mut settings, &task, Way::of(&args.device))?;
    }
    Ok((settings, variants))
}

fn own(args: &Args) -> Result<Option<Own>> {
    let ((Some(What::File(path)), None) | (_, Some(path))) = (&args.what, &args.config) else {
        return Ok(None);
    };
    if let (Some(What::File(first)), Some(second)) = (&args.what, &args.config) {
        bail!(Usage(format!(
            "{} and --config {} are two files of settings: name one",
            first.display(),
            second.display()
        )));
    }
    Own::read(path).map(Some)
}

/// Refuses data of another experiment than was asked for.
pub fn same_experiment(args: &Args, data: &Dataset) -> Result<()> {
    experiment(args, own(args)?.as_ref(), data).map(|_| ())
}

/// The experiment that was asked for, which must be that of the data.
fn experiment(args: &Args, own: Option<&Own>, data: &Dataset) -> Result<Experiment> {
    let found = data.experiment();
    let wanted = match &args.what {
        Some(What::Experiment(experiment)) => Some(*experiment),
        _ => own.and_then(|own| own.wish.experiment),
    };
    match wanted {
        Some(wanted) if wanted != found => bail!(
            "{} is a data set of `{found}`, but `{wanted}` is to be trained",
            data.path().display(),
        ),
        _ => Ok(found),
    }
}

/// Settings of an experiment at some size, on the grid of its own recipe.
pub fn listed(
    experiment: Experiment,
    operator: Operator,
    method: Method,
    size: Size,
) -> Result<Settings> {
    let task: Option<Task> = experiments::recipe(experiment, size)?.task()?;
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
