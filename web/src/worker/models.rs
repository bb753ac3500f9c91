//! The checkpoint of the last run, so that another seed needs no download.

use std::rc::Rc;

use pno::checkpoint::Checkpoint;

use super::download;
use crate::message::Model;

/// A checkpoint and what to tell about it.
pub struct Loaded {
    /// The weights.
    pub checkpoint: Checkpoint,
    /// What the visitor reads.
    pub told: Model,
}

/// Keeps one checkpoint: they are small, but the page's memory is the visitor's.
#[derive(Default)]
pub struct Models {
    last: Option<(String, Rc<Loaded>)>,
}

impl Models {
    /// The checkpoint at an address.
    pub async fn get(
        &mut self,
        address: &str,
        progress: impl Fn(u64, Option<u64>),
    ) -> Result<Rc<Loaded>, String> {
        if let Some((_, loaded)) = self.last.as_ref().filter(|(known, _)| known == address) {
            return Ok(Rc::clone(loaded));
        }
        let bytes = download::checkpoint(address, progress).await?;
        let checkpoint = Checkpoint::decode(&bytes)
            .map_err(|error| format!("The model at {address} cannot be used: {error}."))?;
        let told = Model {
            header: checkpoint.header.clone(),
            bytes: bytes.len() as u64,
            fingerprint: Checkpoint::fingerprint(&bytes),
        };
        let loaded = Rc::new(Loaded { checkpoint, told });
        self.last = Some((address.to_owned(), Rc::clone(&loaded)));
        Ok(loaded)
    }
}
