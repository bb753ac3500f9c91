//! A problem of its owner: nothing was published of it, and the data say what they are.

use super::Row;

pub(super) const ROW: Row = Row {
    task: None,
    networks: &[],
};
