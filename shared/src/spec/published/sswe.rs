//! Shallow water on the sphere.

use super::{ModelSpec, Network, Operator, Row};
use crate::task::Task;

pub(super) const ROW: Row = Row {
    task: Some(Task::sswe),
    networks: &[Network {
        operator: Operator::Sfno,
        dropout: [0.01, 0.005, 0.01, 0.001],
        sizes: |base| ModelSpec {
            out_channels: 3,
            modes: vec![32, 32],
            ..base
        },
    }],
};
