//! Waves of the Kuramoto-Sivashinsky equation, step by step.

use pno::pde::ks::FRAME_STEP;
use pno::spec::Method;
use pno::task::Task;

use super::{Grid, Hand, Offered, Row, Start, Step, ks};
use crate::truth;

pub(super) const ROW: Row = Row {
    name: "KS, step by step",
    offered: Offered::WithModel,
    start: Start {
        method: Method::PnoF,
        members: 32,
        // A picture that is full.
        lead: 20,
        ..ks::ROW.start
    },
    solve: Some(truth::waves),
    task: Some(Task::ks_step),
    hand: Hand::Nudges,
    grid: Grid::Published,
    step: Some(Step {
        name: "time",
        unit: "",
        length: FRAME_STEP,
    }),
    refines: true,
    is_ring: true,
    may_be_sphere: false,
};
