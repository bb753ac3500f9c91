//! How probable the data are under a prior precision and a noise scale, and where that is largest.

use super::LaplaceError;

/// Halvings of the interval of the optimum, in the logarithm.
const HALVINGS: usize = 200;

/// What the evidence depends on besides the two scales.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Eigenvalues of `H`, of one output channel.
    pub eigenvalues: Vec<f64>,
    /// Output channels, each with the same `H`.
    pub channels: usize,
    /// Half the sum of squared residuals.
    pub residual: f64,
    /// Number of observed values.
    pub observations: f64,
    /// Sum of squares of the trained last layer.
    pub weight_norm: f64,
}

/// Prior precision and noise scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// Precision `delta` of the prior of each weight, whose mean is 0.
    pub delta: f64,
    /// Standard deviation `s` of the observation noise.
    pub noise: f64,
}

impl Evidence {
    /// Minus the logarithm of the evidence:
    /// `R/s^2 + N log(s sqrt(2 pi)) + (log det Pi - P log delta + delta |theta|^2) / 2`.
    pub fn minus_log(&self, Scales { delta, noise }: Scales) -> f64 {
        let precision = noise.powi(-2);
        // log det Pi - P log delta, without the cancellation of the two.
        let determinant = self.channels as f64
            * (self.eigenvalues.iter())
                .map(|h| (h * precision / delta).ln_1p())
                .sum::<f64>();
        let constant = 0.5 * std::f64::consts::TAU.ln();
        self.residual * precision
            + self.observations * (noise.ln() + constant)
            + 0.5 * (determinant + delta * self.weight_norm)
    }

    /// Derivatives of [`minus_log`](Self::minus_log) by `log delta` and `log s`.
    pub fn gradient(&self, scales: Scales) -> [f64; 2] {
        let [delta, noise] = self.gradient_without_normaliser(scales);
        [delta, noise + self.observations]
    }

    /// The same without the derivative of the term `N log s`, which the published program left out.
    pub(super) fn gradient_without_normaliser(&self, Scales { delta, noise }: Scales) -> [f64; 2] {
        let determined = self.determined(delta * noise * noise);
        [
            0.5 * (delta * self.weight_norm - determined),
            -2.0 * self.residual / (noise * noise) - determined,
        ]
    }

    /// Number of parameters that the data determine rather than the prior, for `ratio = delta s^2`.
    pub fn determined(&self, ratio: f64) -> f64 {
        let each = self.eigenvalues.iter().map(|h| h / (h + ratio));
        self.channels as f64 * each.sum::<f64>()
    }

