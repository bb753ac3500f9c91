//! The states of a run on the disk: written as a whole, the old ones removed, the newest usable one found again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use burn::tensor::Bytes;
use burn::train::checkpoint::{Checkpoint, Checkpointer, CheckpointerError};

use super::history::{EpochRecord, History};
use super::state::{Part, State};
use crate::{files, logger};

const FOLDER: &str = "checkpoint";
const ENDING: &str = "state";

/// Where the state after an epoch is.
pub fn path(run: &Path, epoch: usize) -> PathBuf {
    run.join(FOLDER).join(format!("epoch-{epoch}.{ENDING}"))
}

/// Reads the state after an epoch.
pub fn read(run: &Path, epoch: usize) -> Result<State> {
    let path = path(run, epoch);
    let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    State::decode(&bytes).with_context(|| format!("{} cannot be used", path.display()))
}

/// Epochs whose state is there, ascending.
pub fn epochs(run: &Path) -> BTreeSet<usize> {
    let number = |name: &str| {
        let name = name.strip_prefix("epoch-")?;
        name.strip_suffix(ENDING)?.strip_suffix('.')?.parse().ok()
    };
    let entries = std::fs::read_dir(run.join(FOLDER)).into_iter().flatten();
    entries
        .flatten()
        .filter_map(|entry| number(&entry.file_name().to_string_lossy()))
        .collect()
}

/// What was found in a run folder.
#[derive(Debug, Default)]
pub struct Found {
    /// The newest state that can be used; none if no epoch has ended yet.
    pub state: Option<State>,
    /// A sentence for every state that cannot.
    pub damaged: Vec<String>,
}

/// The newest state of a run that can be used: it is whole, and so is that of its best epoch.
pub fn newest(run: &Path) -> Found {
    let mut found = Found::default();
    for epoch in epochs(run).into_iter().rev() {
        let state = read(run, epoch).and_then(|state| {
            if let Some(best) = best(&state.records).filter(|best| *best != epoch) {
                read(run, best)?;
            }
            Ok(state)
        });
        match state {
            Ok(state) => {
                found.state = Some(state);
                break;
            }
            Err(error) => found.damaged.push(format!("{error:#}")),
        }
    }
    found
}

/// The epoch of the lowest validation loss in the newest stage: losses of forecasts of different length do not compare.
fn best(records: &[EpochRecord]) -> Option<usize> {
    let steps = records.last()?.steps;
    let before = records.iter().rposition(|record| record.steps != steps);
    let stage = &records[before.map_or(0, |last| last + 1)..];
    let first = stage.iter().reduce(|best, record| {
        if record.valid_loss < best.valid_loss {
            record
        } else {
            best
        }
    });
    first.map(|record| record.epoch)
}

/// Epochs to keep: the newest two and the best as each of them knew it (so that a damaged newest state costs one epoch
/// and never the best model), and every `keep_every`-th.
pub fn kept(records: &[EpochRecord], keep_every: usize) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    for records in [
        records,
        records.split_last().map_or(&[], |(_, before)| before),
    ] {
        kept.extend(records.last().map(|record| record.epoch));
        kept.extend(best(records));
    }
    if keep_every > 0 {
        let epochs = records.iter().map(|record| record.epoch);
        kept.extend(epochs.filter(|epoch| epoch % keep_every == 0));
    }
    kept
}

/// Removes the states of older epochs that are not to be kept. Newer ones are damaged, and made again.
pub fn remove_old(run: &Path, records: &[EpochRecord], keep_every: usize) {
    let kept = kept(records, keep_every);
    let newest = records.last().map_or(0, |record| record.epoch);
    for old in epochs(run).difference(&kept).filter(|e| **e < newest) {
        let _ = std::fs::remove_file(path(run, *old));
    }
}

/// Collects the parts of the newest state and writes them as one file.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    run: PathBuf,
    keep_every: usize,
    history: History,
    pending: Mutex<BTreeMap<usize, Parts>>,
}

/// What has come of one epoch's state.
type Parts = [Option<Vec<u8>>; Part::COUNT];

