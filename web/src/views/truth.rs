//! What really happened.

use super::{Kind, Page};

pub(super) const PAGE: Page = Page {
    title: |_, _| "Truth".to_owned(),
    caption: "what really happens",
    kind: Kind::Field,
    field: |source| source.truth(),
};
