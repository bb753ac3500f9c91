//! The shuffles of PyTorch and NumPy, number for number, so that published splits can be made again.

/// The Mersenne twister MT19937 (Matsumoto and Nishimura 1998), which both libraries draw from.
struct Twister {
    state: [u32; Self::WORDS],
    next: usize,
}

impl Twister {
    const WORDS: usize = 624;
    const MIDDLE: usize = 397;

    /// Seeded with one number, as `init_genrand` does.
    fn new(seed: u32) -> Self {
        let mut state = [seed; Self::WORDS];
        for i in 1..Self::WORDS {
            let before = state[i - 1] ^ (state[i - 1] >> 30);
            state[i] = before.wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        let next = Self::WORDS;
        Self { state, next }
    }

    fn twist(&mut self) {
        for i in 0..Self::WORDS {
            let following = self.state[(i + 1) % Self::WORDS];
            let joined = (self.state[i] & 0x8000_0000) | (following & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + Self::MIDDLE) % Self::WORDS] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }

    fn next_u32(&mut self) -> u32 {
        if self.next == Self::WORDS {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }
}

/// `torch.randperm(n, generator=torch.Generator().manual_seed(seed))` on the CPU, for fewer than 2^32 / 20 numbers.
///
/// `random_split` takes its parts from it, one after the other. The seed is cut to 32 bits, as PyTorch does.
pub fn torch_randperm(n: usize, seed: u64) -> Vec<usize> {
    let mut twister = Twister::new(seed as u32);
    let mut all: Vec<usize> = (0..n).collect();
    for i in 0..n.saturating_sub(1) {
        let ahead = twister.next_u32() as usize % (n - i);
        all.swap(i, i + ahead);
    }
    all
}

/// `numpy.random.RandomState(seed).permutation(n)`, and with it `numpy.random.seed(seed)`, for fewer than 2^32 numbers.
pub fn numpy_permutation(n: usize, seed: u32) -> Vec<usize> {
    let mut twister = Twister::new(seed);
    let mut all: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        // Numbers above `i` are drawn again, after the bits that `i` does not have are cut off.
        let mask = u32::MAX >> (i as u32).leading_zeros();
        let chosen = loop {
            let drawn = (twister.next_u32() & mask) as usize;
            if drawn <= i {
                break drawn;
            }
        };
        all.swap(i, chosen);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum that another order changes.
    fn weighted(all: &[usize]) -> usize {
        all.iter().enumerate().map(|(i, n)| i * n).sum()
    }

    #[test]
    fn pytorch_shuffles_the_same() {
        // torch 2.3.1
        assert_eq!(
            torch_randperm(20, 42),
            [
                2, 14, 18, 15, 1, 10, 0, 4, 6, 11, 8, 3, 7, 17, 13, 12, 19, 5, 16, 9
            ]
        );
        let windows = torch_randperm(14_589, 42);
        assert_eq!(windows[..5], [10635, 6660, 6316, 12799, 5770]);
        assert_eq!(windows[14_585..], [1151, 4206, 10616, 8139]);
        assert_eq!(weighted(&windows), 772_274_972_541);
        assert_eq!(weighted(&torch_randperm(9000, 42)), 182_846_578_694);
        assert_eq!(torch_randperm(6, (1 << 40) + 7), [3, 0, 1, 5, 2, 4]);
        assert_eq!(torch_randperm(3, 42), [0, 2, 1]);
        assert!(torch_randperm(0, 42).is_empty());
    }

    #[test]
    fn numpy_shuffles_the_same() {
        // numpy 1.26 and 2.4
        assert_eq!(
            numpy_permutation(20, 42),
            [
                0, 17, 15, 1, 8, 5, 11, 3, 18, 16, 13, 2, 9, 19, 4, 12, 7, 10, 14, 6
            ]
        );
        let cases = numpy_permutation(10_000, 42);
        assert_eq!(cases[..8], [6252, 4684, 1731, 4742, 4521, 6340, 576, 5202]);
        assert_eq!(cases[9996..], [5191, 5390, 860, 7270]);
        assert_eq!(weighted(&cases), 251_619_406_337);
        assert_eq!(numpy_permutation(2, 42), [1, 0]);
        assert!(numpy_permutation(0, 42).is_empty());
    }
}
