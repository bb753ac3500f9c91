//! Training losses, every ordered pair by its definition.

/// Root of the weighted sum of squared differences.
pub fn distance(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(x, y)| (x - y).powi(2));
    squares.zip(weights).map(|(s, w)| s * w).sum::<f64>().sqrt()
}

/// Weighted sum of absolute differences.
pub fn absolute(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let gaps = a.iter().zip(b).map(|(x, y)| (x - y).abs());
    gaps.zip(weights).map(|(s, w)| s * w).sum()
}

/// Mean of a distance from the truth, less half its mean over ordered pairs of different members.
pub fn fair(members: &[Vec<f64>], truth: &[f64], distance: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
    let m = members.len() as f64;
    let error: f64 = members.iter().map(|u| distance(u, truth)).sum();
    let mut pairs = 0.0;
    for (i, u) in members.iter().enumerate() {
        for (j, v) in members.iter().enumerate() {
            if i != j {
                pairs += distance(u, v);
            }
        }
    }
    error / m
        - if m > 1.0 {
            pairs / (2.0 * m * (m - 1.0))
        } else {
            0.0
        }
}

/// Fair energy score; for one member the distance from the truth. `weights` has one factor per value.
pub fn energy_score(members: &[Vec<f64>], truth: &[f64], weights: &[f64]) -> f64 {
    fair(members, truth, |a, b| distance(a, b, weights))
}

/// Fair CRPS; `weights` sum to one.
pub fn crps(members: &[Vec<f64>], truth: &[f64], weights: &[f64]) -> f64 {
    fair(members, truth, |a, b| absolute(a, b, weights))
}

/// Fair Gaussian kernel score `1/2 + 1/2 E k(U, U') - E k(U, y)`, from kernels and not from distances.
pub fn kernel_score(members: &[Vec<f64>], truth: &[f64], weights: &[f64], width: f64) -> f64 {
    let kernel = |a: &[f64], b: &[f64]| {
        let d = distance(a, b, weights);
        (-d * d / (2.0 * width * width)).exp()
    };
    // The estimator of `E k(U, y) - 1/2 E k(U, U')`.
    let gain = fair(members, truth, kernel);
    (if members.len() > 1 { 0.5 } else { 1.0 }) - gain
}

/// Mean distance from the truth.
pub fn l2(members: &[Vec<f64>], truth: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = members.iter().map(|u| distance(u, truth, weights)).sum();
    sum / members.len() as f64
}
