//! Probability integral transform (PIT): the ranks on a scale from 0 to 1, in a chosen number of bins.
//!
//! `PIT = (rank + U) / (M + 1)`, U uniform: the forecast's distribution function at the truth, with the chance that a
//! finite ensemble leaves.
//!
//! - Shape: as the rank histogram, and comparable between ensembles of different sizes.
//! - Estimator: not random. Each rank's frequency is spread evenly over its part of the scale, which is the expectation
//!   over U.
//! - Range: frequencies that sum to 1; `1 / bins` each for a reliable ensemble.
//! - NaN: as the rank histogram.
//! - Reference: Dawid, J. R. Stat. Soc. A 147 (1984); Czado, Gneiting & Held, Biometrics 65 (2009).

/// The estimator in words.
pub const ESTIMATOR: &str = "(rank + U)/(M+1) in equal bins, in expectation over the uniform U";

/// Bins of the histogram in a report.
pub const BINS: usize = 20;

/// Frequencies in `bins` equal parts of 0 to 1, from the frequencies of the ranks.
pub fn pit(rank_frequencies: &[f64], bins: usize) -> Vec<f64> {
    let (ranks, width) = (rank_frequencies.len() as f64, 1.0 / bins as f64);
    let mut parts = vec![0.0; bins];
    for (rank, &frequency) in rank_frequencies.iter().enumerate() {
        let (low, high) = (rank as f64 / ranks, (rank + 1) as f64 / ranks);
        let first = (low * bins as f64) as usize;
        for (bin, part) in parts.iter_mut().enumerate().skip(first) {
            let start = bin as f64 * width;
            if start >= high {
                break;
            }
            let shared = high.min(start + width) - low.max(start);
            *part += frequency * ranks * shared.max(0.0);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_spread_over_the_bins_they_lie_in() {
        // Three ranks over two bins: the middle one is halved.
        let found = pit(&[0.5, 0.2, 0.3], 2);
        assert!((found[0] - 0.6).abs() < 1e-12 && (found[1] - 0.4).abs() < 1e-12);
        // One rank over four bins, and as many ranks as bins.
        assert_eq!(pit(&[1.0], 4), [0.25; 4]);
        let same = pit(&[0.1, 0.2, 0.7], 3);
        assert!(
            same.iter()
                .zip([0.1, 0.2, 0.7])
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }

    #[test]
    fn flat_ranks_give_a_flat_histogram_of_any_number_of_bins() {
        for bins in [1, 7, 20, 33] {
            for found in pit(&[1.0 / 101.0; 101], bins) {
                assert!((found - 1.0 / bins as f64).abs() < 1e-12);
            }
        }
        assert!(pit(&[f64::NAN; 3], 2).iter().all(|f| f.is_nan()));
    }
}
