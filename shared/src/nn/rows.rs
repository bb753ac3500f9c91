//! Which noise belongs to which row of a batch.

use burn::tensor::Device;

use super::ops::Keys;
use crate::noise::{self, Place};

/// One pass through the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Seed of the forecast (or of the training step).
    pub seed: u64,
    /// Member of the ensemble.
    pub member: u32,
}

/// The rows of a batch, in order: member fastest within a case.
#[derive(Debug, Clone)]
pub struct Rows(Vec<Row>);

impl Rows {
    /// Rows in batch order.
    pub fn new(rows: Vec<Row>) -> Self {
        Self(rows)
    }

    /// Members of one forecast.
    pub fn members(seed: u64, members: std::ops::Range<u32>) -> Self {
        Self(members.map(|member| Row { seed, member }).collect())
    }

    /// Passes of one training step, which are numbered across its cases.
    pub fn numbered(seed: u64, count: usize) -> Self {
        Self::members(seed, 0..count as u32)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key of every row at one place of the network.
    pub fn keys(&self, place: Place, device: &Device) -> Keys {
        let keys: Vec<_> = self
            .0
            .iter()
            .map(|row| noise::key(row.seed, row.member, place.layer()))
            .collect();
        Keys::new(&keys, device)
    }
}
