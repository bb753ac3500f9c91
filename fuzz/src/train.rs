//! Of the trainer's `train`, what settings need.

#[path = "../../trainer/src/train/keys.rs"]
pub mod keys;
#[path = "../../trainer/src/train/overrides.rs"]
pub mod overrides;
#[path = "../../trainer/src/train/rules.rs"]
pub mod rules;
#[path = "../../trainer/src/train/settings.rs"]
pub mod settings;
