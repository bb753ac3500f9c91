//! What a run folder remembers: one line per finished epoch, from which the rules are replayed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use burn::optim::LearningRate;
use burn::optim::lr_scheduler::{LrScheduler, LrSchedulerRecord};
use burn::train::EarlyStoppingStrategy;
use burn::train::metric::store::{Aggregate, EventStoreClient, Split};
use serde::{Deserialize, Serialize};

use super::rules::Rules;
use super::settings::TrainSettings;
use crate::files;

/// One finished epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean training loss.
    pub train_loss: Option<f64>,
    /// Mean validation loss.
    pub valid_loss: f64,
    /// Learning rate at the end of the epoch.
    pub learning_rate: f64,
}

/// Reads `history.json`; an absent file is an empty history.
pub fn read(path: &Path) -> Result<Vec<EpochRecord>> {
    if !path.exists() {
        return Ok(vec![]);
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{}: not a history of epochs", path.display()))
}

/// The history of a running training: learning rate, stopping and the file hang on it.
#[derive(Clone)]
pub struct History(Arc<Mutex<State>>);

struct State {
    path: PathBuf,
    records: Vec<EpochRecord>,
    rules: Rules,
    steps_per_epoch: usize,
    step: usize,
    failure: Option<String>,
}

impl History {
    /// Goes on after `records`.
    pub fn new(
        path: &Path,
        records: Vec<EpochRecord>,
        settings: &TrainSettings,
        steps_per_epoch: usize,
    ) -> Self {
        let losses: Vec<f64> = records.iter().map(|r| r.valid_loss).collect();
        Self(Arc::new(Mutex::new(State {
            path: path.to_owned(),
            rules: Rules::replay(settings, &losses),
            records,
            steps_per_epoch,
            step: 0,
            failure: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the run stands.
    pub fn rules(&self) -> Rules {
        self.state().rules.clone()
    }

    /// Why training had to end, if not because it was done.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// The newest epoch's record.
    pub fn last(&self) -> Option<EpochRecord> {
        self.state().records.last().cloned()
    }
}

impl LrScheduler for History {
    fn step(&mut self) -> LearningRate {
        let mut state = self.state();
        let fraction = state.step as f64 / state.steps_per_epoch.max(1) as f64;
        state.step += 1;
        state.rules.learning_rate(fraction)
    }

    // The rate follows from the history, so there is nothing to store here.
    fn to_record(&self) -> LrSchedulerRecord {
        LrSchedulerRecord::new()
    }

    fn load_record(&mut self, _record: LrSchedulerRecord) {}
}

impl EarlyStoppingStrategy for History {
    fn should_stop(&mut self, epoch: usize, store: &EventStoreClient) -> bool {
        let mean = |split: &Split| store.find_metric("Loss", epoch, Aggregate::Mean, split);
        let (train_loss, valid_loss) = (mean(&Split::Train), mean(&Split::Valid));
        let mut state = self.state();
        let Some(valid_loss) = valid_loss.filter(|loss| loss.is_finite()) else {
            let reason = format!(
                "the validation loss of epoch {epoch} is not a finite number: try a lower train.learning_rate"
            );
            state.failure = Some(reason);
            return true;
        };
        let learning_rate = state.rules.learning_rate(1.0);
        state.rules.observe(valid_loss);
        state.step = 0;
        state.records.push(EpochRecord {
            epoch,
            train_loss,
            valid_loss,
            learning_rate,
        });
        let written = serde_json::to_vec_pretty(&state.records)
            .map_err(anyhow::Error::from)
            .and_then(|bytes| files::write_atomic(&state.path, &bytes));
        if let Err(error) = written {
            state.failure = Some(format!("{error:#}"));
            return true;
        }
        state.rules.finished()
    }
}
