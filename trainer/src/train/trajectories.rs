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
    pub fn len(&self) -> usize {
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
            most: if devices > 1 { 3 } else { 2 },
            slots: Mutex::default(),
        })
    }

    /// As many as fit, in whole batches and whole groups of those that are made together.
    fn per_block(&self, batch: usize) -> usize {
        let unit = batch * self.making.fresh.at_once();
        let fit = BLOCK_BYTES / self.making.fresh.bytes().max(1);
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
