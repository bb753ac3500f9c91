//! One training run in one folder.
//!
//! ```text
//! RUN/settings.toml     every number of the run
//! RUN/origin.toml       the command and the day that began it
//! RUN/data.txt          fingerprint of the data set
//! RUN/start.pno         the model that it began with, if not with fresh weights
//! RUN/lock              locked while a process works here; its text is that process
//! RUN/checkpoint/       the state after the newest epochs, after the best, and after every `train.keep_every`-th
//! RUN/metrics.csv       one line per epoch, with times; RUN/history.json is the same without them
//! RUN/losses.svg        the curves
//! RUN/model.pno         the best epoch's weights, f32; RUN/epoch-N.pno those of every `train.keep_every`-th
//! ```
//!
//! Weights, moments, schedule, stopping counter, order and noise depend on settings, data and finished epochs alone. So
//! a run that was killed at any moment goes on from its newest state and ends, on the CPU, with the bytes of a run that
//! was never stopped.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use burn::tensor::Device;
use pno::checkpoint::Checkpoint;

use super::history::{EpochRecord, replay};
use super::origin::Origin;
use super::settings::{self, Settings};
use super::{fit, keep, metrics, resumed, spectral, start, store};
use crate::data::Dataset;
use crate::lock::{self, Lock};
use crate::{experiments, files};

/// A run folder and what goes into it; no other process gets in meanwhile.
pub struct Run {
    pub(super) folder: PathBuf,
    pub(super) settings: Settings,
    pub(super) origin: Origin,
    pub(super) records: Vec<EpochRecord>,
    lock: Lock,
}

impl Run {
    /// A new run in a folder that does not exist yet (or holds no run), begun by this command.
    pub fn create(folder: &Path, settings: Settings, data: &Dataset) -> Result<Self> {
        Self::begin(folder, settings, Origin::now(), data)
    }

