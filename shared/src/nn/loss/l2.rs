//! Norm of the error: the loss of networks without uncertainty.

use burn::tensor::Tensor;

use super::Norm;
use super::fair::{fields, total};

/// Mean over members of the norm of the error: the root, neither squared nor relative.
///
/// # Shapes
/// - members: `[cases, members, values]`
/// - truth: `[cases, values]`
/// - output: `[cases]`
pub fn l2(members: &Tensor<3>, truth: &Tensor<2>, norm: &Norm) -> Tensor<1> {
    let fields = fields(members);
    let count = fields.len() as f32;
    total(fields.into_iter().map(|u| norm.of(u - truth.clone()))) / count
}
