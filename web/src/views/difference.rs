//! How far the means of the two sides are apart.

use super::{Kind, Page, Source};
use crate::ensemble::column;

pub(super) const PAGE: Page = Page {
    title: |_, _| "Mean of A − mean of B".to_owned(),
    caption: "where the methods differ",
    kind: Kind::Difference,
    field: |source| {
        let other = Source {
            ensemble: source.other,
            ..*source
        };
        let (a, b) = (source.map(column::mean)?, other.map(column::mean)?);
        Some(a.iter().zip(&b).map(|(a, b)| a - b).collect())
    },
};
