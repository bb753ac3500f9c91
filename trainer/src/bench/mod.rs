//! Measurements that stand beside the code: what the networks reach of what the machine can do, how fast data are made
//! beside the programs that made the published ones, how fast ensembles are scored beside numpy, and how fast networks learn beside PyTorch.
//!
//! | room | what is there |
//! |---|---|
//! | `timing`, `operators` | networks on a device |
//! | `cores` | work on all cores, and its time |
//! | `python`, `peer` | the interpreter, and a script that waits for its turn |
//! | `row` | ours and the peer in turns, the table |
//! | `data`, `score`, `train` | what is measured so |

mod cores;
pub mod data;
mod operators;
mod peer;
mod python;
mod row;
pub mod score;
mod timing;
pub mod train;

pub use operators::{Operators, Row, measure};
pub use row::table;
