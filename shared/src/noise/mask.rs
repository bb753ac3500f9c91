//! Dropout masks: 16 random bits per element, four elements per Threefry block.
//!
//! A run of [`RUN`] elements uses 16 consecutive blocks. Element `e` of the run takes 16-bit lane `e / 16` of block `e % 16`
//! (lane 0 = low half of the first word, 1 = high half, 2 and 3 = the second word), so that SIMD lanes and GPU threads walk in order.
//! Blocks are counted in 32 bits: after 2^34 elements of a row its mask begins again, on every device alike.

use super::{Key, threefry_lanes};

/// Elements per run.
pub const RUN: usize = 64;
const LANES: usize = 16;

/// A dropout rate as an integer: an element is dropped when its 16 bits are below `threshold`.
///
/// Survivors are scaled by the inverse of the *quantised* keep probability, so the mean is preserved exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    threshold: u32,
}

impl Rate {
    /// Nothing is dropped.
    pub const NONE: Self = Self { threshold: 0 };

    /// The nearest multiple of 2^-16; rates are below 1 by [`ModelSpec::validate`](crate::spec::ModelSpec::validate).
    pub fn new(rate: f32) -> Self {
        let threshold = (f64::from(rate) * 65536.0).round().clamp(0.0, 65535.0);
        Self {
            threshold: threshold as u32,
        }
    }

    /// The rate with this [`threshold`](Self::threshold).
    pub fn from_threshold(threshold: u32) -> Self {
        Self {
            threshold: threshold.min(65535),
        }
    }

    /// Whether nothing is dropped.
    pub fn is_none(self) -> bool {
        self.threshold == 0
    }

    /// Elements whose 16 bits are below this are dropped.
    pub fn threshold(self) -> u32 {
        self.threshold
    }

    /// What survivors are multiplied with.
    pub fn scale(self) -> f32 {
        (65536.0 / (65536.0 - f64::from(self.threshold))) as f32
    }
}

/// Factors (0 or the rate's scale) of the run that starts at element `run * RUN`.
#[inline(always)]
pub fn run_factors(key: Key, run: u32, rate: Rate) -> [f32; RUN] {
    let (a, b) = threefry_lanes(key, blocks::<LANES>(run), [0; LANES]);
    let mut factors = [0.0; RUN];
    spread(&a, &b, rate, &mut factors);
    factors
}

/// Factors of the elements from `run * RUN` on. Two runs at a time: the rounds of one hide the latency of the other's.
#[inline(always)]
pub fn fill_from(key: Key, run: u32, rate: Rate, out: &mut [f32]) {
    let mut pairs = out.chunks_exact_mut(2 * RUN);
    let mut run = run;
    for pair in &mut pairs {
        let (a, b) = threefry_lanes(key, blocks::<{ 2 * LANES }>(run), [0; 2 * LANES]);
        let (first, second) = pair.split_at_mut(RUN);
        spread(&a[..LANES], &b[..LANES], rate, first);
        spread(&a[LANES..], &b[LANES..], rate, second);
        run = run.wrapping_add(2);
    }
    for (chunk, run) in pairs.into_remainder().chunks_mut(RUN).zip(run..) {
        chunk.copy_from_slice(&run_factors(key, run, rate)[..chunk.len()]);
    }
}

/// Factors of the first `out.len()` elements of a key.
pub fn fill(key: Key, rate: Rate, out: &mut [f32]) {
    fill_from(key, 0, rate, out);
}

/// Counters of the blocks from a run on.
#[inline(always)]
fn blocks<const N: usize>(run: u32) -> [u32; N] {
    let first = run.wrapping_mul(LANES as u32);
    std::array::from_fn(|i| first.wrapping_add(i as u32))
}

/// The 16-bit lanes of the blocks of one run as factors.
#[inline(always)]
fn spread(a: &[u32], b: &[u32], rate: Rate, factors: &mut [f32]) {
    let (threshold, scale) = (rate.threshold, rate.scale());
    let factor = |bits: u32| if bits < threshold { 0.0 } else { scale };
    let (a, b, factors) = (&a[..LANES], &b[..LANES], &mut factors[..RUN]);
    for i in 0..LANES {
        factors[i] = factor(a[i] & 0xffff);
        factors[LANES + i] = factor(a[i] >> 16);
        factors[2 * LANES + i] = factor(b[i] & 0xffff);
        factors[3 * LANES + i] = factor(b[i] >> 16);
    }
}

#[cfg(test)]
mod tests {
    use super::super::threefry;
    use super::*;

    #[test]
    fn elements_take_their_sixteen_bits_as_documented() {
        let (key, rate) = ([5, 6], Rate::new(0.3));
        let mut mask = vec![0.0; 400];
        fill(key, rate, &mut mask);
        let mut later = vec![0.0; 300];
        fill_from(key, 1, rate, &mut later);
        assert_eq!(later, mask[RUN..RUN + 300]);
        for (position, &factor) in mask.iter().enumerate() {
            let (run, e) = (position / 64, position % 64);
            let words = threefry(key, [(run * 16 + e % 16) as u32, 0]);
            let lane = e / 16;
            let bits = words[lane / 2] >> (16 * (lane % 2)) & 0xffff;
            let expected = if bits < rate.threshold() {
                0.0
            } else {
                rate.scale()
            };
            assert_eq!(factor, expected, "position {position}");
        }
    }

    #[test]
    fn a_mask_begins_again_after_2_to_the_34_elements() {
        let (key, rate) = ([5, 6], Rate::new(0.3));
        let first = run_factors(key, 3, rate);
        assert_eq!(run_factors(key, 3 + (1 << 28), rate), first);
        assert_ne!(run_factors(key, 3 + (1 << 27), rate), first);
        let (mut here, mut there) = (vec![0.0; 300], vec![0.0; 300]);
        fill_from(key, 0, rate, &mut here);
        fill_from(key, 1 << 28, rate, &mut there);
        assert_eq!(here, there);
    }

    #[test]
    fn the_mean_factor_is_one_and_the_rate_is_right() {
        let n = 1 << 18;
        for p in [0.001_f32, 0.1, 0.2, 0.5] {
            let mut mask = vec![0.0; n];
            fill([1, 2], Rate::new(p), &mut mask);
            let dropped = mask.iter().filter(|&&f| f == 0.0).count() as f64 / n as f64;
            let p = f64::from(p);
            let five_errors = 5.0 * (p * (1.0 - p) / n as f64).sqrt() + 1.0 / 65536.0;
            assert!(
                (dropped - p).abs() < five_errors,
                "rate {p}, found {dropped}"
            );
        }
        assert_eq!(Rate::NONE.scale(), 1.0);
        assert!((f64::from(Rate::new(0.2).scale()) - 1.25).abs() < 1e-5);
    }
}
