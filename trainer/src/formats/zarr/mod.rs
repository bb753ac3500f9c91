//! Zarr folders, on a disk or behind an `http(s)` address: version 2 (as WeatherBench2 is) and version 3.
//!
//! ```text
//! open    the description of all arrays is read: one file, where it is consolidated
//! read    the chunks that a block touches are fetched, several at a time, decoded, and cut to the block
//! ```
//!
//! Values are decoded as xarray decodes them: scaled, shifted, and NaN where they are missing. A chunk that is not there is missing as
//! a whole. Zarr itself would have it be full of the array's fill value, which is 0 unless somebody said otherwise; a field of zeros
//! that nobody wrote is worse than a field that is known to be missing. Only whole numbers without packing, such as flags, are filled.

mod array;
mod block;
mod cache;
mod codec;
mod describe;
mod http;
mod packing;
mod place;
mod recent;
mod zstd;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::{Context, Result, anyhow, bail, ensure};

use self::array::Array;
use self::block::Chunks;
pub use self::codec::Codec;
use self::http::Patience;
use self::place::Place;
use self::recent::Recent;
use super::budget::{self, CONNECTIONS};
use super::{Archive, Options, Variable};

/// Chunks that a block may touch: each is a file, and so many take a second even where none is there.
const MAX_CHUNKS: usize = 1 << 16;
/// Bytes of chunks that one thread decodes alone.
const ALONE_BYTES: usize = 1 << 20;
/// Arrays of a folder.
const MAX_ARRAYS: usize = 10_000;

/// An open Zarr folder.
struct Zarr {
    place: Place,
    variables: Vec<Variable>,
    /// By name; an array that cannot be read says why.
    arrays: BTreeMap<String, Result<Array, String>>,
    recent: Recent,
}

/// Opens a local folder, an `http(s)` address, or `gs://BUCKET/PATH` of the Google cloud (read by its public address).
pub fn open(source: &str, options: &Options) -> Result<Box<dyn Archive>> {
    Ok(Box::new(open_with(source, options, &Patience::default())?))
}

fn open_with(source: &str, options: &Options, patience: &Patience) -> Result<Zarr> {
    let place = Place::new(source, options, patience)?;
    let (mut variables, mut arrays) = (Vec::new(), BTreeMap::new());
    let described = describe::arrays(&place)?;
    ensure!(
        described.len() <= MAX_ARRAYS,
        "{}: it lists {} arrays, but at most {MAX_ARRAYS} are read",
        place.name(),
        described.len()
    );
    for described in described {
        let variable = described.variable();
        variables.push(variable.map_err(|e| anyhow!("{}: {e}", place.name()))?);
        arrays.insert(described.name.clone(), Array::new(&described));
    }
    Ok(Zarr {
        place,
        variables,
        arrays,
        recent: Recent::new(),
    })
}

impl Archive for Zarr {
    fn place(&self) -> &str {
        self.place.name()
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn read(&self, variable: &Variable, block: &[Range<usize>]) -> Result<Vec<f64>> {
        let array = self.array(&variable.name)?;
        let (place, name) = (self.place(), &variable.name);
        ensure!(
            block.len() == array.shape.len()
                && block
                    .iter()
                    .zip(&array.shape)
                    .all(|(r, &n)| r.start <= r.end && r.end <= n),
            "{place}: the block {block:?} of `{name}` was asked for, but its shape is {:?}",
            array.shape
        );
        let chunks = Chunks::of(block, &array.chunk);
        ensure!(
            chunks.count <= MAX_CHUNKS,
            "{place}: the block {block:?} of `{name}` lies in {} chunks, but at most {MAX_CHUNKS} are read at once",
            chunks.count
        );
        let length = super::block::values_of(block.iter().map(Range::len)).unwrap_or(usize::MAX);
        let held = budget::block(length, array.codec.expansion(), || {
            self.stored(array, &chunks)
        });
        let _held = held
            .with_context(|| format!("{place}: the block {block:?} of `{name}` cannot be read"))?;
        let all = Mutex::new(vec![f64::NAN; length]);
        let failed = Mutex::new(None);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(index) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.chunk(array, name, &index) {
                    Ok(bytes) => {
                        let mut all = all
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner);
                        let values = |range: Range<usize>, out: &mut [f64]| match &bytes {
                            Some(bytes) => array.packing.decode(bytes, range, out),
                            None => out.fill(array.packing.absent),
                        };
                        block::copy(block, &array.chunk, &index, values, &mut all);
                    }
                    Err(error) => {
                        // The others stop at their next chunk: one sentence is enough.
                        next.store(chunks.count, Ordering::Relaxed);
                        let mut failed = failed
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner);
                        failed.get_or_insert(error);
                    }
                }
            }
        };
        let workers = self.workers(array, chunks.count);
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        if let Ok(Some(error)) = failed.into_inner() {
            return Err(error);
        }
        all.into_inner()
            .map_err(|_| anyhow!("{place}: reading `{name}` broke off"))
    }

    fn rows_together(&self, variable: &Variable) -> usize {
        let array = self.array(&variable.name);
        array.map_or(1, |array| array.chunk.first().map_or(1, |&rows| rows))
    }
}

impl Zarr {
    fn array(&self, name: &str) -> Result<&Array> {
        match self.arrays.get(name) {
            Some(Ok(array)) => Ok(array),
            Some(Err(reason)) => bail!("{}: `{name}` cannot be read: {reason}", self.place()),
            None => bail!("{}: there is no array `{name}`", self.place()),
        }
    }

    /// The decoded bytes of a chunk; none where it is absent.
    fn chunk(&self, array: &Array, name: &str, index: &[usize]) -> Result<Option<Arc<Vec<u8>>>> {
        let key = array.key(index);
        if let Some(bytes) = self.recent.get(&key) {
            return Ok(Some(bytes));
        }
        let what = format!("chunk {} of `{name}`", array.chunk_name(index));
        let most = array.most_bytes();
        // What is stored, and what becomes of it.
        let _held = budget::work(array.chunk_bytes() + self.place.length(&key).unwrap_or(most));
        let decode = |bytes: &[u8]| array.codec.decode(bytes);
        let found = self.place.get(&key, &what, most, decode)?;
        Ok(found.map(|bytes| self.recent.keep(key, bytes)))
    }

    /// Bytes that are stored of some chunks; without end where only a server knows.
    fn stored(&self, array: &Array, chunks: &Chunks) -> u64 {
        let length = |index: Vec<usize>| self.place.length(&array.key(&index));
        match self.place {
            Place::Folder { .. } => chunks.iter().filter_map(length).map(|n| n as u64).sum(),
            Place::Web(_) => u64::MAX,
        }
    }

    /// Threads that fetch and decode the chunks of a block; the budget may let fewer of them work.
    fn workers(&self, array: &Array, chunks: usize) -> usize {
        let most = match self.place {
            // A thread costs more than a few small chunks.
            Place::Folder { .. } if chunks.saturating_mul(array.chunk_bytes()) < ALONE_BYTES => 1,
            Place::Folder { .. } => thread::available_parallelism().map_or(1, usize::from),
            Place::Web(_) => CONNECTIONS,
        };
        most.min(chunks)
    }
}

#[cfg(test)]
mod tests;
