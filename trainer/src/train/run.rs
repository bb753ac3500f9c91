//! One training run in one folder: settings, history, burn's records, and the best model as `model.pno`.
//!
//! ```text
//! RUN/settings.toml     every number of the run
//! RUN/data.txt          fingerprint of the data set
//! RUN/history.json      one record per finished epoch
//! RUN/checkpoint/       burn's records of the newest and the best epoch
//! RUN/model.pno         the best epoch's weights, f32
//! ```

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use burn::module::Module;
use burn::optim::AdamConfig;
use burn::tensor::Device;
use burn::train::checkpoint::{Checkpointer, FileCheckpointer};
use burn::train::metric::LossMetric;
use burn::train::{ExecutionStrategy, Interrupter, Learner, SupervisedTraining};
use pno::checkpoint::{Checkpoint, Header, Precision, Provenance};
use pno::nn::Network;

use super::batches::Batches;
use super::date;
use super::history::{self, EpochRecord, History};
use super::model::Trainee;
use super::procedure::Procedure;
use super::progress::PlainLines;
use super::settings::Settings;
use crate::data::{Dataset, Split};
use crate::files;
use crate::interrupt::{self, Interrupted};

/// A run folder and what goes into it.
pub struct Run {
    folder: PathBuf,
    settings: Settings,
    records: Vec<EpochRecord>,
}

impl Run {
    /// A new run in a folder that does not exist yet (or is empty).
    pub fn create(folder: &Path, settings: Settings, data: &Dataset) -> Result<Self> {
        if folder.join("settings.toml").exists() {
            bail!(
                "{} holds a run already: go on with --resume, or choose another --out",
                folder.display()
            );
        }
        check_steps(&settings, data)?;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        files::write_atomic(&folder.join("data.txt"), data.fingerprint()?.as_bytes())?;
        files::write_atomic(
            &folder.join("settings.toml"),
            settings.to_toml()?.as_bytes(),
        )?;
        Ok(Self {
            folder: folder.to_owned(),
            settings,
            records: vec![],
        })
    }

