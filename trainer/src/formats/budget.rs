//! What reading may take: one budget for the whole process, however many files are open and however many threads read.
//!
//! ```text
//! a size in a file  ->  what the file can hold (bytes that are there, times the expansion of their code)
//!                   ->  one block, one chunk (constants)
//!                   ->  all blocks, chunks and connections of the process (pools)
//! ```
//!
//! Only what passes the first two is ever allocated, and only what is free in its pool. A reader takes from the pools in the order
//! blocks, work, connections and waits for nothing else while it holds something, so that no two can wait for each other.

use std::sync::{Condvar, Mutex, PoisonError};

use anyhow::{Result, ensure};

/// Bytes of one number after reading.
const NUMBER: usize = size_of::<f64>();
/// Bytes of the largest block of values: a day of hourly fields on a global grid of an eighth of a degree, and what all blocks that
/// are being read have together.
pub const MAX_BLOCK_BYTES: usize = 1 << 30;
/// Bytes of the largest decoded chunk; the chunks of public archives have at most 160 MB (37 levels of a quarter of a degree).
pub const MAX_CHUNK_BYTES: usize = 256 << 20;
/// Bytes of chunks, stored and decoded, that are worked on together; the largest has room.
const WORK_BYTES: usize = 640 << 20;
/// Bytes of decoded chunks that are kept in case that they are wanted again: of all Zarr folders, and as many of all other files.
pub const KEPT_BYTES: usize = 256 << 20;
/// Bytes of decoded chunks that one HDF5 or NetCDF-4 file may keep of [`KEPT_BYTES`].
const FILE_KEPT_BYTES: usize = 64 << 20;
/// Bytes that every such file may keep: a usual chunk.
const LEAST_KEPT_BYTES: usize = 1 << 20;
/// Connections to servers, where most of the time is spent waiting.
pub const CONNECTIONS: usize = 8;
/// Bytes of values that a file may stand for without storing them: fields of one value, chunks that were never written. A global field
/// of a tenth of a degree has 52 MB.
pub const UNSTORED_BYTES: usize = 64 << 20;

/// Most bytes that a byte can stand for, by the code it is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expansion(pub u64);

impl Expansion {
    /// Numbers as they are, at most eight times wider when they are read.
    pub const PLAIN: Self = Self(NUMBER as u64);
    /// Deflate (gzip, zlib): a pair of two bits repeats 258 bytes.
    pub const DEFLATE: Self = Self(1032);
    /// Zstandard, also within blosc: a block of 4 bytes repeats one byte 128 KiB times.
    pub const ZSTD: Self = Self(1 << 15);
}

/// Something of which the process has a fixed amount.
#[derive(Debug)]
pub struct Pool {
    total: usize,
    taken: Mutex<usize>,
    changed: Condvar,
}

/// A part of a pool, given back when it is dropped.
#[derive(Debug)]
pub struct Held {
    pool: &'static Pool,
    amount: usize,
}

static BLOCKS: Pool = Pool::new(MAX_BLOCK_BYTES);
static WORK: Pool = Pool::new(WORK_BYTES);
static REQUESTS: Pool = Pool::new(CONNECTIONS);
static KEPT: Pool = Pool::new(KEPT_BYTES);