    /// The same, begun by another.
    pub fn begin(
        folder: &Path,
        settings: Settings,
        origin: Origin,
        data: &Dataset,
    ) -> Result<Self> {
        check_data(&settings, data)?;
        Checkpoint::check_task(data.task()).with_context(|| {
            format!(
                "{}: no checkpoint could hold a model of these data",
                data.path().display()
            )
        })?;
        let start = start::bytes(&settings)?;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let lock = take(folder)?;
        refuse_a_run(folder)?;
        let origin = origin.first_of(folder);
        origin.write(folder)?;
        if let Some(start) = start {
            files::write_atomic(&folder.join(start::NAME), &start)?;
        }
        files::write_atomic(&folder.join("data.txt"), data.fingerprint()?.as_bytes())?;
        // Last: a folder with settings is a run.
        settings.write(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            settings,
            origin,
            records: vec![],
            lock,
        })
    }

    /// Goes on with a run: its settings and its data are those it began with, except for the numbers of epochs that are
    /// asked for.
    pub fn resume(folder: &Path, asked: &Settings, data: &Dataset) -> Result<Self> {
        let mut run = Self::again(folder, data)?;
        let losses: Vec<f64> = run.records.iter().map(|r| r.valid_loss).collect();
        resumed::check(&run.settings, asked, &losses)
            .with_context(|| folder.display().to_string())?;
        if *asked != run.settings {
            asked.validate()?;
            run.origin = run.origin.with_lengths(&run.settings.train, &asked.train);
            run.origin.write(folder)?;
            run.settings = asked.clone();
            run.settings.write(folder)?;
        }
        Ok(run)
    }

    /// Creates a run, or goes on with the one in the folder if it has the same settings.
    pub fn open(folder: &Path, settings: Settings, data: &Dataset) -> Result<Self> {
        if !holds_a_run(folder) {
            return Self::create(folder, settings, data);
        }
        let run = Self::again(folder, data)?;
        if let Some((key, found, wanted)) = run.settings.first_difference(&settings)? {
            bail!(
                "{} holds a run with {key} = {found}, but {wanted} is wanted: remove that folder, or choose another",
                folder.display()
            );
        }
        Ok(run)
    }

    fn again(folder: &Path, data: &Dataset) -> Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| {
                format!(
                    "{} is not a run that can be resumed: {}",
                    folder.display(),
                    path.display()
                )
            })
        };
        read(settings::NAME)?;
        let lock = take(folder)?;
        let settings = Settings::read(folder)?;
        let (began_with, found) = (read("data.txt")?, data.fingerprint()?);
        if began_with.trim() != found {
            bail!(
                "{} began with data {}, but {} is {}: a run goes on only with its own data",
                folder.display(),
                keep::short(&began_with),
                data.path().display(),
                keep::short(&found)
            );
        }
        let found = store::newest(folder);
        for sentence in &found.damaged {
            fit::tell(&format!("passed over: {sentence}"));
        }
        let records = found.state.map(|state| state.records);
        if let Some(records) = &records {
            // Whoever was killed may have saved a state and not yet removed those before it.
            store::remove_old(folder, records, settings.train.keep_every);
        }
        if records.is_none() && folder.join("history.json").exists() {
            bail!(
                "{} has finished epochs, but no state in its folder checkpoint/ can be used: begin another run",
                folder.display()
            );
        }
        Ok(Self {
            origin: Origin::read(folder)?,
            folder: folder.to_owned(),
            settings,
            records: records.unwrap_or_default(),
            lock,
        })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What keeps others out, for whoever has more to do in the folder.
    pub fn into_lock(self) -> Lock {
        self.lock
    }

    /// Epochs done already.
    pub fn epochs_done(&self) -> usize {
        self.records.len()
    }

    /// Whether there is nothing left to train.
    pub fn is_finished(&self) -> bool {
        replay(&self.settings.train, &self.records).finished()
    }

    /// Trains to the end (or to Ctrl-C) and writes the best model. Gives the path of the model and what is in it.
    pub fn train(self, data: &Dataset, device: &Device) -> Result<(PathBuf, Checkpoint)> {
        self.train_on(data, std::slice::from_ref(device))
    }

    /// The same on several devices, which share every batch.
    pub fn train_on(&self, data: &Dataset, devices: &[Device]) -> Result<(PathBuf, Checkpoint)> {
        check_data(&self.settings, data)?;
        if !self.records.is_empty() {
            // Whoever was killed may have saved a state and not yet told of it.
            metrics::write(&self.folder, &self.records)?;
        }
        let outcome = if self.is_finished() {
            fit::Outcome::finished(self)
        } else {
            fit::fit(self, data, devices)?
        };
        let Some(best) = outcome.rules.best else {
            return Err(outcome.refusal.unwrap_or_else(|| anyhow!("no epoch ended")));
        };
        let title = format!(
            "{} {} {}: {} epochs",
            self.settings.model.experiment,
            self.settings.model.operator,
            self.settings.model.method,
            outcome.rules.epochs
        );
        metrics::draw(&self.folder, &title, &outcome.records, best)?;
        let written = keep::models(self, data, best.0, outcome.rules.epochs)?;
        match outcome.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(written),
        }
    }
}

/// Whether there is a run in a folder.
pub fn holds_a_run(folder: &Path) -> bool {
    folder.join(settings::NAME).exists()
}

/// Refuses to begin a run where there is one.
pub fn refuse_a_run(folder: &Path) -> Result<()> {
    if holds_a_run(folder) {
        bail!(
            "{} holds a run already: go on with --resume, or choose another --out",
            folder.display()
        );
    }
    Ok(())
}

/// Locks a folder and removes what killed writers left in it.
pub(super) fn take(folder: &Path) -> Result<Lock> {
    let taken = Lock::take(folder)?;
    lock::clean(folder);
    lock::clean(&folder.join("checkpoint"));
    Ok(taken)
}

/// Refuses settings that these data cannot be trained with.
pub(super) fn check_data(settings: &Settings, data: &Dataset) -> Result<()> {
    spectral::check(settings, data)?;
    let train = &settings.train;
    if train.fresh {
        experiments::fresh(data, 0).context("setting `train.fresh`")?;
    }
    for stage in train.each_stage() {
        let steps = train.steps_of(stage);
        if train.entries_of(stage) > 0 {
            let checked = data.check_entries(steps);
            checked.context("settings `train.entries` and `train.steps`")?;
        } else {
            data.check_steps(steps).context("setting `train.steps`")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