impl Store {
    /// States of a run in its folder, with the history that goes into them.
    pub fn new(run: &Path, keep_every: usize, history: History) -> Result<Self> {
        let folder = run.join(FOLDER);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Self(Arc::new(Shared {
            run: run.to_owned(),
            keep_every,
            history,
            pending: Mutex::default(),
        })))
    }

    /// What burn-train hands one part to.
    pub fn part(&self, part: Part) -> PartCheckpointer {
        PartCheckpointer {
            store: self.clone(),
            part,
        }
    }

    /// Takes a part; the last one to come has the state written.
    ///
    /// Each part comes on a thread of its own, so one of the next epoch may come before the last one of this. Every thread
    /// keeps its order, so the states themselves are complete in the order of the epochs.
    fn put(&self, part: Part, epoch: usize, bytes: Vec<u8>) -> Result<()> {
        let mut pending = self
            .0
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let parts = pending.entry(epoch).or_default();
        parts[part as usize] = Some(bytes);
        if parts.iter().any(Option::is_none) {
            return Ok(());
        }
        let parts = pending.remove(&epoch).unwrap_or_default();
        let parts = parts.map(Option::unwrap_or_default);
        let records = self.0.history.records_until(epoch);
        self.write(&State { records, parts }, epoch)
    }

    fn write(&self, state: &State, epoch: usize) -> Result<()> {
        let run = &self.0.run;
        // An epoch in which a kernel failed is not one to go on from.
        logger::check()?;
        files::write_atomic(&path(run, epoch), &state.encode()?)?;
        // Nothing is removed before the new state is on the disk.
        remove_old(run, &state.records, self.0.keep_every);
        super::metrics::write(run, &state.records)
    }
}

/// Saves one part of every state.
pub struct PartCheckpointer {
    store: Store,
    part: Part,
}

impl<R: Checkpoint> Checkpointer<R> for PartCheckpointer {
    fn save(&self, epoch: usize, record: R) -> Result<(), CheckpointerError> {
        let bytes = record
            .checkpoint_into_bytes()
            .map_err(CheckpointerError::Record)?;
        let put = self.store.put(self.part, epoch, bytes.to_vec());
        put.map_err(|error| {
            let sentence = format!("{error:#}");
            self.store.0.history.fail(sentence.clone());
            CheckpointerError::Unknown(sentence)
        })
    }

    // Old states are removed when a new one is on the disk, and not before.
    fn delete(&self, _epoch: usize) -> Result<(), CheckpointerError> {
        Ok(())
    }

    fn restore(&self, epoch: usize) -> Result<R, CheckpointerError> {
        let state = read(&self.store.0.run, epoch);
        let mut state = state.map_err(|e| CheckpointerError::Unknown(format!("{e:#}")))?;
        let bytes = std::mem::take(&mut state.parts[self.part as usize]);
        record(bytes)
    }
}

