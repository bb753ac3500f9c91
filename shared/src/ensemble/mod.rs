//! An ensemble on the host: streaming moments, quantiles, and drawing members in chunks.
//!
//! An ensemble is a slice `[member, points]`: each member a whole field, one after the other.

pub(crate) mod columns;
pub mod conformal;
#[cfg(feature = "nn")]
pub mod forecast;
pub(crate) mod lanes;
#[cfg(feature = "nn")]
mod last_layer;
pub mod moments;
pub mod quantiles;
#[cfg(feature = "nn")]
pub mod rollout;

pub use moments::Moments;
pub use quantiles::Quantiles;
