//! A steady flow through a ground.

use super::{Grid, Hand, Offered, Row, Start};
use crate::truth;

pub(super) const ROW: Row = Row {
    name: "Darcy flow",
    offered: Offered::Always,
    start: Start {
        members: 32,
        ..Start::USUAL
    },
    solve: Some(truth::flow),
    task: None,
    hand: Hand::Paints,
    grid: Grid::Square,
    step: None,
    refines: false,
    is_ring: false,
    may_be_sphere: false,
};
