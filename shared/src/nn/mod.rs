//! The network: pointwise MLP, spectral convolution, block, heads. Channels last: `[rows, points, channel]`.
//!
//! One code path serves every operator in any number of dimensions: what differs is data, in the [`Plan`].
//!
//! A row is one pass through the network: one case, or one member of one case.

mod block;
mod draw;
mod feedback;
mod functional_noise;
pub mod gelu;
mod increments;
pub mod init;
pub mod loss;
mod mlp;
mod network;
pub mod ops;
mod plan;
mod resize;
mod rows;
mod spectral_conv;

pub use block::{Block, BlockOptions};
pub use feedback::Feedback;
pub use functional_noise::{FunctionalNoise, parts_of_white_noise};
pub use increments::Increments;
pub use mlp::PointwiseMlp;
pub(crate) use mlp::is_cpu;
pub use network::{Heads, Network};
pub use plan::{BlockPlan, HIDDEN_BYTES_CPU, HIDDEN_BYTES_GPU, Plan};
pub use rows::{Row, Rows};
pub use spectral_conv::SpectralConv;
