//! Of the trainer's `laplace`, what settings need.

#[path = "../../trainer/src/laplace/options.rs"]
mod options;

pub use options::Options;