impl Pool {
    const fn new(total: usize) -> Self {
        Self {
            total,
            taken: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    /// Waits until there is enough. What is more than there can ever be takes all.
    fn take(&'static self, amount: usize) -> Held {
        let amount = amount.min(self.total);
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = self
            .changed
            .wait_while(taken, |taken| *taken + amount > self.total)
            .unwrap_or_else(PoisonError::into_inner);
        *taken += amount;
        Held { pool: self, amount }
    }

    /// Takes what there is, up to an amount, without waiting.
    fn take_up_to(&'static self, amount: usize) -> Held {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let amount = amount.min(self.total - *taken);
        *taken += amount;
        Held { pool: self, amount }
    }
}

impl Held {
    /// How much it is.
    pub fn amount(&self) -> usize {
        self.amount
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let taken = self.pool.taken.lock();
        *taken.unwrap_or_else(PoisonError::into_inner) -= self.amount;
        self.pool.changed.notify_all();
    }
}

/// Room for a block of values while it is read. `stored` counts the bytes they are made of, and is asked for large blocks only.
pub fn block(values: usize, expansion: Expansion, stored: impl FnOnce() -> u64) -> Result<Held> {
    let bytes = values.saturating_mul(NUMBER);
    ensure!(
        bytes <= MAX_BLOCK_BYTES,
        "it has {values} values, but at most {} are read at once",
        MAX_BLOCK_BYTES / NUMBER
    );
    if bytes > UNSTORED_BYTES {
        let stored = stored();
        ensure!(
            bytes as u64 <= stored.saturating_mul(expansion.0),
            "it has {values} values, which the {stored} bytes that are stored cannot hold"
        );
    }
    Ok(BLOCKS.take(bytes))
}

/// Room for a chunk while it is read and decoded.
pub fn work(bytes: usize) -> Held {
    WORK.take(bytes)
}

/// The right to ask a server.
pub fn connection() -> Held {
    REQUESTS.take(1)
}

/// What an HDF5 or NetCDF-4 file may keep of its decoded chunks: less, the more files are open.
pub fn kept() -> Held {
    let taken = *KEPT.taken.lock().unwrap_or_else(PoisonError::into_inner);
    let fair = FILE_KEPT_BYTES.min((KEPT_BYTES - taken) / 2);
    KEPT.take_up_to(fair.max(LEAST_KEPT_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_pool_never_gives_more_than_it_has() {
        static POOL: Pool = Pool::new(8);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for thread in 0..16 {
                let (now, most) = (&now, &most);
                scope.spawn(move || {
                    for round in 0..20 {
                        let held = POOL.take(1 + (thread + round) % 11);
                        let all = now.fetch_add(held.amount(), Ordering::SeqCst) + held.amount();
                        most.fetch_max(all, Ordering::SeqCst);
                        thread::sleep(Duration::from_micros(50));
                        now.fetch_sub(held.amount(), Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 8, "all of it was in use, and no more");
        assert_eq!(*POOL.taken.lock().expect("free"), 0, "all came back");
    }

    #[test]
    fn what_is_more_than_a_pool_has_goes_alone_instead_of_waiting_for_ever() {
        static POOL: Pool = Pool::new(8);
        let held = POOL.take(100);
        assert_eq!((held.amount(), POOL.take_up_to(3).amount()), (8, 0));
        drop(held);
        assert_eq!(POOL.take_up_to(3).amount(), 3);
    }

    #[test]
    fn a_block_is_compared_with_what_is_stored() {
        let refused = |values, expansion, stored: u64| {
            block(values, expansion, || stored)
                .expect_err("refused")
                .to_string()
        };
        let large = UNSTORED_BYTES / NUMBER + 1;
        assert!(block(large - 1, Expansion::PLAIN, || panic!("not asked")).is_ok());
        assert!(block(large, Expansion::PLAIN, || large as u64).is_ok());
        assert!(refused(large, Expansion::PLAIN, 1000).contains("1000 bytes"));
        let deflated = (large * NUMBER).div_ceil(1032) as u64;
        assert!(block(large, Expansion::DEFLATE, || deflated).is_ok());
        assert!(refused(large, Expansion::DEFLATE, deflated - 1).contains("cannot hold"));
        assert!(refused(1 << 40, Expansion::ZSTD, u64::MAX).contains("at most 134217728"));
        assert!(refused(usize::MAX, Expansion::ZSTD, u64::MAX).contains("at most"));
    }

    #[test]
    fn files_share_what_is_kept() {
        let held: Vec<Held> = (0..200).map(|_| kept()).collect();
        let all: usize = held.iter().map(Held::amount).sum();
        assert!(all <= KEPT_BYTES, "{all}");
        assert!(held[0].amount() <= FILE_KEPT_BYTES);
    }
}
