//! Coefficients: two laws that give fields of two values.

use super::gaussian::gaussian_field;
use super::{BATCH, centres};
use crate::noise;
use crate::spec::names;

/// Bumps of one sample of [`Law::Bumps`].
const BUMPS: usize = 5;
/// Largest `s` of a bump `exp(-r²/s)`.
const WIDEST: f64 = 0.5;

/// Streams of a sample's noise: see [`noise::case_seed`]. They must never change.
pub(super) mod stream {
    pub const BUMPS: u64 = 0;
    pub const GAUSSIAN: u64 = 1;
    pub const INITIAL: u64 = 2;
    pub const WAVES: u64 = 3;
}

names!(
    /// How coefficients are drawn.
    Law, "law", "bumps, gaussian",
    {
        /// PDEBench, the data of the paper: the sum of five bumps `exp(-r²/s)`, centres uniform in the square, `s` uniform
        /// in (0, 0.5); 1.0 above the mean over all cells of all [`BATCH`] samples of its batch, 0.1 below.
        ///
        /// A sample thus depends a little on the other 199; one in a hundred has a single value everywhere.
        Bumps = "bumps",
        /// Li et al., "Fourier neural operator for parametric partial differential equations" (2021): 12 where a
        /// [Gaussian random field](gaussian_field) is positive, 3 where it is negative.
        Gaussian = "gaussian",
    }
);

impl Law {
    /// What it draws, in a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Self::Bumps => {
                "1.0 where a sum of five random bumps is above its mean over 200 samples, 0.1 below (PDEBench)"
            }
            Self::Gaussian => {
                "12 where a Gaussian random field is positive, 3 where it is negative (Li et al. 2021)"
            }
        }
    }

    /// The two values: where the field is low, and where it is high.
    pub fn values(self) -> [f32; 2] {
        match self {
            Self::Bumps => [0.1, 1.0],
            Self::Gaussian => [3.0, 12.0],
        }
    }
}

/// Sample `index` of a law on `n x n` cells.
///
/// Samples of one batch of [`Law::Bumps`] share a threshold, which a [`Batch`] finds once for all.
pub fn coefficient(law: Law, seed: u64, index: u64, n: usize) -> Vec<f32> {
    match law {
        Law::Bumps => Batch::of(seed, index, n).coefficient(index),
        Law::Gaussian => threshold(law, &gaussian_field(seed, index, n), 0.0),
    }
}

fn threshold(law: Law, field: &[f64], level: f64) -> Vec<f32> {
    let [low, high] = law.values();
    let value = |v: &f64| if *v > level { high } else { low };
    field.iter().map(value).collect()
}

/// A batch of [`Law::Bumps`] on one grid, with its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Batch {
    seed: u64,
    number: u64,
    n: usize,
    threshold: f64,
}

impl Batch {
    /// The batch that holds sample `index`.
    pub fn of(seed: u64, index: u64, n: usize) -> Self {
        let number = index / BATCH;
        let means = (0..BATCH).map(|k| {
            // The last batch of all is not complete, and begins again with the first sample.
            let bumps = bumps(seed, (number * BATCH).wrapping_add(k), n);
            bumps.map(|[x, y]| mean(&x) * mean(&y)).sum::<f64>()
        });
        Self {
            seed,
            number,
            n,
            threshold: means.sum::<f64>() / BATCH as f64,
        }
    }

    /// Whether this is the batch of sample `index` of a seed.
    pub fn holds(&self, seed: u64, index: u64) -> bool {
        self.seed == seed && self.number == index / BATCH
    }

    /// The coefficient of a sample of this batch.
    ///
    /// # Panics
    /// If the sample is of another batch.
    pub fn coefficient(&self, index: u64) -> Vec<f32> {
        assert!(
            self.holds(self.seed, index),
            "sample {index} in batch {}",
            self.number
        );
        let mut field = vec![0.0; self.n * self.n];
        for [x, y] in bumps(self.seed, index, self.n) {
            for (row, x) in field.chunks_exact_mut(self.n).zip(x) {
                for (value, y) in row.iter_mut().zip(&y) {
                    *value += x * y;
                }
            }
        }
        threshold(Law::Bumps, &field, self.threshold)
    }
}

/// The bumps of a sample: each the product of a function of `x` and one of `y`.
fn bumps(seed: u64, index: u64, n: usize) -> impl Iterator<Item = [Vec<f64>; 2]> {
    let draws = noise::uniforms(noise::case_seed(seed, index), stream::BUMPS, 3 * BUMPS);
    (0..BUMPS).map(move |bump| {
        let [x, y, s] = [0, 1, 2].map(|k| draws[3 * bump + k]);
        let s = (WIDEST * s).max(f64::MIN_POSITIVE);
        [x, y].map(|centre| {
            centres(n)
                .map(|x| (-(x - centre).powi(2) / s).exp())
                .collect()
        })
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_mean_over_all_cells_of_the_batch() {
        let n = 12;
        let mut sum = 0.0;
        for index in BATCH..2 * BATCH {
            for [xs, ys] in bumps(3, index, n) {
                for x in &xs {
                    sum += ys.iter().map(|y| x * y).sum::<f64>();
                }
            }
        }
        let wanted = sum / (BATCH as usize * n * n) as f64;
        let batch = Batch::of(3, BATCH + 17, n);
        assert!((batch.threshold - wanted).abs() < 1e-12);
        assert_eq!(batch, Batch::of(3, 2 * BATCH - 1, n));
        assert!(batch.holds(3, BATCH) && !batch.holds(3, 2 * BATCH) && !batch.holds(4, BATCH));
    }

    #[test]
    fn a_sample_is_a_function_of_seed_and_index() {
        for law in [Law::Bumps, Law::Gaussian] {
            let first = coefficient(law, 5, 1, 32);
            assert_eq!(first, coefficient(law, 5, 1, 32));
            assert_ne!(first, coefficient(law, 5, 2, 32));
            assert_ne!(first, coefficient(law, 6, 1, 32));
            assert!(first.iter().all(|a| law.values().contains(a)));
        }
    }

    #[test]
    fn a_coarse_grid_samples_the_same_function() {
        // An odd refinement puts every coarse centre on a fine one.
        let (coarse, fine) = (33, 99);
        for law in [Law::Bumps, Law::Gaussian] {
            let (a, b) = (coefficient(law, 1, 7, coarse), coefficient(law, 1, 7, fine));
            let differing = (0..coarse * coarse)
                .filter(|k| a[*k] != b[(3 * (k / coarse) + 1) * fine + 3 * (k % coarse) + 1])
                .count();
            // The threshold of the bumps is a mean over cells, and changes in the fourth digit.
            assert!(differing <= 2, "{differing} cells differ");
        }
    }

    #[test]
    fn the_last_sample_of_all_has_a_batch() {
        let a = coefficient(Law::Bumps, 1, super::super::LIVE_SAMPLE, 16);
        assert_eq!(a.len(), 256);
    }
}
