//! Standard deviation of the members.

use super::{Kind, Page};
use crate::ensemble::column;

pub(super) const PAGE: Page = Page {
    title: |_, _| "Standard deviation".to_owned(),
    caption: "where members disagree",
    kind: Kind::Spread,
    field: |source| source.map(column::std),
};
