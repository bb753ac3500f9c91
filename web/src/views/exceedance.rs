//! Probability of more than a threshold.

use super::{Kind, Page};
use crate::ensemble::column;

pub(super) const PAGE: Page = Page {
    title: |knobs, unit| {
        let threshold = unit.with_unit(&unit.words(knobs.threshold));
        format!("Chance of more than {threshold}")
    },
    caption: "share of the members above",
    kind: Kind::Probability,
    field: |source| {
        let threshold = source.knobs.threshold as f32;
        source.map(|column| column::exceedance(column, threshold))
    },
};
