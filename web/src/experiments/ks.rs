//! Waves of the Kuramoto-Sivashinsky equation, twenty frames to the next twenty.

use super::{Grid, Hand, Offered, Row, Start};
use crate::live::Place;
use crate::truth;

pub(super) const ROW: Row = Row {
    name: "KS waves",
    offered: Offered::Always,
    start: Start {
        members: 64,
        lead: 10,
        place: Place {
            across: 0.375,
            ..Place::MIDDLE
        },
        ..Start::USUAL
    },
    solve: Some(truth::windows),
    task: None,
    hand: Hand::Nudges,
    grid: Grid::Published,
    step: None,
    refines: false,
    is_ring: true,
    may_be_sphere: false,
};
