//! The Fourier half of the transform: a northern circle and its southern mirror image as one complex line.
//!
//! Both are real, so `z = north + i south` needs one complex transform, and
//! `Z_m = N_m + i S_m`, `Z_-m = conj N_m + i conj S_m`. In terms of the Legendre sums, `N = e + o` and `S = e - o`.

use std::fmt;
use std::sync::Arc;

use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};

/// Transforms along `n_lon` longitudes, of orders `m < orders`.
#[derive(Clone)]
pub(super) struct Fourier {
    n_lon: usize,
    orders: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
    scratch: Vec<Complex64>,
}

impl Fourier {
    pub(super) fn new(n_lon: usize, orders: usize) -> Self {
        assert!(
            n_lon + 1 >= 2 * orders,
            "{n_lon} longitudes do not carry {orders} orders"
        );
        let mut planner = FftPlanner::new();
        let forward = planner.plan_fft_forward(n_lon);
        let inverse = planner.plan_fft_inverse(n_lon);
        let scratch = forward
            .get_inplace_scratch_len()
            .max(inverse.get_inplace_scratch_len());
        Self {
            n_lon,
            orders,
            forward,
            inverse,
            scratch: vec![Complex64::default(); scratch],
        }
    }

    /// Lines `[C / 2, n_lon]` of one pair of circles from the Legendre sums, which are `stride` rows apart.
    pub(super) fn lines_from_rows<const C: usize>(
        &mut self,
        rows: &[[f64; C]],
        stride: usize,
        pair: usize,
        lines: &mut [Complex64],
    ) {
        let n = self.n_lon;
        for line in lines.chunks_exact_mut(n) {
            line[self.orders..=n - self.orders].fill(Complex64::default());
        }
        for m in 0..self.orders {
            let (even, odd) = (
                &rows[2 * m * stride + pair],
                &rows[(2 * m + 1) * stride + pair],
            );
            let fields = even.chunks_exact(2).zip(odd.chunks_exact(2));
            for ((e, o), line) in fields.zip(lines.chunks_exact_mut(n)) {
                let north = [e[0] + o[0], e[1] + o[1]];
                let south = [e[0] - o[0], e[1] - o[1]];
                if m == 0 {
                    // A mean is real; an imaginary part has no place to go.
                    line[0] = Complex64::new(north[0], south[0]);
                } else {
                    line[m] = Complex64::new(north[0] - south[1], north[1] + south[0]);
                    line[n - m] = Complex64::new(north[0] + south[1], south[0] - north[1]);
                }
            }
        }
        self.inverse.process_with_scratch(lines, &mut self.scratch);
    }

    /// Legendre sums from lines, times `weight`; the lines are used up.
    ///
    /// The weight is that of a sum over both circles and all longitudes.
    pub(super) fn rows_from_lines<const C: usize>(
        &mut self,
        lines: &mut [Complex64],
        weight: f64,
        rows: &mut [[f64; C]],
        stride: usize,
        pair: usize,
    ) {
        let n = self.n_lon;
        self.forward.process_with_scratch(lines, &mut self.scratch);
        let half = weight / 2.0;
        for m in 0..self.orders {
            let mut even = [0.0; C];
            let mut odd = [0.0; C];
            let fields = even.chunks_exact_mut(2).zip(odd.chunks_exact_mut(2));
            for ((e, o), line) in fields.zip(lines.chunks_exact(n)) {
                let (z, mirror) = (line[m], line[(n - m) % n]);
                let north = [z.re + mirror.re, z.im - mirror.im];
                let south = [z.im + mirror.im, mirror.re - z.re];
                for part in 0..2 {
                    e[part] = half * (north[part] + south[part]);
                    o[part] = half * (north[part] - south[part]);
                }
            }
            rows[2 * m * stride + pair] = even;
            rows[(2 * m + 1) * stride + pair] = odd;
        }
    }
}

impl fmt::Debug for Fourier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fourier")
            .field("n_lon", &self.n_lon)
            .field("orders", &self.orders)
            .finish_non_exhaustive()
    }
}