    /// Where the evidence is largest.
    ///
    /// Both derivatives vanish for `delta = gamma / |theta|^2` and `s^2 = 2 R / (N - gamma)`, with the number `gamma` of
    /// determined parameters, which depends on `delta s^2` alone. What is left is one equation for `delta s^2`, whose two
    /// sides are monotonic, so there is exactly one solution. MacKay, "Bayesian interpolation", 1992.
    pub fn optimum(&self) -> Result<Scales, LaplaceError> {
        let positive = |what, found: f64| {
            if found > 0.0 {
                return Ok(());
            }
            Err(LaplaceError::NoOptimum { what, found })
        };
        positive("sum of squared residuals", self.residual)?;
        positive("sum of squared weights", self.weight_norm)?;
        let largest = self.eigenvalues.iter().copied().fold(0.0, f64::max);
        positive("largest eigenvalue of the curvature", largest)?;
        let excess = |log_ratio: f64| {
            let ratio = log_ratio.exp();
            let determined = self.determined(ratio);
            let free = self.observations - determined;
            ratio * self.weight_norm * free - 2.0 * self.residual * determined
        };
        let (mut low, mut high) = (largest.ln() - 80.0, largest.ln() + 80.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if excess(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let determined = self.determined((0.5 * (low + high)).exp());
        let free = self.observations - determined;
        positive("number of values minus that of determined weights", free)?;
        Ok(Scales {
            delta: determined / self.weight_norm,
            noise: (2.0 * self.residual / free).sqrt(),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Something like the published KS state: 129 eigenvalues over ten powers of ten.
    pub fn ks_like() -> Evidence {
        let cases = 8000.0;
        Evidence {
            eigenvalues: (0..129)
                .map(|k| 3e8 * (-0.18 * f64::from(k)).exp())
                .collect(),
            channels: 1,
            residual: 0.5 * cases * 5120.0 * 0.7,
            observations: cases * 5120.0,
            weight_norm: 3.5,
        }
    }

    /// Few data: every term matters.
    pub fn small() -> Evidence {
        Evidence {
            eigenvalues: vec![0.0, 0.3, 2.0, 50.0],
            channels: 2,
            residual: 7.0,
            observations: 40.0,
            weight_norm: 3.0,
        }
    }

    fn at(log_delta: f64, log_noise: f64) -> Scales {
        Scales {
            delta: log_delta.exp(),
            noise: log_noise.exp(),
        }
    }

    #[test]
    fn the_formula_of_one_weight_worked_by_hand() {
        let evidence = Evidence {
            eigenvalues: vec![8.0],
            channels: 1,
            residual: 6.0,
            observations: 3.0,
            weight_norm: 0.25,
        };
        // s = 2, delta = 4: Pi = 8/4 + 4 = 6.
        let wanted = 6.0 / 4.0
            + 3.0 * (2.0 * (2.0 * std::f64::consts::PI).sqrt()).ln()
            + 0.5 * (6.0_f64.ln() - 4.0_f64.ln() + 4.0 * 0.25);
        let found = evidence.minus_log(Scales {
            delta: 4.0,
            noise: 2.0,
        });
        assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for evidence in [small(), ks_like()] {
            for (a, b) in [(0.3, -0.4), (1.0, 1.0), (-2.0, 3.0), (3.0, 0.1)] {
                let value = |a, b| evidence.minus_log(at(a, b));
                let step = 1e-4;
                let wanted = [
                    (value(a + step, b) - value(a - step, b)) / (2.0 * step),
                    (value(a, b + step) - value(a, b - step)) / (2.0 * step),
                ];
                let size = value(a, b).abs();
                for (found, wanted) in evidence.gradient(at(a, b)).iter().zip(wanted) {
                    let error = 1e-6 * wanted.abs() + 1e-11 * size;
                    assert!((found - wanted).abs() < error, "{a} {b}: {found} {wanted}");
                }
            }
        }
    }

    #[test]
    fn the_optimum_is_where_a_grid_search_finds_it() {
        for evidence in [small(), ks_like()] {
            let found = evidence.optimum().expect("an optimum");
            // Over all that could be, then around the best, ever finer.
            let (mut centre, mut width) = ([0.0, 0.0], 16.0);
            for _ in 0..24 {
                let mut best = (f64::INFINITY, centre);
                for i in -20..=20 {
                    for j in -20..=20 {
                        let place = [
                            centre[0] + width * f64::from(i) / 20.0,
                            centre[1] + width * f64::from(j) / 20.0,
                        ];
                        let value = evidence.minus_log(at(place[0], place[1]));
                        if value < best.0 {
                            best = (value, place);
                        }
                    }
                }
                (centre, width) = (best.1, width * 0.4);
            }
            // A flat optimum is found to the root of the precision by values alone.
            let gap = |a: f64, b: f64| (a - b).abs();
            assert!(
                gap(found.delta.ln(), centre[0]) < 2e-3,
                "{found:?} {centre:?}"
            );
            assert!(
                gap(found.noise.ln(), centre[1]) < 1e-4,
                "{found:?} {centre:?}"
            );
            let [a, b] = evidence.gradient(found);
            let scale = evidence.observations;
            assert!(a.abs() < 1e-9 * scale && b.abs() < 1e-9 * scale, "{a} {b}");
        }
    }

    #[test]
    fn with_many_data_the_noise_is_the_residuals_own() {
        let evidence = ks_like();
        let scales = evidence.optimum().expect("an optimum");
        // Root mean square of the residuals: sqrt(0.7) = 0.84, as the published state would have had.
        assert!((scales.noise - 0.7_f64.sqrt()).abs() < 1e-4, "{scales:?}");
    }

    #[test]
    fn without_residuals_or_weights_there_is_no_optimum() {
        let mut evidence = small();
        evidence.residual = 0.0;
        let message = |e: &Evidence| e.optimum().unwrap_err().to_string();
        assert!(message(&evidence).contains("squared residuals is 0"));
        evidence = small();
        evidence.weight_norm = 0.0;
        assert!(message(&evidence).contains("squared weights is 0"));
        evidence = small();
        evidence.eigenvalues = vec![0.0];
        assert!(message(&evidence).contains("largest eigenvalue"));
    }
}
