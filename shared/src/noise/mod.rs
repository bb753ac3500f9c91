//! Noise that is the same everywhere: a counter-based generator keyed by (seed, member, layer, position).
//!
//! Member 17 of seed 7 must be the same field in the trainer, in the page on WebGPU and in the page on the CPU.
//! So nothing here has state. A value is a pure function of where it is used:
//!
//! ```text
//! key(seed, member, layer)  = threefry(key = seed, counter = (member, layer))      one per row, made on the host
//! bits(key, position)       = threefry(key, counter = (block, 0))                  made where they are used
//! ```
//!
//! The generator is Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011):
//! only additions, rotations and exclusive-ors of 32-bit words, so CPU SIMD, WGSL and CUDA agree bit for bit.
//!
//! A block is 64 bits. A dropout mask takes 16 of them per element ([`mask`]), a normal 32 ([`normal`]).
//! The layout inside a run of 64 elements is chosen so that both SIMD lanes and GPU threads walk memory in order.

pub mod mask;
pub mod normal;

/// Two words that name one stream of noise.
pub type Key = [u32; 2];

const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
/// Key-schedule constant of the Threefish family.
pub(crate) const PARITY: u32 = 0x1BD1_1BDA;

/// Marks keys that are not of a (member, layer): see [`case_seed`] and [`uniforms`].
const CASE: u32 = 0x8000_0000;
const STREAM: u32 = 0x8000_0001;

/// Threefry-2x32, 20 rounds, on `N` counters at once (`N` independent lanes that the compiler can vectorise).
#[inline(always)]
pub(crate) fn threefry_lanes<const N: usize>(
    key: Key,
    mut a: [u32; N],
    mut b: [u32; N],
) -> ([u32; N], [u32; N]) {
    let schedule = [key[0], key[1], PARITY ^ key[0] ^ key[1]];
    for i in 0..N {
        a[i] = a[i].wrapping_add(schedule[0]);
        b[i] = b[i].wrapping_add(schedule[1]);
    }
    for group in 0..5_usize {
        for round in 0..4 {
            let rotation = ROTATIONS[(group % 2) * 4 + round];
            for i in 0..N {
                a[i] = a[i].wrapping_add(b[i]);
                b[i] = b[i].rotate_left(rotation) ^ a[i];
            }
        }
        let (k0, k1) = (schedule[(group + 1) % 3], schedule[(group + 2) % 3]);
        for i in 0..N {
            a[i] = a[i].wrapping_add(k0);
            b[i] = b[i].wrapping_add(k1).wrapping_add(group as u32 + 1);
        }
    }
    (a, b)
}

/// Threefry-2x32, 20 rounds.
pub fn threefry(key: Key, counter: [u32; 2]) -> [u32; 2] {
    let ([a], [b]) = threefry_lanes(key, [counter[0]], [counter[1]]);
    [a, b]
}

fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The key of one member at one layer.
///
/// ```
/// use pno::noise::{Place, key, normal::normal};
///
/// let of_member = |member| key(7, member, Place::Normal.layer());
/// assert_eq!(normal(of_member(17), 0), normal(of_member(17), 0));
/// assert_ne!(normal(of_member(17), 0), normal(of_member(18), 0));
/// ```
///
/// `layer` counts the places where noise enters a network, in forward order ([`Place`]).
pub fn key(seed: u64, member: u32, layer: u32) -> Key {
    threefry(words(seed), [member, layer])
}

/// The seed of one case of a data set, so that different cases get independent members.
pub fn case_seed(seed: u64, case: u64) -> u64 {
    let [lo, hi] = words(case);
    let [a, b] = threefry(threefry(words(seed), [hi, CASE]), [lo, CASE]);
    u64::from(a) | u64::from(b) << 32
}

