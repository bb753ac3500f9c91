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

    /// Lines `[C / 2, n_lon]` of one pair of circles from its Legendre sums `[order, parity]`.
    pub(super) fn lines_from_rows<const C: usize>(
        &mut self,
        rows: &[[f64; C]],
        lines: &mut [Complex64],
    ) {
        let n = self.n_lon;
        let orders = &rows.as_chunks::<2>().0[..self.orders];
        for (field, line) in (0..C).step_by(2).zip(lines.chunks_exact_mut(n)) {
            let sums = |[even, odd]: &[[f64; C]; 2]| {
                let (e, o) = (&even[field..field + 2], &odd[field..field + 2]);
                ([e[0] + o[0], e[1] + o[1]], [e[0] - o[0], e[1] - o[1]])
            };
            let (first, rest) = line.split_at_mut(self.orders);
            let (gap, last) = rest.split_at_mut(n + 1 - 2 * self.orders);
            // A mean is real; an imaginary part has no place to go.
            let (north, south) = sums(&orders[0]);
            first[0] = Complex64::new(north[0], south[0]);
            let places = first[1..].iter_mut().zip(last.iter_mut().rev());
            for ((z, mirror), order) in places.zip(&orders[1..]) {
                let (north, south) = sums(order);
                *z = Complex64::new(north[0] - south[1], north[1] + south[0]);
                *mirror = Complex64::new(north[0] + south[1], south[0] - north[1]);
            }
            gap.fill(Complex64::default());
        }
        self.inverse.process_with_scratch(lines, &mut self.scratch);
    }

    /// Legendre sums of one pair of circles from its lines, times `weight`; the lines are used up.
    ///
    /// The weight is that of a sum over both circles and all longitudes.
    pub(super) fn rows_from_lines<const C: usize>(
        &mut self,
        lines: &mut [Complex64],
        weight: f64,
        rows: &mut [[f64; C]],
    ) {
        let n = self.n_lon;
        self.forward.process_with_scratch(lines, &mut self.scratch);
        let half = weight / 2.0;
        let orders = &mut rows.as_chunks_mut::<2>().0[..self.orders];
        for (field, line) in (0..C).step_by(2).zip(lines.chunks_exact(n)) {
            let put = |[even, odd]: &mut [[f64; C]; 2], z: Complex64, mirror: Complex64| {
                let (e, o) = (&mut even[field..field + 2], &mut odd[field..field + 2]);
                let north = [z.re + mirror.re, z.im - mirror.im];
                let south = [z.im + mirror.im, mirror.re - z.re];
                for part in 0..2 {
                    e[part] = half * (north[part] + south[part]);
                    o[part] = half * (north[part] - south[part]);
                }
            };
            put(&mut orders[0], line[0], line[0]);
            let places = line[1..].iter().zip(line[1..].iter().rev());
            for (order, (&z, &mirror)) in orders[1..].iter_mut().zip(places) {
                put(order, z, mirror);
            }
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
