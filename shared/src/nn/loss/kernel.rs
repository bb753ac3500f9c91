//! Gaussian kernel score: the squared distance of forecast and truth as a kernel sees them (the paper's outlook).

use burn::tensor::Tensor;

use super::Norm;
use super::fair::fair;

/// Fair kernel score of each case, `1/2 + 1/2 E k(U, U') - E k(U, y)` with `k(u, v) = exp(-‖u - v‖² / 2γ²)`.
///
/// Written with the distance `1 - k` it has the form of the energy score. It lies between 0 and 1 for a forecast with all
/// mass on one field, is strictly proper, and forgives errors far above γ. Smooth everywhere, at coinciding members too.
///
/// Bandwidth rule `climate`: `γ = bandwidth ‖1‖`, that is `bandwidth` times the norm of a field one standard deviation
/// away everywhere. It depends on neither forecast nor truth (else the score would not be proper) and is the same in every
/// epoch (else validation losses could not be compared).
///
/// # Shapes
/// - members: `[cases, members, values]`
/// - truth: `[cases, values]`
/// - output: `[cases]`
pub fn kernel_score(
    members: &Tensor<3>,
    truth: &Tensor<2>,
    norm: &Norm,
    bandwidth: f32,
) -> Tensor<1> {
    let exponent = -0.5 / (bandwidth * bandwidth * norm.squared_unit());
    fair(members, truth, |difference| {
        (norm.squared(difference) * exponent).exp().neg() + 1.0
    })
}
