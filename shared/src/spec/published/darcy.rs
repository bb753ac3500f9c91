//! Darcy flow.

use super::{Level, ModelSpec, Network, Operator, Row};
use crate::task::Task;

pub(super) const ROW: Row = Row {
    task: Some(Task::darcy),
    networks: &[
        Network {
            operator: Operator::Fno,
            dropout: [0.2, 0.01, 0.02, 0.02],
            sizes: |base| base,
        },
        Network {
            operator: Operator::Uno,
            dropout: [0.15, 0.001, 0.05, 0.001],
            sizes: |base| ModelSpec {
                width: 32,
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
        (64, 18, 0.5),
        (128, 8, 0.5),
        (128, 8, 1.0),
        (64, 8, 2.0),
        (32, 18, 2.0),
    ]
    .map(|(width, modes, scale)| Level {
        width,
        modes: vec![modes; 2],
        scale: vec![scale; 2],
    })
    .to_vec()
}
