//! Where the trajectories of an epoch come from: the data set, or straight from a solver.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, anyhow};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::portion::Portion;
use crate::data::{Fresh, Loaded};

/// Bytes of a block of new trajectories, about; two blocks are in memory at once, and a third where devices share batches.
const BLOCK_BYTES: usize = 128 << 20;

/// The trajectories of all epochs, in blocks of consecutive ones.
#[derive(Clone)]
pub enum Trajectories {
    /// The same in all epochs, in one block.
    Stored(Arc<Loaded>),
    /// New ones in every epoch.
    New(Arc<Blocks>),
}

impl From<Loaded> for Trajectories {
    fn from(loaded: Loaded) -> Self {
        Self::Stored(Arc::new(loaded))
    }
}

impl Trajectories {
    /// Trajectories of an epoch.
    pub fn number(&self) -> usize {
        match self {
            Self::Stored(loaded) => loaded.len(),
            Self::New(blocks) => blocks.number,
        }
    }

    /// Trajectories of a block: so many that no batch needs more than one.
    pub fn per_block(&self, portion: Portion) -> usize {
        match self {
            Self::Stored(loaded) => loaded.len(),
            Self::New(blocks) => blocks.per_block(portion.batch),
        }
    }

    /// Some trajectories of an epoch.
    pub fn block(&self, key: Key) -> Result<Arc<Loaded>> {
        match self {
            Self::Stored(loaded) => Ok(loaded.clone()),
            Self::New(blocks) => blocks.get(key),
        }
    }
}

/// A block of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Epochs done before.
    pub epoch: usize,
    /// Its first trajectory.
    pub first: usize,
    /// Trajectories of a whole block; the last one of an epoch may have fewer.
    pub size: usize,
}

/// A block that somebody makes, or has made.
type Slot = Arc<OnceLock<Result<Arc<Loaded>, String>>>;

/// New trajectories for every epoch. A trajectory is a function of seed, epoch and place in the epoch, so whoever begins
/// again has the same; while a block is worked on, all cores make the next one.
pub struct Blocks {
    making: Arc<Making>,
    /// Trajectories of an epoch.
    number: usize,
    /// Epochs of the run, of which the last has none after it.
    epochs: usize,
    /// Bytes of a block.
    bytes: usize,
    /// Blocks in memory: devices that share batches may be in two of them.
    most: usize,
    slots: Mutex<VecDeque<(Key, Slot)>>,
}

struct Making {
    fresh: Fresh,
    pool: ThreadPool,
    stop: AtomicBool,
}

impl Blocks {
    /// So many trajectories for each of at most so many epochs, for some devices.
    pub fn new(fresh: Fresh, number: usize, epochs: usize, devices: usize) -> Result<Self> {
        // Threads of its own: a step of the training must not wait until a trajectory is made.
        let pool = ThreadPoolBuilder::new()
            .thread_name(|i| format!("solver {i}"))
            .build()
            .context("threads for new trajectories")?;
        Ok(Self {
            making: Arc::new(Making {
                fresh,
                pool,
                stop: AtomicBool::new(false),
            }),
            number,
            epochs,
            bytes: BLOCK_BYTES,
            most: if devices > 1 { 3 } else { 2 },
            slots: Mutex::default(),
        })
    }

    /// As many as fit, in whole batches and whole groups of those that are made together.
    fn per_block(&self, batch: usize) -> usize {
        let unit = batch * self.making.fresh.at_once();
        let fit = self.bytes / self.making.fresh.bytes().max(1);
        (fit / unit * unit).max(unit).min(self.number)
    }

    /// A block, which may be there already; the next one is begun.
    fn get(&self, key: Key) -> Result<Arc<Loaded>> {
        let (slot, _) = self.slot(key);
        if let Some(next) = self.after(key)
            && let (slot, true) = self.slot(next)
        {
            let (making, rows) = (self.making.clone(), self.rows(next));
            std::thread::spawn(move || {
                slot.get_or_init(|| making.block(rows));
            });
        }
        // Whoever comes while it is made waits for it.
        let made = slot.get_or_init(|| self.making.block(self.rows(key)));
        made.clone().map_err(|error| anyhow!(error))
    }

    /// The place of a block, and whether it is a new one. The oldest gives way.
    fn slot(&self, key: Key) -> (Slot, bool) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = slots.iter().find(|(found, _)| *found == key) {
            return (slot.clone(), false);
        }
        let slot = Slot::default();
        slots.push_back((key, slot.clone()));
        if slots.len() > self.most {
            slots.pop_front();
        }
        (slot, true)
    }

    /// The block after another: of this epoch, or the first of the next.
    fn after(&self, key: Key) -> Option<Key> {
        let first = key.first + key.size;
        if first < self.number {
            return Some(Key { first, ..key });
        }
        let epoch = key.epoch + 1;
        (epoch < self.epochs).then_some(Key {
            epoch,
            first: 0,
            ..key
        })
    }

    /// The numbers of its trajectories. Those of an epoch begin with a whole group of those that are made together.
    fn rows(&self, key: Key) -> std::ops::Range<usize> {
        let begin = key.epoch * self.number.next_multiple_of(self.making.fresh.at_once());
        begin + key.first..begin + (key.first + key.size).min(self.number)
    }
}

