//! Standard normals: 32 random bits each through the inverse of the normal distribution function.
//!
//! The inverse needs one logarithm and polynomials (M. Giles, "Approximating the erfinv function", 2012, single precision).
//! A Box-Muller transform would need sine and cosine, which WebGPU only promises to 2^-11.

use super::{Key, threefry};

/// Coefficients for `w < 5`, highest power first, in `w - 2.5`.
pub(crate) const CENTRE: [f32; 9] = [
    2.810_226_4e-8,
    3.432_739_4e-7,
    -3.523_387_7e-6,
    -4.391_506_5e-6,
    2.185_808_7e-4,
    -1.253_725e-3,
    -4.177_681_6e-3,
    0.246_640_73,
    1.501_409_4,
];
/// Coefficients for `w >= 5`, highest power first, in `sqrt(w) - 3`.
pub(crate) const TAIL: [f32; 9] = [
    -2.002_142_6e-4,
    1.009_505_6e-4,
    1.349_343_2e-3,
    -3.673_428_4e-3,
    5.739_507_7e-3,
    -7.622_461_3e-3,
    9.438_870_5e-3,
    1.001_674,
    2.832_976_8,
];

/// A standard normal from 32 bits (the upper 23 are used; the result is within about 5.2).
pub fn normal_from_bits(bits: u32) -> f32 {
    // An odd multiple of 2^-23 in (-1, 1): exact in f32, symmetric, never 0 or 1.
    let x = ((bits >> 9) * 2 + 1) as f32 * (1.0 / 8_388_608.0) - 1.0;
    let w = -((1.0 - x) * (1.0 + x)).ln();
    let (w, coefficients) = if w < 5.0 {
        (w - 2.5, &CENTRE)
    } else {
        (w.sqrt() - 3.0, &TAIL)
    };
    let polynomial = coefficients.iter().fold(0.0, |p, c| p * w + c);
    std::f32::consts::SQRT_2 * polynomial * x
}

/// Normal number `position` of a key: two per Threefry block.
pub fn normal(key: Key, position: u32) -> f32 {
    let words = threefry(key, [position / 2, 0]);
    normal_from_bits(words[(position % 2) as usize])
}

/// The first `out.len()` normals of a key.
pub fn fill(key: Key, out: &mut [f32]) {
    for (block, pair) in out.chunks_mut(2).enumerate() {
        let words = threefry(key, [block as u32, 0]);
        for (value, bits) in pair.iter_mut().zip(words) {
            *value = normal_from_bits(bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal distribution function in f64 by the series and continued fraction of erfc (Abramowitz & Stegun 7.1.5, 7.1.14).
    fn distribution(z: f64) -> f64 {
        let x = z / 2.0_f64.sqrt();
        let erf = if x.abs() < 3.0 {
            let (mut term, mut sum) = (x, x);
            for n in 1..200 {
                term *= -x * x / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            2.0 / std::f64::consts::PI.sqrt() * sum
        } else {
            let fraction = (1..80)
                .rev()
                .fold(x.abs(), |f, n| x.abs() + 0.5 * f64::from(n) / f);
            (1.0 - (-x * x).exp() / (std::f64::consts::PI.sqrt() * fraction)).copysign(x)
        };
        0.5 * (1.0 + erf)
    }

    #[test]
    fn it_inverts_the_normal_distribution() {
        for step in 0..4096_u32 {
            let bits = step << 20 | 0x8_0000;
            let p = (f64::from(bits >> 9) + 0.5) / 8_388_608.0;
            let z = f64::from(normal_from_bits(bits));
            let slope = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            // Error in z, from the error in probability.
            let error = (distribution(z) - p).abs() / slope;
            assert!(error < 2e-5, "p {p}: z {z}, error {error}");
        }
        let (low, high) = (normal_from_bits(0), normal_from_bits(u32::MAX));
        assert!(low == -high && (5.0..5.4).contains(&high), "{low} {high}");
    }

    #[test]
    fn moments_are_those_of_a_standard_normal() {
        let n = 1 << 17;
        let mut z = vec![0.0; n];
        fill([9, 9], &mut z);
        let moment = |k: i32| z.iter().map(|&v| f64::from(v).powi(k)).sum::<f64>() / n as f64;
        let error = 5.0 / (n as f64).sqrt();
        assert!(moment(1).abs() < error);
        assert!((moment(2) - 1.0).abs() < 1.5 * error);
        assert!((moment(4) - 3.0).abs() < 10.0 * error);
        assert_eq!(z[7], normal([9, 9], 7));
    }
}
