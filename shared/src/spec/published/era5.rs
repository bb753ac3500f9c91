//! Two-metre temperature over Europe.

use super::{ModelSpec, Network, Operator, Row};
use crate::task::Task;

pub(super) const ROW: Row = Row {
    task: Some(Task::era5),
    networks: &[Network {
        operator: Operator::Fno,
        dropout: [0.2, 0.1, 0.05, 0.01],
        sizes: |base| ModelSpec {
            in_channels: 4,
            width: 20,
            lifting: 128,
            projection: 128,
            modes: vec![10, 12, 12],
            ..base
        },
    }],
};
