//! The checkpoints of the last runs, so that another seed needs no download.

use std::rc::Rc;

use pno::checkpoint::Checkpoint;

use super::download;
use super::run::End;
use super::store::Store;
use crate::message::{self, Model};

/// Two sides, and the one before.
const KEPT: usize = 3;

/// A checkpoint and what to tell about it.
pub struct Loaded {
    /// The weights.
    pub checkpoint: Checkpoint,
    /// What the visitor reads.
    pub told: Model,
}

impl Loaded {
    /// Whether its members are spread around their mean.
    pub fn is_calibrated(&self) -> bool {
        self.checkpoint.header.calibration.is_some()
    }

    fn read(bytes: &[u8], name: &str) -> Result<Self, String> {
        let checkpoint = Checkpoint::decode(bytes)
            .map_err(|error| format!("The model {name} cannot be used: {error}."))?;
        let told = Model {
            header: checkpoint.header.clone(),
            bytes: bytes.len() as u64,
            fingerprint: Checkpoint::fingerprint(bytes),
        };
        Ok(Self { checkpoint, told })
    }
}

/// Keeps a few checkpoints, the newest last: they are small, but the page's memory is the visitor's.
#[derive(Default)]
pub struct Models {
    kept: Vec<(String, Rc<Loaded>)>,
}

impl Models {
    /// A checkpoint that was loaded before.
    pub fn known(&self, address: &str) -> Option<Rc<Loaded>> {
        let known = self.kept.iter().find(|(known, _)| known == address);
        known.map(|(_, loaded)| Rc::clone(loaded))
    }

    /// The checkpoint at an address: from this run of the program, from the browser's store, else from the server.
    pub async fn get(
        &mut self,
        wanted: &message::Checkpoint,
        progress: impl Fn(u64, Option<u64>),
    ) -> Result<Rc<Loaded>, End> {
        if let Some(loaded) = self.known(&wanted.address) {
            return Ok(loaded);
        }
        let loaded = Rc::new(fetched(wanted, progress).await?);
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push((wanted.address.clone(), Rc::clone(&loaded)));
        Ok(loaded)
    }
}

async fn fetched(
    wanted: &message::Checkpoint,
    progress: impl Fn(u64, Option<u64>),
) -> Result<Loaded, End> {
    // What no list tells about may change behind its address: it is never kept.
    let store = match wanted.version {
        Some(_) => Store::open().await,
        None => None,
    };
    if let Some(store) = &store
        && let Some(bytes) = store.get(wanted).await
    {
        match Loaded::read(&bytes, &wanted.name) {
            Ok(loaded) => return Ok(loaded),
            // A store may be cut off or of another version of this page.
            Err(_) => store.forget(wanted).await,
        }
    }
    progress(0, wanted.bytes);
    let bytes = download::checkpoint(wanted, progress).await?;
    let loaded = Loaded::read(&bytes, &wanted.name)?;
    if let Some(store) = &store {
        store.put(wanted, &bytes).await;
    }
    Ok(loaded)
}
