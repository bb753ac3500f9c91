//! A quantile of the members.

use pno::ensemble::quantiles::sorted_quantile;

use super::{Kind, Page};
use crate::scale::short;

pub(super) const PAGE: Page = Page {
    title: |knobs, _| format!("{} % quantile", short(100.0 * knobs.quantile)),
    caption: "this share of the members is lower",
    kind: Kind::Field,
    field: |source| source.map(|column| sorted_quantile(column, source.knobs.quantile)),
};