    /// Goes on with a run: its settings and its data are those it began with.
    pub fn resume(folder: &Path, epochs: Option<usize>, data: &Dataset) -> Result<Self> {
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
        let mut settings = Settings::from_toml(&read("settings.toml")?)
            .with_context(|| format!("{}/settings.toml", folder.display()))?;
        if let Some(epochs) = epochs {
            settings.train.epochs = epochs;
        }
        let (began_with, found) = (read("data.txt")?, data.fingerprint()?);
        if began_with.trim() != found {
            bail!(
                "{} began with data {}, but {} is {}: a run goes on only with its own data",
                folder.display(),
                short(&began_with),
                data.path().display(),
                short(&found)
            );
        }
        let mut records = history::read(&folder.join("history.json"))?;
        // The newest epoch's files may not have reached the disk: go back to one that has all three.
        while let Some(last) = records.last()
            && !["model", "optim", "scheduler"].iter().all(|name| {
                folder
                    .join(format!("checkpoint/{name}-{}.bpk", last.epoch))
                    .exists()
            })
        {
            records.pop();
        }
        Ok(Self {
            folder: folder.to_owned(),
            settings,
            records,
        })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Epochs done already.
    pub fn epochs_done(&self) -> usize {
        self.records.len()
    }

    /// Trains to the end (or to Ctrl-C) and writes the best model. Gives the path of the model and its number of epochs.
    pub fn train(self, data: &Dataset, device: &Device) -> Result<(PathBuf, Checkpoint)> {
        let Settings { model: spec, train } = &self.settings;
        let (task, valid_task) = (data.task_of(Split::Train), data.task_of(Split::Valid));
        let training_device = device.clone().autodiff();
        spec.fits(&task)?;
        check_steps(&self.settings, data)?;
        let tasks = [&task, &valid_task];
        let procedure = Procedure::new(spec, train, tasks, &training_device, device);
        let network = Network::init(spec, train.seed, &training_device);
        let trainee = Trainee::new(network, procedure);
        let template = trainee.clone();

        let done = self.records.len();
        let (train_cases, valid_cases) = (data.load(Split::Train)?, data.load(Split::Valid)?);
        let steps = train_cases.len().div_ceil(train.batch);
        let train_loader = Batches::new(
            train_cases,
            train.batch,
            true,
            train.seed,
            done,
            &training_device,
        )
        .with_steps(train.steps);
        let valid_loader = Batches::new(valid_cases, train.batch, false, !train.seed, done, device)
            .with_steps(train.steps);

        let interrupter = Interrupter::new();
        let history_file = self.folder.join("history.json");
        let history = History::new(&history_file, self.records.clone(), train, steps);
        if !history.rules().finished() {
            let mut training = SupervisedTraining::new(
                &self.folder,
                Arc::new(train_loader),
                Arc::new(valid_loader),
            )
            .metrics((LossMetric::new(),))
            .with_default_checkpointers()
            .with_interrupter(interrupter.clone())
            .early_stopping(history.clone())
            .num_epochs(train.epochs)
            .with_training_strategy(ExecutionStrategy::single(training_device.clone()).into());
            if done > 0 {
                training = training.checkpoint(done);
            }
            if !std::io::stdout().is_terminal() {
                training = training.renderer(Box::new(PlainLines::new(history.clone())));
            }
            let optimiser = AdamConfig::new().with_epsilon(1e-8).init();
            let _watch = stop_on_ctrl_c(&interrupter);
            let result = training.launch(Learner::new(trainee, optimiser, history.clone()));
            if let Some(error) = result.error {
                return Err(anyhow!(
                    "training stopped in epoch {}: {error}",
                    history.rules().epochs + 1
                ));
            }
        }
        let rules = history.rules();
        let folder = self.folder.display();
        let Some((best, _)) = rules.best else {
            bail!(match history.failure() {
                Some(reason) => anyhow!("{folder}: {reason}"),
                None => anyhow!(Interrupted(format!(
                    "no epoch of {folder} was finished; `--resume` begins it again"
                ))),
            });
        };
        let path = self.folder.join(Checkpoint::FILE_NAME);
        let checkpoint = self.best_model(&template, best, rules.epochs, data)?;
        files::write_atomic(&path, &checkpoint.encode(Precision::F32)?)?;
        if let Some(reason) = history.failure() {
            bail!("{folder}: {reason}");
        }
        if interrupter.interruption().is_some() && !rules.finished() {
            bail!(Interrupted(format!(
                "{} epochs are kept in {folder}, `--resume` goes on",
                rules.epochs
            )));
        }
        Ok((path, checkpoint))
    }

    fn best_model(
        &self,
        template: &Trainee,
        epoch: usize,
        epochs: usize,
        data: &Dataset,
    ) -> Result<Checkpoint> {
        let record = FileCheckpointer::new(self.folder.join("checkpoint"), "model")
            .restore(epoch)
            .map_err(|e| {
                anyhow!(
                    "the record of the best epoch {epoch} in {}: {e}",
                    self.folder.display()
                )
            })?;
        let network = template.clone().load_record(record).network;
        let tensors = network
            .tensors()
            .into_iter()
            .map(|t| {
                t.try_to_vec::<f32>()
                    .map_err(|e| anyhow!("a trained tensor: {e:?}"))
            })
            .collect::<Result<_>>()?;
        Ok(Checkpoint {
            header: Header {
                spec: self.settings.model.clone(),
                task: data.task_of(Split::Train),
                provenance: Provenance {
                    command: crate::cli::command_line(),
                    created: date::today(),
                    version: env!("CARGO_PKG_VERSION").into(),
                    data: format!(
                        "{} {}: {} train, {} valid, {} test",
                        data.experiment(),
                        short(&data.fingerprint()?),
                        data.split(Split::Train).len(),
                        data.split(Split::Valid).len(),
                        data.split(Split::Test).len()
                    ),
                    seed: self.settings.train.seed,
                    epochs: epochs as u32,
                    settings: self.settings.pairs()?,
                    note: format!("weights of epoch {epoch}, the lowest validation loss"),
                }
                .tidied(),
                scores: None,
                precision: Precision::F32,
            },
            tensors,
        })
    }
}

fn check_steps(settings: &Settings, data: &Dataset) -> Result<()> {
    let steps = settings.train.steps;
    data.check_steps(steps).context("setting `train.steps`")
}

/// The first characters of a hash: enough for people.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Passes Ctrl-C on to the trainer, between two steps.
fn stop_on_ctrl_c(interrupter: &Interrupter) -> std::thread::JoinHandle<()> {
    interrupt::watch();
    let interrupter = interrupter.clone();
    std::thread::spawn(move || {
        while !interrupter.should_stop() {
            if interrupt::requested() {
                interrupter.stop(Some("Ctrl-C"));
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    })
}
