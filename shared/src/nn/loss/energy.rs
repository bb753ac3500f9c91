//! Energy score: the CRPS of whole fields, the paper's training loss.

use burn::tensor::Tensor;

use super::Norm;
use super::fair::fair;

/// Fair energy score of each case: mean distance to the truth minus half the mean distance between members, in the norm
/// of the domain.
///
/// It fixes the total spread of a field, not where the spread sits. Coinciding members have a slope of zero between them.
///
/// # Shapes
/// - members: `[cases, members, values]`
/// - truth: `[cases, values]`
/// - output: `[cases]`
pub fn energy_score(members: &Tensor<3>, truth: &Tensor<2>, norm: &Norm) -> Tensor<1> {
    fair(members, truth, |difference| norm.of(difference))
}
