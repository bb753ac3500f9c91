//! Distance of the mean from the truth.

use super::{Kind, Page};
use crate::ensemble::column;

pub(super) const PAGE: Page = Page {
    title: |_, _| "Error of the mean".to_owned(),
    caption: "|mean − truth|",
    kind: Kind::Spread,
    field: |source| source.compared(|column, truth| (column::mean(column) - truth).abs()),
};
