//! Training on burn-train: our step and loss, global-norm clipping, the paper's stopping rules, exact resume.

pub mod batches;
pub mod clip;
pub mod date;
pub mod history;
pub mod model;
pub mod overrides;
pub mod procedure;
pub mod progress;
pub mod rules;
pub mod run;
pub mod settings;
