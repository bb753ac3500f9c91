//! Everything a run needs to go on after an epoch, as one file that is whole or not there.
//!
//! ```text
//! "PNOSTATE"   8 bytes
//! length       8 bytes, little-endian: of the description
//! description  JSON: version, epochs done with their losses, lengths of the parts
//! parts        burn's records of the weights, the optimiser and the schedule
//! hash         32 bytes, BLAKE3 of everything before it
//! ```
//!
//! One file, because three that are renamed one after the other can be of three different epochs when the power fails.

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::history::EpochRecord;

const MAGIC: &[u8; 8] = b"PNOSTATE";
const VERSION: u32 = 1;
const HASH: usize = 32;

/// The records that burn-train saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The weights.
    Model,
    /// Moments and step counter of Adam.
    Optimiser,
    /// The schedule. It follows from the history, so its record is empty.
    Schedule,
}

impl Part {
    /// Number of parts.
    pub const COUNT: usize = 3;
}

/// A run after some epochs.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// One record per epoch.
    pub records: Vec<EpochRecord>,
    /// Bytes of each [`Part`].
    pub parts: [Vec<u8>; Part::COUNT],
}

#[derive(Serialize, Deserialize)]
struct Description {
    version: u32,
    records: Vec<EpochRecord>,
    lengths: [usize; Part::COUNT],
}

impl State {
    /// The bytes of the file.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let description = serde_json::to_vec(&Description {
            version: VERSION,
            records: self.records.clone(),
            lengths: self.parts.each_ref().map(Vec::len),
        })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((description.len() as u64).to_le_bytes());
        bytes.extend(description);
        for part in &self.parts {
            bytes.extend(part);
        }
        let hash = blake3::hash(&bytes);
        bytes.extend(hash.as_bytes());
        Ok(bytes)
    }

    /// Reads a file; any change of any byte is noticed.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let body = bytes.len().checked_sub(HASH);
        let (body, hash) = bytes.split_at(body.context("it is too short")?);
        ensure!(
            body.starts_with(MAGIC),
            "it is not the state of a training run"
        );
        if blake3::hash(body).as_bytes() != hash {
            bail!("it is damaged: its hash is not that of its contents");
        }
        let rest = &body[MAGIC.len()..];
        let (length, rest) = rest.split_first_chunk::<8>().context("it is too short")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (description, mut rest) = rest.split_at_checked(length).context("it is too short")?;
        let description: Description = serde_json::from_slice(description)?;
        ensure!(
            description.version == VERSION,
            "it has version {}, but this pno reads version {VERSION}",
            description.version
        );
        let mut parts = [const { vec![] }; Part::COUNT];
        for (part, length) in parts.iter_mut().zip(description.lengths) {
            let (bytes, after) = rest.split_at_checked(length).context("it is too short")?;
            *part = bytes.to_vec();
            rest = after;
        }
        Ok(Self {
            records: description.records,
            parts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let record = |epoch: usize| EpochRecord {
            epoch,
            train_loss: Some(0.1 + epoch as f64 / 3.0),
            valid_loss: 0.7 / epoch as f64,
            learning_rate: 1e-3,
            members: 3,
            steps: 1,
            seconds: Some(0.25),
        };
        State {
            records: vec![record(1), record(2)],
            parts: [vec![1, 2, 3], vec![], vec![9; 100]],
        }
    }

    #[test]
    fn a_state_comes_back_to_the_last_bit() {
        let bytes = state().encode().expect("encodes");
        assert_eq!(State::decode(&bytes).expect("decodes"), state());
    }

    #[test]
    fn any_changed_byte_and_any_missing_end_is_noticed() {
        let bytes = state().encode().expect("encodes");
        for i in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[i] ^= 1;
            assert!(State::decode(&changed).is_err(), "byte {i}");
            assert!(State::decode(&bytes[..i]).is_err(), "first {i} bytes");
        }
    }
}
