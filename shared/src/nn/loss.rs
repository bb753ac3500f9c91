//! Training losses on the device.

use burn::tensor::Tensor;

/// Under the root, so that coinciding members have a finite slope.
const TINY: f32 = 1e-12;

/// Norm of a field as a whole: root of the mean square over all points and channels (unit extents, one channel, as in the paper's tables).
///
/// # Shapes
/// - input: `[cases, points]`
/// - output: `[cases]`
pub fn field_norm(field: Tensor<2>) -> Tensor<1> {
    let mean_square = field.powi_scalar(2).mean_dim(1).squeeze_dim::<1>(1);
    (mean_square + TINY).sqrt()
}

/// Fair energy score of each case: mean distance to the truth minus half the mean distance between members.
///
/// `ES = 1/M sum_m |u_m - y| - 1/(2 M (M-1)) sum_{m,h} |u_m - u_h|`. Pairs are visited one by one, each once:
/// nothing of size members × members × points exists.
///
/// # Shapes
/// - members: `[cases, members, points]`
/// - truth: `[cases, points]`
/// - output: `[cases]`
pub fn energy_score(members: &Tensor<3>, truth: &Tensor<2>) -> Tensor<1> {
    let [_, count, _] = members.dims();
    let fields: Vec<Tensor<2>> = (0..count)
        .map(|m| members.clone().narrow(1, m, 1).squeeze_dim::<2>(1))
        .collect();
    let skill = fields
        .iter()
        .map(|field| field_norm(field.clone() - truth.clone()))
        .reduce(|sum, norm| sum + norm)
        .expect("at least one member")
        / count as f32;
    if count < 2 {
        return skill;
    }
    let spread = (0..count)
        .flat_map(|m| (0..m).map(move |h| (m, h)))
        .map(|(m, h)| field_norm(fields[m].clone() - fields[h].clone()))
        .reduce(|sum, norm| sum + norm)
        .expect("at least one pair");
    skill - spread / (count * (count - 1)) as f32
}
