//! The chunks that were used last, decoded.
//!
//! A box across the Greenwich meridian is two ranges of columns, often of the same chunks, and rows that are asked for one by one often
//! share a chunk too. Neither should fetch and decode it twice.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are kept; the chunk that came last is kept whatever its size.
const KEPT_BYTES: usize = 256 << 20;

/// Keys and decoded bytes, the last used one at the end.
#[derive(Default)]
pub struct Recent(Mutex<VecDeque<(String, Arc<Vec<u8>>)>>);

impl Recent {
    /// A chunk, if it is still here.
    pub fn get(&self, key: &str) -> Option<Arc<Vec<u8>>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(name, _)| name == key)?;
        let entry = kept.remove(at)?;
        let bytes = entry.1.clone();
        kept.push_back(entry);
        Some(bytes)
    }

    /// Remembers a chunk, and forgets the oldest ones where they are too many.
    pub fn keep(&self, key: String, bytes: Vec<u8>) -> Arc<Vec<u8>> {
        let bytes = Arc::new(bytes);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(name, _)| *name != key);
        kept.push_back((key, bytes.clone()));
        let mut total: usize = kept.iter().map(|(_, bytes)| bytes.len()).sum();
        while total > KEPT_BYTES && kept.len() > 1 {
            total -= kept.pop_front().map_or(0, |(_, bytes)| bytes.len());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays_and_the_oldest_goes() {
        let recent = Recent::default();
        let third = KEPT_BYTES / 3;
        for key in ["a", "b", "c"] {
            recent.keep(key.to_owned(), vec![0; third]);
        }
        assert!(recent.get("a").is_some(), "used again");
        recent.keep("d".to_owned(), vec![0; third]);
        assert!(recent.get("b").is_none(), "the oldest went");
        assert!(recent.get("a").is_some() && recent.get("d").is_some());
        recent.keep("large".to_owned(), vec![0; KEPT_BYTES + 1]);
        assert!(recent.get("large").is_some() && recent.get("a").is_none());
    }
}
