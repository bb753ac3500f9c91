//! Shallow water on the sphere, hour by hour.

use super::{Grid, Hand, Offered, Row, Start, Step};
use crate::truth;

pub(super) const ROW: Row = Row {
    name: "Shallow water",
    offered: Offered::Always,
    start: Start::USUAL,
    solve: Some(truth::water),
    task: None,
    hand: Hand::Nudges,
    grid: Grid::Sphere,
    step: Some(Step::HOUR),
    refines: false,
    is_ring: false,
    may_be_sphere: true,
};