impl Making {
    fn block(&self, rows: std::ops::Range<usize>) -> Result<Arc<Loaded>, String> {
        let made = self.pool.install(|| self.fresh.made(rows, &self.stop));
        made.map(Arc::new).map_err(|error| format!("{error:#}"))
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        // Nobody waits for the block after the last one.
        self.making.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Counts, Dataset, Split, write};
    use crate::experiments::{self, DataRecipe, Unusual};
    use crate::train::batches::Batches;
    use burn::data::dataloader::DataLoader;
    use burn::tensor::{Device, Tensor};
    use pno::spec::{Experiment, Profile};

    /// Seven trajectories to train with, in a data set of nine.
    fn data(folder: &std::path::Path) -> Dataset {
        let recipe = DataRecipe {
            shares: Counts([7, 1, 1]).0,
            grid: vec![64],
            profile: Profile::Paper,
            frames: None,
            seed: 5,
        };
        let source = recipe.source(Experiment::KsStep, Unusual::default());
        let out = folder.join("steps");
        write(&*source.expect("a source"), &out, false, |_| ()).expect("written");
        Dataset::open(&out).expect("a data set")
    }

    fn blocks(data: &Dataset, bytes: usize) -> Trajectories {
        let fresh = experiments::fresh(data, 11).expect("generated");
        let bytes = bytes * fresh.bytes();
        let mut blocks = Blocks::new(fresh, 7, 3, 2).expect("threads");
        blocks.bytes = bytes;
        Trajectories::New(Arc::new(blocks))
    }

    /// First value of input and truth of every case of two epochs, batch by batch.
    fn epochs(loader: &dyn DataLoader<crate::train::batches::Batch>) -> Vec<Vec<[f32; 2]>> {
        let first = |t: Tensor<2>| -> Vec<f32> {
            let column = t.narrow(1, 0, 1).into_data();
            column.try_to_vec().expect("f32")
        };
        let mut all = vec![];
        for _ in 0..2 {
            for batch in loader.iter() {
                let batch = batch.expect("made");
                let input = batch.input.clone().reshape([batch.cases(), 64]);
                let pairs = first(input).into_iter().zip(first(batch.truths[0].clone()));
                all.push(pairs.map(|(a, b)| [a, b]).collect());
            }
        }
        all
    }

    #[test]
    fn a_generator_with_the_seed_of_the_data_makes_the_data() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = data(folder.path());
        let fresh = experiments::fresh(&data, 5).expect("generated");
        let made = fresh.made(0..9, &AtomicBool::new(false)).expect("made");
        for &case in data.split(Split::Train) {
            assert_eq!(made.case(case), data.case(case).expect("a case"), "{case}");
        }
        let other = experiments::fresh(&data, 6).expect("generated");
        let other = other.made(0..1, &AtomicBool::new(false)).expect("made");
        assert_ne!(other.case(0), made.case(0));
    }

    #[test]
    fn every_epoch_has_its_own_and_whoever_begins_again_has_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = data(folder.path());
        let portion = Portion {
            batch: 2,
            entries: 3,
            steps: 1,
        };
        let device = Device::flex();
        let loader = |bytes, epoch| {
            Batches::new(blocks(&data, bytes), 2, true, 3, epoch, &device).in_stages(vec![portion])
        };
        // Blocks of four and three trajectories, or all seven at once.
        let found = [4, 100].map(|bytes| epochs(&loader(bytes, 0)));
        for all in &found {
            assert_eq!(all.len(), 2 * 11);
            let (one, two) = all.split_at(11);
            let sorted = |batches: &[Vec<[f32; 2]>]| {
                let mut values: Vec<[u32; 2]> = (batches.iter().flatten())
                    .map(|pair| pair.map(f32::to_bits))
                    .collect();
                values.sort_unstable();
                values
            };
            let (one, two) = (sorted(one), sorted(two));
            assert_eq!((one.len(), two.len()), (21, 21));
            assert!(one.iter().all(|case| !two.contains(case)));
            // The same cases, whatever fits into a block.
            let whole = &found[1];
            assert_eq!(one, sorted(&whole[..11]));
            assert_eq!(two, sorted(&whole[11..]));
        }
        let again = epochs(&loader(4, 1));
        assert_eq!(again[..11], found[0][11..], "resumed after an epoch");

        // As burn-train does it: each device walks through all batches and takes its share.
        let shared = loader(4, 0).for_devices(2);
        let shares = [shared.slice(0, 10), shared.slice(10, 21)];
        let parts = shares.map(|share| std::thread::spawn(move || epochs(&*share)));
        let [a, b] = parts.map(|part| part.join().expect("no panic"));
        for (epoch, whole) in found[0].chunks(11).enumerate() {
            for (i, batch) in whole.iter().enumerate() {
                // The last batch has one case, which is nobody's first half.
                let mine = a.get(epoch * 10 + i).filter(|_| batch.len() == 2);
                let joined: Vec<[f32; 2]> = match mine {
                    Some(mine) => [mine.as_slice(), &b[epoch * 11 + i]].concat(),
                    None => b[epoch * 11 + i].clone(),
                };
                assert_eq!(&joined, batch, "epoch {epoch}, batch {i}");
            }
        }
    }
}
