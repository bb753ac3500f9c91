//! The network: pointwise MLP, spectral convolution, block, heads, FNO. Channels last: `[rows, points, channel]`.
//!
//! A row is one pass through the network: one case, or one member of one case.

mod block;
mod fno;
pub mod gelu;
pub mod init;
pub mod loss;
mod mlp;
pub mod ops;
mod rows;
mod spectral_conv;

pub use block::Block;
pub use fno::{Heads, Network};
pub use mlp::PointwiseMlp;
pub use rows::{Row, Rows};
pub use spectral_conv::SpectralConv;
