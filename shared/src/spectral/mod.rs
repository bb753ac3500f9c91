//! Kept frequencies and truncated transforms as real matrix products.
//!
//! Few modes are kept, so a DFT by matrix products is exact, differentiable, runs on every device at any grid size,
//! and costs less than a full FFT. Tables are made in f64. Along each axis one product on the left is enough;
//! no full field is ever transposed. The sphere is the same with Legendre functions along the latitudes.

#[cfg(feature = "nn")]
pub mod axes;
#[cfg(feature = "nn")]
mod fourier;
mod resampling;
pub mod resize;
#[cfg(feature = "nn")]
mod spherical;
pub mod tables;
#[cfg(feature = "nn")]
mod transform;

#[cfg(feature = "nn")]
pub use fourier::Fourier;
pub use resampling::Resampling;
#[cfg(feature = "nn")]
pub use spherical::Spherical;
#[cfg(feature = "nn")]
pub use transform::Transform;

/// Signed frequencies kept on a non-last axis: `n` consecutive ones from `-ceil(n/2)`, in the order of the weights.
///
/// Even `n`: `-n/2 ..= n/2 - 1`. Odd `n` is lopsided, as published: 7 gives `-4 ..= 2`.
pub fn signed_frequencies(n: usize) -> Vec<i64> {
    let first = -(n.div_ceil(2) as i64);
    (0..n as i64).map(|i| first + i).collect()
}

/// Frequencies kept on the last (real) axis: `0 ..= n/2`.
pub fn half_frequencies(n: usize) -> Vec<i64> {
    (0..=(n / 2) as i64).collect()
}

/// Which of the kept frequencies a grid of `size` points can carry, each residue once.
///
/// On grids coarser than the model's modes the higher ones are left out. A half axis ends at its Nyquist frequency.
pub fn usable(frequencies: &[i64], size: usize, half: bool) -> Vec<bool> {
    let n = size as i64;
    if half {
        return frequencies.iter().map(|k| 2 * k <= n).collect();
    }
    let mut by_size: Vec<usize> = (0..frequencies.len()).collect();
    by_size.sort_by_key(|&i| (frequencies[i].abs(), frequencies[i]));
    let (mut taken, mut keep) = (vec![false; size], vec![false; frequencies.len()]);
    for i in by_size {
        let k = frequencies[i];
        let residue = &mut taken[k.rem_euclid(n) as usize];
        // An odd axis with all its modes names its last frequency (n + 1) / 2 from below.
        keep[i] = !*residue && 2 * k.abs() <= n + 1;
        *residue |= keep[i];
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorted places in a full spectrum that `n` modes use on `size` points.
    fn residues(n: usize, size: usize) -> Vec<i64> {
        let frequencies = signed_frequencies(n);
        let usable = usable(&frequencies, size, false);
        let mut residues: Vec<i64> = (0..n)
            .filter(|&i| usable[i])
            .map(|i| frequencies[i].rem_euclid(size as i64))
            .collect();
        residues.sort_unstable();
        residues
    }

    #[test]
    fn kept_frequencies_are_the_published_ones() {
        assert_eq!(signed_frequencies(12), (-6..=5).collect::<Vec<_>>());
        assert_eq!(signed_frequencies(10), (-5..=4).collect::<Vec<_>>());
        assert_eq!(signed_frequencies(7), (-4..=2).collect::<Vec<_>>());
        assert_eq!(half_frequencies(12), (0..=6).collect::<Vec<_>>());
        // n = N keeps every frequency exactly once, for even and odd N.
        for n in [4_usize, 5, 20, 21] {
            let residues = residues(n, n);
            assert_eq!(residues, (0..n as i64).collect::<Vec<_>>(), "N = {n}");
        }
    }

    #[test]
    fn a_coarse_grid_never_uses_a_frequency_twice() {
        for n in 1..24 {
            for size in 1..24 {
                let mut residues = residues(n, size);
                let count = residues.len();
                residues.dedup();
                assert_eq!(residues.len(), count, "{n} modes on {size} points");
                assert_eq!(count, n.min(size), "{n} modes on {size} points");
            }
        }
    }
}
