//! From the sums to the posterior, and what there is to tell about it.

use super::evidence::{Evidence, Scales};
use super::{Gram, LaplaceError, Posterior, linear, published};
use crate::spec::Profile;

/// A fitted posterior with the numbers behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// What the checkpoint gets.
    pub posterior: Posterior,
    /// Prior precision and noise scale.
    pub scales: Scales,
    /// Parameters that the data determine rather than the prior, of [`parameters`](Self::parameters).
    pub determined: f64,
    /// Parameters of the last layer.
    pub parameters: usize,
    /// Logarithm of the evidence at these scales.
    pub log_evidence: f64,
    /// Root mean square of the residuals, in network units.
    pub residual: f64,
}

impl Fit {
    /// Chooses the scales and factors the posterior.
    ///
    /// The evidence of `fixed` counts every value. The published program counted `last_axis` values for each of `cases`,
    /// the size of the last axis alone; because of the missing gradient that changes the evidence it reports but not the
    /// scales. `observed` adds observation noise to members of `fixed`.
    pub fn new(
        gram: Gram,
        cases: usize,
        last_axis: usize,
        profile: Profile,
        observed: bool,
    ) -> Result<Self, LaplaceError> {
        let (size, channels, points) = (gram.size(), gram.channels(), gram.points());
        let weight_norm = gram.weight_norm();
        let (curvature, residual) = gram.finish()?;
        let values = points as f64 * channels as f64;
        let evidence = Evidence {
            // Rounding may leave a zero slightly below.
            eigenvalues: linear::eigenvalues(&curvature, size)
                .into_iter()
                .map(|h| h.max(0.0))
                .collect(),
            channels,
            residual,
            observations: match profile {
                Profile::Fixed => values,
                Profile::Paper => cases as f64 * last_axis as f64,
            },
            weight_norm,
        };
        let (scales, observed) = match profile {
            Profile::Fixed => (evidence.optimum()?, observed),
            Profile::Paper => (published::scales(&evidence), false),
        };
        Ok(Self {
            posterior: Posterior::new(&curvature, size, scales, profile, observed)?,
            determined: evidence.determined(scales.delta * scales.noise * scales.noise),
            parameters: size * channels,
            log_evidence: -evidence.minus_log(scales),
            residual: (2.0 * residual / values).sqrt(),
            scales,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{key, normal, uniforms};

    /// A linear problem with noise of standard deviation 0.3: features, truth, and the weights of least squares.
    fn problem() -> (Vec<f32>, Vec<f32>, Vec<f32>) {
        let (points, hidden) = (4000, 3);
        let mut features: Vec<f32> = uniforms(1, 1, points * hidden)
            .iter()
            .map(|&u| u as f32 - 0.5)
            .collect();
        features
            .iter_mut()
            .skip(2)
            .step_by(3)
            .for_each(|f| *f *= 0.01);
        let mut eps = vec![0.0; points];
        normal::fill(key(1, 2, 3), &mut eps);
        let weights = [1.5, -0.7, 0.4];
        let truth = (features.chunks_exact(hidden).zip(&eps))
            .map(|(phi, eps)| {
                0.2 + phi.iter().zip(weights).map(|(f, w)| f * w).sum::<f32>() + 0.3 * eps
            })
            .collect();
        (features, truth, weights.to_vec())
    }

    #[test]
    fn the_evidence_finds_the_noise_that_was_put_in() {
        let (features, truth, weights) = problem();
        let mut gram = Gram::new(&weights, &[0.2]);
        gram.push(&features, &truth);
        let fit = Fit::new(gram, 4, 10, Profile::Fixed, true).expect("a fit");
        // Five standard errors of a standard deviation from 4000 values.
        assert!(
            (fit.scales.noise - 0.3).abs() < 5.0 * 0.3 / 8000.0_f64.sqrt(),
            "{fit:?}"
        );
        assert_eq!(
            f64::from(fit.posterior.noise()),
            f64::from(fit.scales.noise as f32)
        );
        // The third feature hardly ever moves: its weight is the prior's, the three others are the data's.
        assert!(
            fit.parameters == 4 && (2.9..3.9).contains(&fit.determined),
            "{fit:?}"
        );
        assert!((fit.residual - fit.scales.noise).abs() < 1e-3);
    }

    #[test]
    fn the_published_fit_is_the_artefact_without_noise() {
        let (features, truth, weights) = problem();
        let gram = || {
            let mut gram = Gram::new(&weights, &[0.2]);
            gram.push(&features, &truth);
            gram
        };
        let fit = Fit::new(gram(), 4, 10, Profile::Paper, true).expect("a fit");
        assert_eq!(fit.posterior.noise(), 0.0);
        assert!(fit.scales.noise > 20.0, "{:?}", fit.scales);
        let fixed = Fit::new(gram(), 4, 10, Profile::Fixed, false).expect("a fit");
        assert_eq!(fixed.posterior.noise(), 0.0);
        assert!(fixed.scales.noise < 0.4);
    }
}