/// `n` numbers in `[0, 1)` with 53 random bits each, of one stream of a seed.
pub fn uniforms(seed: u64, stream: u64, n: usize) -> Vec<f64> {
    let [lo, hi] = words(stream);
    let key = threefry(threefry(words(seed), [hi, STREAM]), [lo, STREAM]);
    (0..n as u64)
        .map(|i| {
            let [a, b] = threefry(key, words(i));
            let bits = (u64::from(a) << 32 | u64::from(b)) >> 11;
            bits as f64 * (0.5_f64).powi(53)
        })
        .collect()
}

/// A deterministic shuffle of `0..n` (Fisher-Yates), of one stream of a seed.
pub fn permutation(seed: u64, stream: u64, n: usize) -> Vec<usize> {
    let draws = uniforms(seed, stream, n);
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let j = (draws[i] * (i + 1) as f64) as usize;
        order.swap(i, j.min(i));
    }
    order
}

/// Where in a network noise enters. The number is part of the key, so it must never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Hidden layer of the lifting MLP.
    Lifting,
    /// Spectral coefficients of block `i`.
    Spectral(u16),
    /// Hidden layer of the projection MLP (the mean head).
    Projection,
    /// Hidden layer of the spread head.
    SpreadHidden,
    /// The normals of `PNO_R`, and the observation noise of a Laplace approximation.
    Normal,
    /// The weights of the last layer, of a Laplace approximation.
    LastLayer,
    /// The noise on an observed input.
    Observation,
    /// The noise on the perturbed input of a member.
    Perturbation,
    /// Hidden layer of the MLP of residual block `i`.
    BlockHidden(u16),
    /// The spectrum of channel `i` of functional noise.
    Function(u16),
}

impl Place {
    /// The layer number of [`key`].
    pub fn layer(self) -> u32 {
        match self {
            Self::Lifting => 0,
            Self::Projection => 1,
            Self::SpreadHidden => 2,
            Self::Normal => 3,
            Self::LastLayer => 4,
            Self::Observation => 5,
            Self::Perturbation => 6,
            Self::Spectral(block) => 16 + u32::from(block),
            Self::BlockHidden(block) => (1 << 17) + u32::from(block),
            Self::Function(channel) => (1 << 18) + u32::from(channel),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threefry_gives_the_published_known_answers() {
        for (counter, key, answer) in [
            ([0, 0], [0, 0], [0x6b20_0159, 0x99ba_4efe]),
            ([u32::MAX; 2], [u32::MAX; 2], [0x1cb9_96fc, 0xbb00_2be7]),
            (
                [0x243f_6a88, 0x85a3_08d3],
                [0x1319_8a2e, 0x0370_7344],
                [0xc492_3a9c, 0x483d_f7a0],
            ),
        ] {
            assert_eq!(threefry(key, counter), answer);
        }
    }

    #[test]
    fn lanes_agree_with_single_calls() {
        let counters: [u32; 16] = std::array::from_fn(|i| i as u32 * 977);
        let (a, b) = threefry_lanes([3, 4], counters, [7; 16]);
        for i in 0..16 {
            assert_eq!([a[i], b[i]], threefry([3, 4], [counters[i], 7]));
        }
    }

    #[test]
    fn streams_and_cases_are_uniform_and_uncorrelated() {
        let n = 20_000;
        let (a, b) = (uniforms(7, 0, n), uniforms(7, 1, n));
        let mean = a.iter().sum::<f64>() / n as f64;
        let cross = a
            .iter()
            .zip(&b)
            .map(|(x, y)| (x - 0.5) * (y - 0.5))
            .sum::<f64>()
            / n as f64;
        // Five standard errors: 1/sqrt(12 n) and 1/(12 sqrt n).
        assert!(
            (mean - 0.5).abs() < 5.0 / (12.0 * n as f64).sqrt(),
            "mean {mean}"
        );
        assert!(
            cross.abs() < 5.0 / (12.0 * (n as f64).sqrt()),
            "cross {cross}"
        );
        assert_ne!(case_seed(7, 0), case_seed(7, 1));
        assert_ne!(case_seed(7, 1), case_seed(7, 1 << 32));
    }

    #[test]
    fn a_permutation_holds_every_index_once() {
        let mut order = permutation(1, 2, 1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
    }
}
