//! Measurements that stand beside the code: what the networks reach of what the machine can do.

mod operators;
mod timing;

pub use operators::{Operators, Row, measure};
