//! From the flags of a command that resumes a run to the settings that the run is asked to have.
//!
//! What is not said is as the run has it. What is said must be what the run was begun with, so that the command that began
//! it also resumes it; anything else is named with both values. The numbers of epochs may be others
//! ([`crate::train::resumed`]). Where it computes, how many members the test has and where the data are may change.

use std::fmt::Display;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{Args, choose};
use crate::cli::Usage;
use crate::data::{Dataset, Size};
use crate::experiments::{Own, Wish};
use crate::train::origin::{Asked, Origin};
use crate::train::overrides::overridden;
use crate::train::resumed;
use crate::train::settings::Settings;

/// The settings that a run is asked to have.
pub fn settings(args: &Args, run: &Path, data: &Dataset) -> Result<Settings> {
    choose::cut_once(args)?;
    let own = choose::own(args)?;
    choose::experiment(args, own.as_ref(), data)?;
    let found = Settings::read(run)?;
    let origin = Origin::read(run)?;
    let wish = own.as_ref().map(|own| own.wish.clone()).unwrap_or_default();
    let model = &found.model;
    let experiment = choose::wanted(args, own.as_ref());
    same(run, "the experiment", &model.experiment, experiment)?;
    same(run, "--method", &model.method, args.method.or(wish.method))?;
    let operator = args.operator.or(wish.operator);
    same(run, "--operator", &model.operator, operator)?;
    same(
        run,
        "--profile",
        &model.profile,
        args.profile.or(wish.profile),
    )?;
    begins_with(args, &wish, run, &found)?;
    let base = match &origin.asked {
        Some(asked) => names(args, own.as_ref(), run, &found, asked, data)?,
        None => all(args, own.as_ref(), run, &found, None, data)?,
    };
    let asked = laid_over(args, base)?;
    // What it has done is not known yet, so this says nothing of the numbers of epochs.
    resumed::check(&found, &asked, &[])
        .map_err(|error| Usage(format!("{}: {error:#}", run.display())))?;
    Ok(asked)
}

/// Refuses a value that is not that of the run.
fn same<T: Display + PartialEq>(run: &Path, what: &str, found: &T, asked: Option<T>) -> Result<()> {
    match asked {
        Some(asked) if asked != *found => bail!(Usage(format!(
            "{what} is {found} in {}, but {asked} is asked for: {}",
            run.display(),
            resumed::KEPT
        ))),
        _ => Ok(()),
    }
}

/// The model that it began with: the run has a copy, so the file may be another one by now or gone.
fn begins_with(args: &Args, wish: &Wish, run: &Path, found: &Settings) -> Result<()> {
    let asked = wish.from.as_ref().map(Path::new);
    let Some(asked) = args.from.as_deref().or(asked) else {
        return Ok(());
    };
    let from = found.train.from.as_str();
    let path = Path::new(from.rsplit_once('#').map_or(from, |(path, _)| path));
    let file = asked.join(pno::checkpoint::Checkpoint::FILE_NAME);
    if path == asked || path == file {
        return Ok(());
    }
    let path = match from {
        "" => "not given".into(),
        _ => path.display().to_string(),
    };
    same(run, "--from", &path, Some(asked.display().to_string()))
}

/// Size, variants, file and budget, which stand for many settings or were made into some. Gives the settings of the run,
/// with the numbers of epochs of a file that has others by now.
fn names(
    args: &Args,
    own: Option<&Own>,
    run: &Path,
    found: &Settings,
    asked: &Asked,
    data: &Dataset,
) -> Result<Settings> {
    let wish = own.map(|own| own.wish.clone()).unwrap_or_default();
    let size = args.size.or(wish.size).map(Size::name);
    same(run, "--size", &asked.size.name(), size)?;
    let listed = |variants: &[String]| {
        let named = variants.iter().filter(|name| *name != choose::FINE_TUNE);
        let named: Vec<&str> = named.map(String::as_str).collect();
        match named.as_slice() {
            [] => "none".to_owned(),
            several => several.join(","),
        }
    };
    let mut variants = wish.variants;
    variants.extend(args.variants.iter().cloned());
    let given = (!variants.is_empty()).then(|| listed(&variants));
    same(run, "--variant", &listed(&asked.variants), given)?;
    let said = |budget: String| match budget.as_str() {
        "" => "not given".to_owned(),
        _ => budget,
    };
    let budget = args.memory_budget.map(|budget| budget.to_string());
    same(
        run,
        "--memory-budget",
        &said(asked.memory_budget.clone()),
        budget,
    )?;
    let hash = |named: &str| named.rsplit_once('#').map(|(_, hash)| hash.to_owned());
    match choose::file(args)? {
        Some(path) if hash(&choose::named(path)?) != hash(&asked.file) => {
            all(args, own, run, found, Some(asked), data)
                .with_context(|| format!("{} is not what the run began with", path.display()))
        }
        _ => Ok(found.clone()),
    }
}

/// Where only the settings themselves can tell: everything that was said is worked out anew and compared.
fn all(
    args: &Args,
    own: Option<&Own>,
    run: &Path,
    found: &Settings,
    asked: Option<&Asked>,
    data: &Dataset,
) -> Result<Settings> {
    let said = args.size.is_some() || !args.variants.is_empty() || args.memory_budget.is_some();
    if !said && own.is_none() {
        return Ok(found.clone());
    }
    let mut args = args.clone();
    args.method = Some(found.model.method);
    args.operator = Some(found.model.operator);
    args.profile = Some(found.model.profile);
    if let Some(asked) = asked {
        args.size = Some(asked.size);
        if args.variants.is_empty() && own.is_none_or(|own| own.wish.variants.is_empty()) {
            args.variants.clone_from(&asked.variants);
        }
    }
    let mut wanted = choose::settings(&args, Some(data))?.settings;
    wanted.train.from.clone_from(&found.train.from);
    if own.is_none() {
        let (was, is) = (&found.train, &mut wanted.train);
        is.epochs = args.epochs.unwrap_or(was.epochs);
        is.seed = args.seed.unwrap_or(was.seed);
        is.loss = args.loss.unwrap_or(was.loss);
        is.fresh = args.fresh || was.fresh;
        wanted = overridden(&wanted, &args.overrides)?;
    }
    resumed::check(found, &wanted, &[])
        .map_err(|error| Usage(format!("{}: {error:#}", run.display())))?;
    Ok(wanted)
}

/// The settings of the run with those that the flags name, in the order in which they count.
fn laid_over(args: &Args, mut asked: Settings) -> Result<Settings> {
    asked.train.loss = args.loss.unwrap_or(asked.train.loss);
    asked.train.seed = args.seed.unwrap_or(asked.train.seed);
    asked.train.epochs = args.epochs.unwrap_or(asked.train.epochs);
    asked.train.fresh |= args.fresh;
    overridden(&asked, &args.overrides)
}
