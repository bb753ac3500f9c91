//! Width of the central interval.

use super::{Kind, Page};
use crate::ensemble::column;
use crate::scale::short;

pub(super) const PAGE: Page = Page {
    title: |knobs, _| format!("Width of the {} % interval", short(100.0 * knobs.level)),
    caption: "from its lower to its upper end",
    kind: Kind::Width,
    field: |source| {
        source.map(|column| {
            let (lower, upper) = column::interval(column, source.knobs.level);
            upper - lower
        })
    },
};