/// A record from the bytes of its part.
pub fn record<R: Checkpoint>(bytes: Vec<u8>) -> Result<R, CheckpointerError> {
    R::checkpoint_from_bytes(Bytes::from_bytes_vec(bytes)).map_err(CheckpointerError::Record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(losses: &[f64]) -> Vec<EpochRecord> {
        let record = |(i, loss): (usize, &f64)| EpochRecord {
            epoch: i + 1,
            train_loss: None,
            valid_loss: *loss,
            learning_rate: 1e-3,
            members: 3,
            steps: 1,
            seconds: None,
        };
        losses.iter().enumerate().map(record).collect()
    }

    fn save(run: &Path, losses: &[f64]) {
        std::fs::create_dir_all(run.join(FOLDER)).expect("a folder");
        let state = State {
            records: records(losses),
            parts: [vec![1], vec![2], vec![3]],
        };
        let bytes = state.encode().expect("encodes");
        files::write_atomic(&path(run, losses.len()), &bytes).expect("writes");
    }

    fn store(run: &Path, losses: &[f64]) -> Store {
        use crate::data::Size;
        use crate::train::settings::TrainSettings;
        use pno::spec::{Method, Profile};
        let train = TrainSettings::general(Method::Det, Profile::Fixed, Size::Demo);
        let history = History::new(records(losses), &train.expect("a preset"), vec![1], vec![1]);
        Store::new(run, 0, history).expect("a store")
    }

    #[test]
    fn the_best_the_newest_two_and_every_kth_are_kept() {
        let kept = |losses: &[f64], every| {
            let kept: Vec<usize> = kept(&records(losses), every).into_iter().collect();
            kept
        };
        assert_eq!(kept(&[3.0, 1.0, 2.0, 2.0, 2.0, 2.0], 0), [2, 5, 6]);
        assert_eq!(kept(&[3.0, 1.0, 2.0, 2.0, 2.0, 2.0], 4), [2, 4, 5, 6]);
        // The last epoch is the best: until the next one, the best before it is kept as well.
        assert_eq!(kept(&[3.0, 1.0, 2.0, 2.0, 2.0, 0.5], 0), [2, 5, 6]);
        assert_eq!(kept(&[3.0], 0), [1]);
        // A second stage: its own best counts, although the loss of two steps is higher than that of one.
        let mut staged = records(&[3.0, 1.0, 2.0, 5.0, 4.0, 4.5, 4.6]);
        staged[3..].iter_mut().for_each(|record| record.steps = 2);
        let epochs = |count| -> Vec<usize> {
            let kept = super::kept(&staged[..count], 0);
            kept.into_iter().collect()
        };
        assert_eq!(
            epochs(4),
            [2, 3, 4],
            "the best of both stages at the border"
        );
        assert_eq!(epochs(7), [5, 6, 7]);
        assert_eq!(kept(&[], 0), [] as [usize; 0]);
    }

    #[test]
    fn a_part_that_comes_after_one_of_the_next_epoch_is_not_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path(), &[2.0, 1.0]);
        let put = |part, epoch: usize| {
            let bytes = vec![epoch as u8, part as u8];
            store.put(part, epoch, bytes).expect("put");
        };
        for (part, epoch) in [
            (Part::Model, 1),
            (Part::Optimiser, 1),
            (Part::Model, 2),
            (Part::Optimiser, 2),
            (Part::Schedule, 1),
            (Part::Schedule, 2),
        ] {
            put(part, epoch);
        }
        for epoch in [1, 2] {
            let state = read(folder.path(), epoch).expect("a state");
            assert_eq!(state.records.len(), epoch);
            let wanted = [Part::Model, Part::Optimiser, Part::Schedule];
            assert_eq!(
                state.parts,
                wanted.map(|part| vec![epoch as u8, part as u8])
            );
        }
    }

    #[test]
    fn an_epoch_in_which_a_kernel_failed_is_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = State {
            records: records(&[2.0]),
            parts: [vec![1], vec![2], vec![3]],
        };
        let store = store(folder.path(), &[2.0]);
        let failed = crate::logger::play_failure(|| store.write(&state, 1));
        let said = failed.expect_err("refused").to_string();
        assert!(said.contains("not to be trusted"), "{said}");
        assert!(newest(folder.path()).state.is_none());
        store.write(&state, 1).expect("kept");
        assert!(newest(folder.path()).state.is_some());
    }

    #[test]
    fn a_damaged_newest_state_costs_one_epoch() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path();
        assert!(newest(run).state.is_none(), "nothing there");
        for losses in [&[3.0][..], &[3.0, 2.0], &[3.0, 2.0, 1.0]] {
            save(run, losses);
        }
        assert_eq!(newest(run).state.expect("a state").records.len(), 3);
        let newest_path = path(run, 3);
        let mut bytes = std::fs::read(&newest_path).expect("reads");
        bytes.truncate(bytes.len() / 2);
        std::fs::write(&newest_path, bytes).expect("writes");
        let found = newest(run);
        assert_eq!(found.state.expect("a state").records.len(), 2);
        assert!(
            found.damaged[0].contains("epoch-3.state"),
            "{found:?}",
            found = found.damaged
        );
    }

    #[test]
    fn old_states_that_a_killed_process_left_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path();
        let losses = [3.0, 1.0, 2.0, 2.0, 2.0];
        for epochs in 1..=5 {
            save(run, &losses[..epochs]);
        }
        remove_old(run, &records(&losses[..4]), 0);
        // The best, the newest two, and what is newer than those.
        let left: Vec<usize> = epochs(run).into_iter().collect();
        assert_eq!(left, [2, 3, 4, 5]);
    }

    #[test]
    fn a_state_without_its_best_epoch_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path();
        save(run, &[1.0, 2.0]);
        save(run, &[1.0, 2.0, 3.0]);
        assert!(newest(run).state.is_none());
        save(run, &[1.0]);
        assert_eq!(newest(run).state.expect("a state").records.len(), 3);
    }
}
