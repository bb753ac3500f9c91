//! Continuous ranked probability score, point by point.

use burn::tensor::Tensor;

use super::Norm;
use super::fair::fair;

/// Fair CRPS of each case: mean over the domain and over channels.
///
/// Every point is scored by itself, so it says where the spread belongs, but nothing of how points move together.
/// The slope of an absolute value at zero is taken as zero.
///
/// # Shapes
/// - members: `[cases, members, values]`
/// - truth: `[cases, values]`
/// - output: `[cases]`
pub fn crps(members: &Tensor<3>, truth: &Tensor<2>, norm: &Norm) -> Tensor<1> {
    fair(members, truth, |difference| norm.mean(difference.abs()))
}
