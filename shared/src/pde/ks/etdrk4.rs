//! Exponential time differencing of fourth order: the coefficients of one step.
//!
//! For `v' = L v + N(v)` with diagonal `L`, the linear part is integrated exactly and only the non-linear part costs
//! accuracy, so that the step is bounded by the dynamics and not by the stiffest wave.
//! Cox & Matthews, "Exponential time differencing for stiff systems", J. Comput. Phys. 176 (2002), equations 26-29.
//!
//! The coefficients are differences of nearly equal numbers where `h L` is small. They are analytic in `h L`, so each
//! is taken as the mean of the formula over a circle around the point, where nothing cancels:
//! Kassam & Trefethen, "Fourth-order time-stepping for stiff PDEs", SIAM J. Sci. Comput. 26 (2005), section 3.

use std::f64::consts::PI;

use rustfft::num_complex::Complex64;

/// Points on the half circle above the real axis; the lower half is its mirror image.
const CONTOUR: usize = 16;

/// Coefficients of one wave for one step length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coefficients {
    /// `exp(hL)`: the wave over a whole step.
    pub whole: f64,
    /// `exp(hL/2)`: the wave over half a step.
    pub half: f64,
    /// Weight of the non-linear term over half a step.
    pub stage: f64,
    /// Weight of the non-linear term at the start of the step.
    pub first: f64,
    /// Weight of each of the two non-linear terms in the middle.
    pub middle: f64,
    /// Weight of the non-linear term at the end.
    pub last: f64,
}

impl Coefficients {
    /// Coefficients for the eigenvalue `symbol` of `L` and the step `h`.
    pub(super) fn new(symbol: f64, h: f64) -> Self {
        let mut sums = [0.0; 4];
        for j in 0..CONTOUR {
            let angle = PI * (j as f64 + 0.5) / CONTOUR as f64;
            let z = h * symbol + Complex64::from_polar(1.0, angle);
            for (sum, value) in sums.iter_mut().zip(at(z)) {
                *sum += value.re;
            }
        }
        let [stage, first, middle, last] = sums.map(|sum| h * sum / CONTOUR as f64);
        Self {
            whole: (h * symbol).exp(),
            half: (h * symbol / 2.0).exp(),
            stage,
            first,
            middle: 2.0 * middle,
            last,
        }
    }
}

/// The four formulas, divided by `h`, at a point of the circle.
fn at(z: Complex64) -> [Complex64; 4] {
    let exp = z.exp();
    let square = z * z;
    let cube = square * z;
    [
        ((z / 2.0).exp() - 1.0) / z,
        (-4.0 - z + exp * (4.0 - 3.0 * z + square)) / cube,
        (2.0 + z + exp * (z - 2.0)) / cube,
        (-4.0 - 3.0 * z - square + exp * (4.0 - z)) / cube,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_linear_part_the_coefficients_are_those_of_classical_runge_kutta() {
        let c = Coefficients::new(0.0, 0.1);
        for (found, wanted) in [
            (c.whole, 1.0),
            (c.half, 1.0),
            (c.stage, 0.05),
            (c.first, 0.1 / 6.0),
            (c.middle, 0.1 / 3.0),
            (c.last, 0.1 / 6.0),
        ] {
            assert!((found - wanted).abs() < 1e-15, "{found} for {wanted}");
        }
    }

    #[test]
    fn where_nothing_cancels_the_circle_gives_the_closed_form() {
        for z in [-700.0, -40.0, -5.0, 2.0] {
            let c = Coefficients::new(z, 1.0);
            let closed = at(Complex64::new(z, 0.0)).map(|v| v.re);
            for (found, wanted) in [c.stage, c.first, c.middle / 2.0, c.last]
                .into_iter()
                .zip(closed)
            {
                assert!(
                    (found - wanted).abs() < 1e-13 * (1.0 + wanted.abs()),
                    "{found} for {wanted} at {z}"
                );
            }
        }
    }

    #[test]
    fn a_constant_forcing_is_integrated_exactly() {
        // The three weights sum to the integral of exp(L s) over the step.
        for symbol in [-687.0, -3.0, -1e-9, 0.25] {
            let h = 0.2;
            let c = Coefficients::new(symbol, h);
            let exact = (h * symbol).exp_m1() / symbol;
            assert!(
                (c.first + 2.0 * c.middle + c.last - exact).abs() < 1e-14,
                "{symbol}"
            );
        }
    }
}
