//! Two-metre temperature.

use super::Row;

pub(super) const ROW: Row = Row {
    text: include_str!("../../../experiments/era5.toml"),
    generator: None,
};
