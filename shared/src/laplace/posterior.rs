//! The posterior as a factor of its covariance, and last layers drawn from it.

use std::ops::Range;

use super::LaplaceError;
use super::evidence::Scales;
use super::linear;
use crate::noise::{self, Place, normal};
use crate::spec::Profile;

/// What a checkpoint holds of the posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// Hidden width plus one, for the bias.
    size: usize,
    /// `C` of `theta = theta_MAP + C z`, `[size, size]`, for each output channel alike.
    factor: Vec<f32>,
    /// Standard deviation of the observation noise that members get, in network units; 0 for none.
    noise: f32,
}

/// Last layers of some members.
#[derive(Debug, Clone, PartialEq)]
pub struct Draws {
    /// `[member, out, hidden]`.
    pub weight: Vec<f32>,
    /// `[member, out]`.
    pub bias: Vec<f32>,
}

impl Posterior {
    /// The posterior with precision `H/s^2 + delta I`.
    ///
    /// With `L L^T` the inverse of that and `L` lower triangular, members of `fixed` are `L z` from the trained weights.
    /// The published program multiplied from the other side, `z^T L`, whose covariance is `L^T L`: that is `paper`.
    ///
    /// `observed` adds the observation noise to members; the published ones never had it.
    ///
    /// # Shapes
    /// - curvature: `[size, size]`
    pub fn new(
        curvature: &[f64],
        size: usize,
        scales: Scales,
        profile: Profile,
        observed: bool,
    ) -> Result<Self, LaplaceError> {
        let Scales { delta, noise } = scales;
        let mut precision: Vec<f64> = curvature.iter().map(|h| h / (noise * noise)).collect();
        for k in 0..size {
            precision[k * size + k] += delta;
        }
        let lower = linear::inverse_factor(&precision, size);
        let lower = lower.ok_or(LaplaceError::NotDefinite { size, delta, noise })?;
        let entry = |k: usize| match profile {
            Profile::Fixed => lower[k] as f32,
            Profile::Paper => lower[k % size * size + k / size] as f32,
        };
        Ok(Self {
            size,
            factor: (0..size * size).map(entry).collect(),
            noise: if observed { noise as f32 } else { 0.0 },
        })
    }

    /// A posterior from the tensors of a file; none if the factor is not square.
    pub fn from_tensors(factor: &[f32], noise: f32) -> Option<Self> {
        let size = factor.len().isqrt();
        (size > 0 && size * size == factor.len()).then(|| Self {
            size,
            factor: factor.to_vec(),
            noise,
        })
    }

    /// Hidden width plus one: rows of the factor.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Certainty: every member has the trained weights.
    pub fn certain(size: usize) -> Self {
        Self {
            size,
            factor: vec![0.0; size * size],
            noise: 0.0,
        }
    }

    /// The factor and the noise as the tensors of a file.
    pub fn into_tensors(self) -> [Vec<f32>; 2] {
        [self.factor, vec![self.noise]]
    }

    /// Standard deviation of the observation noise of members, in network units; 0 for none.
    pub fn noise(&self) -> f32 {
        self.noise
    }

    /// The same without observation noise: members of what would be measured without error.
    #[must_use]
    pub fn without_noise(self) -> Self {
        Self { noise: 0.0, ..self }
    }

    /// Variance of a member's value at a point with these features, without observation noise: `phi^T C C^T phi`.
    ///
    /// # Panics
    /// If there are more features than the posterior has.
    pub fn variance(&self, features: &[f32]) -> f64 {
        let size = self.size;
        assert_eq!(features.len() + 1, size, "features of a point");
        let mut sums: Vec<f64> = self.factor[(size - 1) * size..]
            .iter()
            .map(|&c| f64::from(c))
            .collect();
        for (row, &feature) in self.factor.chunks_exact(size).zip(features) {
            for (sum, &c) in sums.iter_mut().zip(row) {
                *sum += f64::from(feature) * f64::from(c);
            }
        }
        sums.iter().map(|s| s * s).sum()
    }

