//! Temperature of the air, from real weather.

use super::{Grid, Hand, Offered, Row, Start};

pub(super) const ROW: Row = Row {
    name: "Temperature",
    offered: Offered::Always,
    start: Start::USUAL,
    solve: None,
    task: None,
    hand: Hand::Rests,
    grid: Grid::Published,
    step: None,
    refines: false,
    is_ring: false,
    may_be_sphere: false,
};
