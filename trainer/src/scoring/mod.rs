//! Scoring the ensembles of anybody: members and truth from files, in whatever units they have.

mod pair;
mod weights;

pub use pair::{Case, Layout, Pair};
pub use weights::Weights;