    /// The last layers of members: a member of a seed is the same everywhere, whatever is drawn beside it.
    ///
    /// # Shapes
    /// - weight: `[hidden, out]`, as trained
    /// - bias: `[out]`
    ///
    /// # Panics
    /// If the weight is not that of this posterior.
    pub fn draw(&self, weight: &[f32], bias: &[f32], seed: u64, members: Range<u32>) -> Draws {
        let (size, out) = (self.size, bias.len());
        let hidden = size - 1;
        assert_eq!(weight.len(), hidden * out, "weights of the last layer");
        let count = members.len();
        let mut draws = Draws {
            weight: Vec::with_capacity(count * out * hidden),
            bias: Vec::with_capacity(count * out),
        };
        let mut normals = vec![0.0; out * size];
        for member in members {
            normal::fill(
                noise::key(seed, member, Place::LastLayer.layer()),
                &mut normals,
            );
            for (channel, normals) in normals.chunks_exact(size).enumerate() {
                let mut parameters =
                    (self.factor.chunks_exact(size)).map(|row| moved(row, normals));
                draws.weight.extend(
                    (parameters.by_ref().take(hidden).enumerate())
                        .map(|(k, by)| (f64::from(weight[k * out + channel]) + by) as f32),
                );
                let by = parameters.next().unwrap_or(0.0);
                draws.bias.push((f64::from(bias[channel]) + by) as f32);
            }
        }
        draws
    }
}

