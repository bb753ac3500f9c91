//! What a run remembers: one record per finished epoch, from which the rules are replayed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use burn::optim::LearningRate;
use burn::optim::lr_scheduler::{LrScheduler, LrSchedulerRecord};
use burn::train::EarlyStoppingStrategy;
use burn::train::checkpoint::{CheckpointingAction, CheckpointingStrategy};
use burn::train::metric::store::EventStoreClient;
use serde::{Deserialize, Serialize};

use super::procedure::Members;
use super::rules::Rules;
use super::settings::TrainSettings;

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
    /// Members per case in training.
    #[serde(default)]
    pub members: usize,
    /// Steps of the forecast in the loss.
    #[serde(default)]
    pub steps: usize,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Which loss a batch is counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Training.
    Train,
    /// Validation.
    Valid,
}

/// The history of a running training: learning rate, stopping and what is saved hang on it.
#[derive(Clone)]
pub struct History(Arc<Mutex<State>>);

struct State {
    records: Vec<EpochRecord>,
    rules: Rules,
    settings: TrainSettings,
    /// Stage of the coming epoch, for those who make its batches.
    stage: Arc<AtomicUsize>,
    /// Batches of an epoch of each stage.
    batches: Vec<usize>,
    /// Cases of a whole validation in each stage; an epoch with fewer does not count.
    valid_cases: Vec<usize>,
    step: usize,
    /// Sum of the losses of this epoch and their number, per phase.
    losses: [(f64, usize); 2],
    began: Instant,
    failure: Option<String>,
}

impl State {
    /// The number of the stage of the coming epoch.
    fn of_stage(&self, numbers: &[usize]) -> usize {
        numbers.get(self.rules.stage).copied().unwrap_or_default()
    }
}

