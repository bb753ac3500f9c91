//! The Kuramoto-Sivashinsky equation, twenty frames to the next twenty.

use super::{Level, ModelSpec, Network, Operator, Row};
use crate::task::Task;

pub(super) const ROW: Row = Row {
    task: Some(Task::ks),
    networks: &[
        Network {
            operator: Operator::Fno,
            dropout: [0.2, 0.1, 0.05, 0.01],
            sizes: |base| ModelSpec {
                width: 20,
                lifting: 128,
                projection: 128,
                modes: vec![10, 12],
                ..base
            },
        },
        Network {
            operator: Operator::Uno,
            dropout: [0.02, 0.005, 0.15, 0.001],
            sizes: |base| ModelSpec {
                width: 16,
                lifting: 32,
                projection: 32,
                layers: 0,
                modes: vec![],
                levels: levels(),
                ..base
            },
        },
    ],
};

fn levels() -> Vec<Level> {
    [
        (16, [4, 20], 0.75),
        (32, [4, 14], 0.667),
        (64, [4, 6], 0.5),
        (128, [7, 6], 1.0),
        (64, [7, 6], 2.0),
        (32, [10, 14], 1.5),
        (16, [10, 20], 1.334),
    ]
    .map(|(width, modes, scale)| Level {
        width,
        modes: modes.to_vec(),
        scale: vec![1.0, scale],
    })
    .to_vec()
}
