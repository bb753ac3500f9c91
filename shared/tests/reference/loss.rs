//! The energy score, every ordered pair by its definition.

/// Root of the weighted sum of squared differences.
fn distance(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(x, y)| (x - y).powi(2));
    squares.zip(weights).map(|(s, w)| s * w).sum::<f64>().sqrt()
}

/// Fair energy score; for one member the distance from the truth. `weights` has one factor per value.
pub fn energy_score(members: &[Vec<f64>], truth: &[f64], weights: &[f64]) -> f64 {
    let m = members.len() as f64;
    let skill: f64 = members.iter().map(|u| distance(u, truth, weights)).sum();
    let pairs: f64 = members
        .iter()
        .flat_map(|u| members.iter().map(move |v| distance(u, v, weights)))
        .sum();
    skill / m
        - if m > 1.0 {
            pairs / (2.0 * m * (m - 1.0))
        } else {
            0.0
        }
}
