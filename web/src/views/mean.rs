//! Mean of the members.

use super::{Kind, Page};
use crate::ensemble::column;

pub(super) const PAGE: Page = Page {
    title: |_, _| "Ensemble mean".to_owned(),
    caption: "the best single guess",
    kind: Kind::Field,
    field: |source| source.map(column::mean),
};