impl History {
    /// Goes on after `records`, with so many batches an epoch and so many cases in a validation, by stage.
    pub fn new(
        records: Vec<EpochRecord>,
        settings: &TrainSettings,
        batches: Vec<usize>,
        valid_cases: Vec<usize>,
    ) -> Self {
        let rules = replay(settings, &records);
        Self(Arc::new(Mutex::new(State {
            stage: Arc::new(AtomicUsize::new(rules.stage)),
            rules,
            records,
            settings: settings.clone(),
            batches,
            valid_cases,
            step: 0,
            losses: [(0.0, 0); 2],
            began: Instant::now(),
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

    /// Learning rate of the next step, and the largest norm of a gradient.
    pub fn pace(&self) -> (f64, f64) {
        let state = self.state();
        let fraction = state.step as f64 / state.of_stage(&state.batches).max(1) as f64;
        (state.rules.learning_rate(fraction), state.settings.clip)
    }

    /// Stage of the coming epoch, from 0.
    pub fn stage(&self) -> Arc<AtomicUsize> {
        self.state().stage.clone()
    }

    /// Batches of an epoch.
    pub fn batches(&self) -> usize {
        let state = self.state();
        state.of_stage(&state.batches)
    }

    /// Why training had to end, if not because it was done.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// Training has to end for this reason; the first one counts.
    pub fn fail(&self, reason: String) {
        self.state().failure.get_or_insert(reason);
    }

    /// Records of all epochs.
    pub fn records(&self) -> Vec<EpochRecord> {
        self.state().records.clone()
    }

    /// Records of the epochs up to and including one.
    pub fn records_until(&self, epoch: usize) -> Vec<EpochRecord> {
        let state = self.state();
        let until = state.records.iter().take_while(|r| r.epoch <= epoch);
        until.cloned().collect()
    }

    /// Counts the mean loss of some cases.
    pub fn count(&self, phase: Phase, loss: f64, cases: usize) {
        let (sum, count) = &mut self.state().losses[phase as usize];
        *sum += loss * cases as f64;
        *count += cases;
    }

    /// Closes an epoch; says whether it may be saved.
    fn close(&self, epoch: usize) -> bool {
        let mut state = self.state();
        let losses = std::mem::replace(&mut state.losses, [(0.0, 0); 2]);
        let [train_loss, valid_loss] = losses.map(|(sum, count)| sum / count as f64);
        if state.failure.is_some() {
            return false;
        }
        let validated = losses[Phase::Valid as usize].1;
        let wanted = state.of_stage(&state.valid_cases);
        if validated != wanted {
            // burn-train does not save an epoch that was interrupted; should it ever, the mean of some of the cases is not
            // the validation loss, and a run that was never stopped has another.
            state.failure = Some(format!(
                "epoch {epoch} does not count: its validation saw {validated} of {wanted} cases; `--resume` does it again"
            ));
            return false;
        }
        if !valid_loss.is_finite() {
            let reason = format!(
                "the validation loss of epoch {epoch} is {valid_loss}: {}",
                advice(&state.settings, state.rules.learning_rate(1.0), epoch - 1)
            );
            state.failure = Some(reason);
            return false;
        }
        let members = Members::new(&state.settings);
        let record = EpochRecord {
            epoch,
            train_loss: train_loss.is_finite().then_some(train_loss),
            valid_loss,
            learning_rate: state.rules.learning_rate(1.0),
            members: members.at(epoch - 1, state.rules.stage),
            steps: state.rules.steps(),
            seconds: Some(state.began.elapsed().as_secs_f64()),
        };
        state.rules.observe(valid_loss);
        state.stage.store(state.rules.stage, Ordering::SeqCst);
        state.records.push(record);
        (state.step, state.began) = (0, Instant::now());
        true
    }

    /// What is worth changing when the numbers run away; the last sentence of such a message.
    pub fn advice(&self, epoch: usize) -> String {
        let (rate, _) = self.pace();
        advice(&self.state().settings, rate, epoch - 1)
    }
}

fn advice(settings: &TrainSettings, rate: f64, kept: usize) -> String {
    let kept = match kept {
        0 => "no epoch was finished before".to_owned(),
        kept => format!("the state after epoch {kept} is kept"),
    };
    format!(
        "{kept}; begin a run with a lower train.learning_rate (it was {rate:.1e}) or train.clip (it was {}), or look for values in the data that are far from all others",
        settings.clip
    )
}

/// The rules after some epochs.
pub fn replay(settings: &TrainSettings, records: &[EpochRecord]) -> Rules {
    let losses: Vec<f64> = records.iter().map(|r| r.valid_loss).collect();
    Rules::replay(settings, &losses)
}

impl LrScheduler for History {
    fn step(&mut self) -> LearningRate {
        let rate = self.pace().0;
        self.state().step += 1;
        rate
    }

    // The rate follows from the history, so there is nothing to store here.
    fn to_record(&self) -> LrSchedulerRecord {
        LrSchedulerRecord::new()
    }

    fn load_record(&mut self, _record: LrSchedulerRecord) {}
}

// Asked before anything is saved, so that the record of an epoch is in the state that is saved after it.
impl CheckpointingStrategy for History {
    fn checkpointing(&mut self, epoch: usize, _: &EventStoreClient) -> Vec<CheckpointingAction> {
        if self.close(epoch) {
            vec![CheckpointingAction::Save]
        } else {
            vec![]
        }
    }
}

impl EarlyStoppingStrategy for History {
    fn should_stop(&mut self, _epoch: usize, _: &EventStoreClient) -> bool {
        let state = self.state();
        state.failure.is_some() || state.rules.finished()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Size;
    use pno::spec::{Method, Profile};

    fn history() -> History {
        let train = TrainSettings::general(Method::Det, Profile::Fixed, Size::Demo);
        History::new(vec![], &train.expect("a preset"), vec![2], vec![5])
    }

    #[test]
    fn an_epoch_counts_when_all_cases_were_validated() {
        let history = history();
        history.count(Phase::Train, 3.0, 8);
        history.count(Phase::Valid, 1.0, 4);
        history.count(Phase::Valid, 6.0, 1);
        assert!(history.close(1));
        assert_eq!(history.records()[0].valid_loss, 2.0);
        assert_eq!(history.failure(), None);
    }

    #[test]
    fn an_epoch_whose_validation_was_cut_short_never_counts() {
        let history = history();
        history.count(Phase::Train, 3.0, 8);
        // The lowest loss there ever was, of four cases of five.
        history.count(Phase::Valid, 0.1, 4);
        assert!(!history.close(1));
        assert!(history.records().is_empty() && history.rules().best.is_none());
        let reason = history.failure().expect("a reason");
        assert!(reason.contains("saw 4 of 5 cases"), "{reason}");
        // Nothing of it is left for the next one.
        history.state().failure = None;
        history.count(Phase::Valid, 2.0, 5);
        assert!(history.close(1));
        assert_eq!(history.records()[0].valid_loss, 2.0);
    }
}
