//! The chunks that were used last, decoded.
//!
//! A box across the Greenwich meridian is two ranges of columns, often of the same chunks, and rows that are asked for one by one often
//! share a chunk too. Neither should fetch and decode it twice. However many folders are open, they share one memory.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::formats::budget::KEPT_BYTES;

/// Folder, key and decoded bytes, the last used one at the end.
type Kept = VecDeque<(usize, String, Arc<Vec<u8>>)>;

static KEPT: Mutex<Kept> = Mutex::new(VecDeque::new());
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The chunks of one folder; they go when it is closed.
pub struct Recent {
    folder: usize,
}

fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recent {
    /// Those of a folder that was opened.
    pub fn new() -> Self {
        Self {
            folder: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// A chunk, if it is still here.
    pub fn get(&self, key: &str) -> Option<Arc<Vec<u8>>> {
        let mut kept = kept();
        let at = kept
            .iter()
            .position(|(folder, name, _)| *folder == self.folder && name == key)?;
        let entry = kept.remove(at)?;
        let bytes = entry.2.clone();
        kept.push_back(entry);
        Some(bytes)
    }

    /// Remembers a chunk, and forgets the oldest ones, of whatever folder, where they are too many.
    pub fn keep(&self, key: String, bytes: Vec<u8>) -> Arc<Vec<u8>> {
        let bytes = Arc::new(bytes);
        let mut kept = kept();
        kept.retain(|(folder, name, _)| *folder != self.folder || *name != key);
        kept.push_back((self.folder, key, bytes.clone()));
        let mut total: usize = kept.iter().map(|(_, _, bytes)| bytes.len()).sum();
        while total > KEPT_BYTES {
            total -= kept.pop_front().map_or(total, |(_, _, bytes)| bytes.len());
        }
        bytes
    }
}

impl Drop for Recent {
    fn drop(&mut self) {
        kept().retain(|(folder, ..)| *folder != self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because the memory is that of the process; other tests keep a few kilobytes.
    #[test]
    fn what_was_used_last_stays_and_the_oldest_goes_whichever_folder_it_is_of() {
        let (here, there) = (Recent::new(), Recent::new());
        let third = KEPT_BYTES / 3 - (1 << 20);
        for key in ["a", "b", "c"] {
            here.keep(key.to_owned(), vec![0; third]);
        }
        assert!(there.get("a").is_none(), "of another folder");
        assert!(here.get("a").is_some(), "used again");
        there.keep("d".to_owned(), vec![0; third]);
        assert!(here.get("b").is_none(), "the oldest went");
        assert!(here.get("a").is_some() && there.get("d").is_some());
        drop(here);
        let all: usize = kept().iter().map(|(_, _, bytes)| bytes.len()).sum();
        assert!(all < 2 * third, "{all}");
        assert!(there.get("d").is_some());
    }
}
