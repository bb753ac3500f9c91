//! The exact GELU (erf form) and its slope, written so that a loop over them vectorises.

use std::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

/// Odd rational approximation of erf on [-4, 4] in f32: numerator in x^2, highest power first (a few units in the last place).
pub(crate) const ERF_NUMERATOR: [f32; 7] = [
    -2.726_142_3e-10,
    2.770_681_5e-8,
    -2.101_024_1e-6,
    -5.692_506_5e-5,
    -7.349_906_5e-4,
    -2.954_6e-3,
    -1.609_603_3e-2,
];
/// Denominator in x^2, highest power first.
pub(crate) const ERF_DENOMINATOR: [f32; 5] = [
    -1.456_607_2e-5,
    -2.133_740_6e-4,
    -1.682_827e-3,
    -7.373_329e-3,
    -1.426_473_9e-2,
];
/// 1 / sqrt(2 pi).
pub(crate) const INV_SQRT_TAU: f32 = 0.398_942_3;

/// How `a b + c` is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// Once, where the machine has an instruction for it: half as many of them.
    Fused,
    /// Twice.
    Plain,
}

impl Sum {
    /// What suits an instruction set; known when the loop is compiled.
    #[inline(always)]
    pub fn of<S: pulp::Simd>() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::any::TypeId::of::<S>() == std::any::TypeId::of::<pulp::x86::V3>() {
            return Self::Fused;
        }
        Self::Plain
    }

    #[inline(always)]
    fn add(self, a: f32, b: f32, c: f32) -> f32 {
        match self {
            Self::Fused => a.mul_add(b, c),
            Self::Plain => a * b + c,
        }
    }
}

#[inline(always)]
fn erf(x: f32, sum: Sum) -> f32 {
    // Comparisons, not `clamp`: they become single vector instructions.
    let x = if x > 4.0 { 4.0 } else { x };
    let x = if x < -4.0 { -4.0 } else { x };
    let s = x * x;
    let mut p = ERF_NUMERATOR[0];
    for c in &ERF_NUMERATOR[1..] {
        p = sum.add(p, s, *c);
    }
    let mut q = ERF_DENOMINATOR[0];
    for c in &ERF_DENOMINATOR[1..] {
        q = sum.add(q, s, *c);
    }
    x * p / q
}

/// `exp(x)` for `x <= 0`, without a library call.
#[inline(always)]
fn exp_negative(x: f32, sum: Sum) -> f32 {
    /// 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = sum.add(x, LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = sum.add(n, -(LN_2 - LN_2_HIGH), sum.add(n, -LN_2_HIGH, x));
    let mut p = 1.0 / 720.0;
    for c in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = sum.add(p, r, c);
    }
    let exponent = shifted
        .to_bits()
        .wrapping_sub(ROUND.to_bits())
        .wrapping_add(127);
    p * f32::from_bits(exponent << 23)
}

/// `x Phi(x)`.
#[inline(always)]
pub fn gelu(x: f32, sum: Sum) -> f32 {
    let half = 0.5 * x;
    sum.add(half, erf(x * FRAC_1_SQRT_2, sum), half)
}

/// `Phi(x) + x phi(x)`.
#[inline(always)]
pub fn gelu_slope(x: f32, sum: Sum) -> f32 {
    gelu_and_slope(x, sum).1
}

/// Both, for the price of the slope.
#[inline(always)]
pub fn gelu_and_slope(x: f32, sum: Sum) -> (f32, f32) {
    let below = sum.add(0.5, erf(x * FRAC_1_SQRT_2, sum), 0.5);
    let density = INV_SQRT_TAU * exp_negative(-0.5 * x * x, sum);
    (x * below, sum.add(x, density, below))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// erf in f64 by its Taylor series (enough terms for |x| <= 4.3).
    fn erf_series(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..120 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        2.0 / std::f64::consts::PI.sqrt() * sum
    }

    #[test]
    fn gelu_and_slope_agree_with_f64() {
        for (sum, i) in (-600..=600).flat_map(|i| [(Sum::Fused, i), (Sum::Plain, i)]) {
            let x = i as f32 * 0.01;
            let d = f64::from(x);
            let phi = 0.5 * (1.0 + erf_series(d / 2.0_f64.sqrt()));
            let density = (-0.5 * d * d).exp() / (2.0 * std::f64::consts::PI).sqrt();
            assert!(
                (f64::from(gelu(x, sum)) - d * phi).abs() < 1e-6,
                "gelu at {x}"
            );
            let slope = f64::from(gelu_slope(x, sum));
            assert!((slope - phi - d * density).abs() < 1e-6, "slope at {x}");
            let both = gelu_and_slope(x, sum);
            assert!((both.0 - gelu(x, sum)).abs() < 1e-6 && both.1 == gelu_slope(x, sum));
        }
        for (x, sum) in [(-1e4_f32, Sum::Fused), (-100.0, Sum::Plain)] {
            assert_eq!(gelu(x, sum).abs(), 0.0);
            assert!(gelu_slope(x, sum).abs() < 1e-30);
            assert_eq!((gelu(-x, sum), gelu_slope(-x, sum)), (-x, 1.0));
        }
    }
}
