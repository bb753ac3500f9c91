//! A problem of the visitor's own.

use super::{Grid, Hand, Offered, Row, Start};

pub(super) const ROW: Row = Row {
    name: "Your own",
    offered: Offered::WhileOpen,
    start: Start::USUAL,
    solve: None,
    task: None,
    hand: Hand::Rests,
    grid: Grid::Published,
    step: None,
    refines: false,
    is_ring: false,
    may_be_sphere: true,
};
