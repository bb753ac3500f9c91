//! A problem of its owner.

use super::Row;

pub(super) const ROW: Row = Row {
    text: include_str!("../../../experiments/arrays.toml"),
    generator: None,
};
