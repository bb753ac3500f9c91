//! Methods that are made of trained networks: a Laplace approximation of one, an ensemble of several.
//!
//! Each network is trained as `det`, in an ordinary run of its own that can be resumed; when all are trained, they are
//! put together.
//!
//! ```text
//! RUN/settings.toml     every number of the whole
//! RUN/origin.toml       the command and the day that began it
//! RUN/lock              locked while a process works here
//! RUN/det/              the run of the network (laplace)
//! RUN/network-1/ …      the run of each network (ensemble)
//! RUN/model.pno         what they make together, f32
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use burn::tensor::Device;
use pno::checkpoint::{Checkpoint, Precision};
use pno::noise::case_seed;
use pno::spec::{Method, ModelSpec};

use super::origin::Origin;
use super::run::{self, Run};
use super::settings::Settings;
use super::{resumed, store};
use crate::data::Dataset;
use crate::lock::Lock;
use crate::{ensemble, files, interrupt, laplace};

/// A run folder and what goes into it.
pub struct Composed {
    folder: PathBuf,
    settings: Settings,
    /// That of every network too: whenever it is begun, the command that began the whole is the one that makes it.
    origin: Origin,
    lock: Lock,
}

/// The seed of a network of an ensemble, counted from 0: the first has the seed itself, the others what the noise
/// generator makes of the seed and their number, in 31 bits so that every settings file can hold it.
pub fn network_seed(seed: u64, index: usize) -> u64 {
    match index {
        0 => seed,
        _ => case_seed(seed, index as u64) >> 33,
    }
}

/// What one of the networks of a model is by itself.
pub fn alone(spec: &ModelSpec) -> ModelSpec {
    ModelSpec {
        method: spec.method.trained_as(),
        networks: 1,
        ..spec.clone()
    }
}

/// Whether a method is trained by way of others.
pub fn is_composed(method: Method) -> bool {
    method.trained_as() != method
}

impl Composed {
    /// A new run in a folder that does not exist yet (or holds no run).
    pub fn begin(
        folder: &Path,
        settings: Settings,
        origin: Origin,
        data: &Dataset,
    ) -> Result<Self> {
        run::refuse_a_run(folder)?;
        // What a run would refuse, before anything is written.
        run::check_data(&settings, data)?;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let lock = run::take(folder)?;
        run::refuse_a_run(folder)?;
        let origin = origin.first_of(folder);
        origin.write(folder)?;
        // Last: a folder with settings is a run.
        settings.write(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            settings,
            origin,
            lock,
        })
    }

    /// Goes on with a run, whose settings must be those asked for but for the numbers of epochs.
    pub fn resume(folder: &Path, asked: &Settings) -> Result<Self> {
        let lock = run::take(folder)?;
        let settings = Settings::read(folder)?;
        let origin = Origin::read(folder)?;
        let mut composed = Self {
            folder: folder.to_owned(),
            settings,
            origin,
            lock,
        };
        let place = || folder.display().to_string();
        resumed::check(&composed.settings, asked, &[]).with_context(place)?;
        if *asked != composed.settings {
            asked.validate()?;
            let before = std::mem::replace(&mut composed.settings, asked.clone());
            // All of its networks must be able to go on so, before any of them is changed.
            for (folder, settings) in composed.parts() {
                if run::holds_a_run(&folder) {
                    let state = store::newest(&folder).state;
                    let records = state.map(|state| state.records).unwrap_or_default();
                    let losses: Vec<f64> = records.iter().map(|r| r.valid_loss).collect();
                    resumed::check(&Settings::read(&folder)?, &settings, &losses)
                        .with_context(|| folder.display().to_string())?;
                }
            }
            composed.origin = composed.origin.with_lengths(&before.train, &asked.train);
            composed.origin.write(folder)?;
            composed.settings.write(folder)?;
        }
        Ok(composed)
    }

    /// The settings of the whole.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What keeps others out, for whoever has more to do in the folder.
    pub fn into_lock(self) -> Lock {
        self.lock
    }

    /// The runs it is made of: their folders and settings.
    fn parts(&self) -> Vec<(PathBuf, Settings)> {
        let Settings { model, train, .. } = &self.settings;
        let part = |name: String, index| {
            let mut settings = Settings {
                model: alone(model),
                train: train.clone(),
                laplace: None,
            };
            settings.train.seed = network_seed(train.seed, index);
            (self.folder.join(name), settings)
        };
        match model.method {
            Method::Ensemble => (0..model.networks)
                .map(|k| part(format!("network-{}", k + 1), k))
                .collect(),
            _ => vec![part("det".into(), 0)],
        }
    }

    /// Trains what is not trained yet and puts everything together. `tell` hears of every network that is begun;
    /// `progress` of the cases that a fit has seen, and of how many there are.
    pub fn train(
        &self,
        data: &Dataset,
        devices: &[Device],
        tell: impl Fn(&str) -> Result<()>,
        progress: impl Fn(usize, usize),
    ) -> Result<(PathBuf, Checkpoint)> {
        let parts = self.parts();
        let count = parts.len();
        let mut models = vec![];
        for (index, (folder, settings)) in parts.into_iter().enumerate() {
            let (seed, epochs) = (settings.train.seed, settings.train.all_epochs());
            let run = if run::holds_a_run(&folder) {
                Run::resume(&folder, &settings, data)?
            } else {
                Run::begin(&folder, settings, self.origin.clone(), data)?
            };
            tell(&format!(
                "network {} of {count}, seed {seed}: {} of {epochs} epochs done, run in {}",
                index + 1,
                run.epochs_done(),
                folder.display()
            ))?;
            let (path, model) = run.train_on(data, devices)?;
            models.push((path.display().to_string(), model));
        }
        let mut model = match (self.settings.laplace, models.as_slice()) {
            (Some(options), [(_, det)]) => {
                interrupt::watch();
                laplace::fit(det, data, options, &devices[0], progress)?.0
            }
            _ => ensemble::assemble(&models)?,
        };
        // Not the command and the day of putting together, which may have been a resumed one.
        let made = &mut model.header.provenance;
        made.command.clone_from(&self.origin.command);
        made.created.clone_from(&self.origin.created);
        *made = std::mem::take(made).tidied();
        let path = self.folder.join(Checkpoint::FILE_NAME);
        files::write_atomic(&path, &model.encode(Precision::F32)?)?;
        Ok((path, model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_different_seeds_that_a_settings_file_can_hold() {
        let seeds: Vec<u64> = (0..64).map(|k| network_seed(1, k)).collect();
        assert_eq!(seeds[0], 1);
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 64);
        assert!(seeds.iter().all(|&s| s < 1 << 31));
        // An ensemble of the next seed shares no network with this one.
        assert!((0..64).all(|k| !seeds.contains(&network_seed(2, k))));
    }
}