/// One element of `C z`, summed in `f64`: what is small beside the others decides along the stiff directions.
fn moved(row: &[f32], normals: &[f32]) -> f64 {
    let products = row
        .iter()
        .zip(normals)
        .map(|(&c, &z)| f64::from(c) * f64::from(z));
    products.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laplace::Gram;
    use crate::noise::uniforms;

    const HIDDEN: usize = 4;
    const SCALES: Scales = Scales {
        delta: 2.0,
        noise: 0.5,
    };

    /// Features of 60 points, and the curvature that they have.
    fn linear_problem() -> (Vec<f32>, Vec<f64>) {
        let uniforms = uniforms(8, 1, 60 * HIDDEN);
        let features: Vec<f32> = uniforms.iter().map(|u| (3.0 * u - 1.0) as f32).collect();
        let mut gram = Gram::new(&[0.0; HIDDEN], &[0.0]);
        gram.push(&features, &[1.0; 60]);
        let (curvature, _) = gram.finish().expect("finite");
        (features, curvature)
    }

    /// Solves `a x = b` by Gauss and Jordan: nothing in common with the factor.
    fn solved(mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            let pivot = a[k * n + k];
            for row in (0..n).filter(|&row| row != k) {
                let by = a[row * n + k] / pivot;
                for j in 0..n {
                    a[row * n + j] -= by * a[k * n + j];
                }
                b[row] -= by * b[k];
            }
        }
        (0..n).map(|k| b[k] / a[k * n + k]).collect()
    }

    fn precision(curvature: &[f64]) -> Vec<f64> {
        let n = HIDDEN + 1;
        let entry = |(k, h): (usize, &f64)| {
            let prior = if k / n == k % n { SCALES.delta } else { 0.0 };
            h / (SCALES.noise * SCALES.noise) + prior
        };
        curvature.iter().enumerate().map(entry).collect()
    }

    fn with_one(features: &[f32]) -> Vec<f64> {
        let wide = features.iter().map(|&f| f64::from(f));
        wide.chain([1.0]).collect()
    }

    #[test]
    fn the_variance_is_the_closed_form_of_the_linear_gaussian_problem() {
        let (features, curvature) = linear_problem();
        let posterior = Posterior::new(&curvature, HIDDEN + 1, SCALES, Profile::Fixed, true);
        let posterior = posterior.expect("definite");
        assert_eq!(posterior.noise(), 0.5);
        for phi in features.chunks_exact(HIDDEN) {
            let wide = with_one(phi);
            let inverse = solved(precision(&curvature), wide.clone());
            let wanted: f64 = inverse.iter().zip(&wide).map(|(a, b)| a * b).sum();
            let found = posterior.variance(phi);
            assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
        }
    }

    #[test]
    fn members_have_the_mean_of_the_weights_and_the_analytic_variance() {
        let (features, curvature) = linear_problem();
        let posterior = Posterior::new(&curvature, HIDDEN + 1, SCALES, Profile::Fixed, false);
        let posterior = posterior.expect("definite");
        assert_eq!(posterior.noise(), 0.0);
        // Two channels: [hidden, out] row-major.
        let weight: Vec<f32> = (0..2 * HIDDEN).map(|k| 0.3 * k as f32 - 1.0).collect();
        let bias = [0.5, -2.0];
        let count = 20_000;
        let draws = posterior.draw(&weight, &bias, 7, 0..count);
        let value = |member: usize, channel: usize, phi: &[f32]| {
            let row = member * 2 + channel;
            let weights = &draws.weight[row * HIDDEN..][..HIDDEN];
            let products = weights.iter().zip(phi).map(|(w, f)| f64::from(w * f));
            f64::from(draws.bias[row]) + products.sum::<f64>()
        };
        let n = f64::from(count);
        for phi in features.chunks_exact(HIDDEN).take(6) {
            let mut both = vec![];
            for channel in 0..2 {
                let trained = f64::from(bias[channel])
                    + (0..HIDDEN)
                        .map(|k| f64::from(weight[2 * k + channel] * phi[k]))
                        .sum::<f64>();
                let apart: Vec<f64> = (0..count as usize)
                    .map(|m| value(m, channel, phi) - trained)
                    .collect();
                let variance = posterior.variance(phi);
                let mean = apart.iter().sum::<f64>() / n;
                let found = apart.iter().map(|v| v * v).sum::<f64>() / n;
                // Five standard errors: sqrt(v/n) of the mean, v sqrt(2/n) of the variance.
                assert!(mean.abs() < 5.0 * (variance / n).sqrt(), "{mean}");
                assert!(
                    (found / variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(),
                    "{found} {variance}"
                );
                both.push((apart, variance));
            }
            // Channels are drawn apart.
            let products = both[0].0.iter().zip(&both[1].0).map(|(a, b)| a * b);
            let correlation = products.sum::<f64>() / n / (both[0].1 * both[1].1).sqrt();
            assert!(correlation.abs() < 5.0 / n.sqrt(), "{correlation}");
        }
    }

    #[test]
    fn the_published_covariance_is_that_of_the_transposed_factor() {
        let (features, curvature) = linear_problem();
        let of = |profile| Posterior::new(&curvature, HIDDEN + 1, SCALES, profile, false);
        let (fixed, paper) = (
            of(Profile::Fixed).expect("definite"),
            of(Profile::Paper).expect("definite"),
        );
        let n = HIDDEN + 1;
        for row in 0..n {
            for column in 0..n {
                assert_eq!(
                    paper.factor[row * n + column],
                    fixed.factor[column * n + row]
                );
                assert!(
                    column <= row || fixed.factor[row * n + column] == 0.0,
                    "lower triangular"
                );
            }
        }
        // Same volume, another shape: their determinants agree, the variances at points do not.
        let phi = &features[..HIDDEN];
        let ratio = paper.variance(phi) / fixed.variance(phi);
        assert!((ratio - 1.0).abs() > 0.05, "{ratio}");
    }

    #[test]
    fn a_member_is_the_same_alone_and_in_company() {
        let (_, curvature) = linear_problem();
        let posterior = Posterior::new(&curvature, HIDDEN + 1, SCALES, Profile::Fixed, false);
        let posterior = posterior.expect("definite");
        let (weight, bias) = ([0.1; HIDDEN], [0.2]);
        let all = posterior.draw(&weight, &bias, 3, 0..5);
        let alone = posterior.draw(&weight, &bias, 3, 4..5);
        assert_eq!(alone.weight, all.weight[4 * HIDDEN..]);
        assert_eq!(alone.bias, all.bias[4..]);
        assert_ne!(alone.bias, posterior.draw(&weight, &bias, 4, 4..5).bias);
        let certain = Posterior::certain(HIDDEN + 1).draw(&weight, &bias, 3, 0..2);
        assert_eq!(
            (certain.weight, certain.bias),
            (vec![0.1; 2 * HIDDEN], vec![0.2; 2])
        );
    }
}
