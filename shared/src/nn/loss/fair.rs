//! The fair estimator that all ensemble losses share.

use burn::tensor::Tensor;

/// `1/M Σ_m d(u_m, y) - 1/(2 M (M-1)) Σ_{m,h} d(u_m, u_h)` for a distance `d` of fields, given as a function of
/// their difference.
///
/// Its expectation does not depend on the number of members. Pairs are visited one by one, each once: nothing of size
/// members × members × points exists at any time, only the differences that the gradient needs.
///
/// # Shapes
/// - members: `[cases, members, values]`
/// - truth: `[cases, values]`
/// - output: `[cases]`
pub fn fair(
    members: &Tensor<3>,
    truth: &Tensor<2>,
    distance: impl Fn(Tensor<2>) -> Tensor<1>,
) -> Tensor<1> {
    let fields = fields(members);
    let count = fields.len();
    let errors = fields.iter().map(|u| distance(u.clone() - truth.clone()));
    let error = total(errors) / count as f32;
    if count < 2 {
        return error;
    }
    let pairs = (0..count).flat_map(|m| (0..m).map(move |h| (m, h)));
    let spread = total(pairs.map(|(m, h)| distance(fields[m].clone() - fields[h].clone())));
    error - spread / (count * (count - 1)) as f32
}

/// The members one by one.
pub fn fields(members: &Tensor<3>) -> Vec<Tensor<2>> {
    let count = members.dims()[1];
    let one = |m| members.clone().narrow(1, m, 1).squeeze_dim::<2>(1);
    (0..count).map(one).collect()
}

/// The sum of at least one term.
pub fn total(terms: impl Iterator<Item = Tensor<1>>) -> Tensor<1> {
    terms
        .reduce(|sum, term| sum + term)
        .expect("an ensemble has members")
}
