//! Continuous ranked probability score, point by point.

use pno::score::crps::sorted_crps;

use super::{Kind, Page};

pub(super) const PAGE: Page = Page {
    title: |_, _| "CRPS".to_owned(),
    caption: "score of each point, 0 is best",
    kind: Kind::Spread,
    field: |source| source.compared(|column, truth| sorted_crps(column, truth) as f32),
};
