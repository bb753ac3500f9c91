//! Where the truth lies inside the central interval.

use super::{Kind, Page};
use crate::ensemble::column;
use crate::scale::short;

pub(super) const PAGE: Page = Page {
    title: |knobs, _| format!("{} % interval", short(100.0 * knobs.level)),
    caption: "hit or miss",
    kind: Kind::Interval,
    field: |source| {
        source.compared(|column, truth| column::side(column, source.knobs.level, truth))
    },
};
