//! Training on burn-train: our step and loss, global-norm clipping, the paper's stopping rules, exact resume.

mod average;
pub mod batches;
pub mod clip;
pub mod composed;
pub mod date;
pub mod exhausted;
pub mod fit;
pub mod history;
pub mod indices;
pub mod keep;
pub mod keys;
pub mod memory;
pub mod metrics;
pub mod model;
mod observing;
pub mod origin;
pub mod overrides;
pub mod procedure;
pub mod progress;
pub mod resumed;
pub mod rules;
pub mod run;
pub mod settings;
pub mod start;
pub mod state;
pub mod store;
pub mod watch;
