//! Measurements that stand beside the code: what the networks reach of what the machine can do, and how fast data are
//! made beside the programs that made the published ones.

pub mod data;
mod operators;
mod timing;

pub use operators::{Operators, Row, measure};
