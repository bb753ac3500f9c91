//! The right-hand side of the equations, from spectrum to spectrum.
//!
//! Four fields go to the grid (`phi`, `zeta + f` and the wind times `sin(theta)`), five products come back: both
//! fluxes over `sin(theta)` and the square of the speed. With the wind as it is here all five lack the same factor,
//! `1 / sin²(theta)`, which goes into the weights of the quadrature. Each pair of circles is taken from one spectrum to
//! the other while its lines are in the fastest cache.

use std::f64::consts::PI;

use rustfft::num_complex::Complex64;

use super::state::{State, order_start};
use super::transform::Transform;
use super::{OMEGA, RADIUS};
use crate::sphere::Latitudes;
use crate::wide::{self, Job};

/// Real and imaginary parts of `phi`, `zeta + f`, `u sin(theta)`, `v sin(theta)`.
const FIELDS: usize = 8;
/// Real and imaginary parts of both components of the two fluxes, and the square of the speed.
const PRODUCTS: usize = 10;

/// A plan for one truncation, with its work space: nothing is allocated when it is evaluated.
#[derive(Debug, Clone)]
pub struct Tendency {
    transform: Transform,
    /// Weights of the quadrature over `sin²(theta)`.
    weights: Vec<f64>,
    fields: Vec<[f64; FIELDS]>,
    field_rows: Vec<[f64; FIELDS]>,
    field_lines: Vec<Complex64>,
    products: Vec<[f64; PRODUCTS]>,
    product_rows: Vec<[f64; PRODUCTS]>,
    product_lines: Vec<Complex64>,
}

impl Tendency {
    /// The smallest grid on which every product of two fields is integrated exactly against a third.
    ///
    /// # Panics
    /// If there are no degrees.
    pub fn new(degrees: usize) -> Self {
        assert!(degrees > 0, "a truncation needs a degree");
        let degree = 3 * (degrees - 1);
        // An even number of Gauss latitudes n is exact up to 2n - 1, and longitudes up to their number less one.
        let n_lat = (degree + 1).div_ceil(2).next_multiple_of(2);
        let n_lon = smooth(degree + 1);
        let transform = Transform::new(Latitudes::Gauss, n_lat, n_lon, degrees);
        let scaled = transform.weights.iter().zip(&transform.cosecants);
        let (columns, rows) = (transform.legendre.columns(), transform.legendre.rows());
        Self {
            weights: scaled.map(|(w, c)| w * c * c).collect(),
            fields: vec![[0.0; FIELDS]; columns],
            field_rows: vec![[0.0; FIELDS]; rows],
            field_lines: vec![Complex64::default(); FIELDS / 2 * n_lon],
            products: vec![[0.0; PRODUCTS]; columns],
            product_rows: vec![[0.0; PRODUCTS]; rows],
            product_lines: vec![Complex64::default(); PRODUCTS / 2 * n_lon],
            transform,
        }
    }

    /// The grid on which the products are taken.
    pub(super) fn transform_mut(&mut self) -> &mut Transform {
        &mut self.transform
    }

    /// Circles and longitudes of the grid on which the products are taken.
    pub fn grid(&self) -> [usize; 2] {
        [self.transform.n_lat(), self.transform.n_lon()]
    }

    /// Floating-point operations of one evaluation: those of the Legendre sums, and those of the Fourier transforms by
    /// the usual count `5 n log2 n`.
    pub fn operations(&self) -> [f64; 2] {
        let [n_lat, n_lon] = self.grid();
        let transforms = (n_lat / 2 * (FIELDS + PRODUCTS) / 2) as f64;
        [
            (self.transform.legendre.operations() * (FIELDS + PRODUCTS)) as f64,
            transforms * 5.0 * n_lon as f64 * (n_lon as f64).log2(),
        ]
    }

    /// The time derivative of a state.
    ///
    /// # Panics
    /// If a state has another truncation than the plan's.
    pub fn evaluate(&mut self, state: &State, slope: &mut State) {
        let degrees = self.transform.degrees();
        assert_eq!(
            [state.degrees(), slope.degrees()],
            [degrees; 2],
            "degrees of a state and its tendency"
        );
        self.load(state);
        self.transform
            .legendre
            .synthesise(&self.fields, &mut self.field_rows);
        self.multiply();
        self.transform
            .legendre
            .analyse(&self.product_rows, &mut self.products);
        self.assemble(state, slope);
    }

    /// Columns of the four fields.
    fn load(&mut self, state: &State) {
        let Transform { legendre, wind, .. } = &self.transform;
        let degrees = state.degrees();
        for m in 0..degrees {
            let range = order_start(degrees, m)..order_start(degrees, m + 1);
            let (phi, zeta) = (&state.phi[range.clone()], &state.zeta[range]);
            let spans = [0, 1].map(|parity| legendre.span(m, parity).start);
            wind.each_wind(m, &state.zeta, &state.delta, |i, u, v| {
                let phi = phi.get(i).copied().unwrap_or_default();
                let mut zeta = zeta.get(i).copied().unwrap_or_default();
                if (m, i) == (0, 1) {
                    zeta += coriolis();
                }
                self.fields[spans[i % 2] + i / 2] =
                    [phi.re, phi.im, zeta.re, zeta.im, u.re, u.im, v.re, v.im];
            });
        }
    }

    /// From Legendre sums of the fields to those of the products, pair by pair.
    fn multiply(&mut self) {
        let Transform {
            legendre, fourier, ..
        } = &mut self.transform;
        let spans = legendre.spans();
        let fields = self.field_rows.chunks_exact(spans);
        let products = self.product_rows.chunks_exact_mut(spans);
        // The rows are rounded up to whole blocks; the weights are not.
        for ((&weight, fields), sums) in self.weights.iter().zip(fields).zip(products) {
            fourier.lines_from_rows(fields, &mut self.field_lines);
            wide::run(Products {
                fields: &self.field_lines,
                products: &mut self.product_lines,
            });
            fourier.rows_from_lines(&mut self.product_lines, weight, sums);
        }
    }

    /// Derivatives of the products.
    fn assemble(&self, state: &State, slope: &mut State) {
        let Transform { legendre, wind, .. } = &self.transform;
        let degrees = state.degrees();
        for m in 0..degrees {
            let start = order_start(degrees, m);
            let spans = [0, 1].map(|parity| legendre.span(m, parity).start);
            let columns = |i: usize| &self.products[spans[i % 2] + i / 2];
            let (mut below, mut here) = (columns(0), columns(0));
            for (i, factors) in wind.factors(m)[..degrees - m].iter().enumerate() {
                let above = columns(i + 1);
                let product = |field: usize| {
                    [below, here, above].map(|c| Complex64::new(c[2 * field], c[2 * field + 1]))
                };
                let [east, north] = [0, 1].map(product);
                let l = m + i;
                let laplacian = -((l * (l + 1)) as f64) / (RADIUS * RADIUS);
                let bernoulli = state.phi[start + i] + product(4)[1] * 0.5;
                slope.phi[start + i] = -factors.divergence(product(2), product(3));
                slope.zeta[start + i] = -factors.divergence(east, north);
                slope.delta[start + i] = factors.curl(east, north) - bernoulli * laplacian;
                (below, here) = (here, above);
            }
        }
    }
}

/// `f = 2 Omega cos(theta)` as the coefficient of degree 1 and order 0.
pub(super) fn coriolis() -> f64 {
    2.0 * OMEGA * (4.0 * PI / 3.0).sqrt()
}

/// The five products of the four fields, for both hemispheres.
struct Products<'a> {
    fields: &'a [Complex64],
    products: &'a mut [Complex64],
}

impl Job for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let n = self.fields.len() / (FIELDS / 2);
        let [phi, zeta, u, v] = std::array::from_fn(|i| &self.fields[i * n..][..n]);
        let (vorticity_east, rest) = self.products.split_at_mut(n);
        let (vorticity_north, rest) = rest.split_at_mut(n);
        let (mass_east, rest) = rest.split_at_mut(n);
        let (mass_north, rest) = rest.split_at_mut(n);
        let speed = &mut rest[..n];
        for j in 0..n {
            vorticity_east[j] = each(u[j], zeta[j]);
            vorticity_north[j] = each(v[j], zeta[j]);
            mass_east[j] = each(u[j], phi[j]);
            mass_north[j] = each(v[j], phi[j]);
            speed[j] = each(u[j], u[j]) + each(v[j], v[j]);
        }
    }
}

/// The product of the northern values and that of the southern ones.
#[inline(always)]
fn each(a: Complex64, b: Complex64) -> Complex64 {
    Complex64::new(a.re * b.re, a.im * b.im)
}

/// The smallest number from `least` on with no prime factor above 5: a fast Fourier transform.
fn smooth(least: usize) -> usize {
    let is_smooth = |&n: &usize| {
        let rest = [2, 3, 5].iter().fold(n, |mut n, prime| {
            while n.is_multiple_of(*prime) {
                n /= prime;
            }
            n
        });
        rest == 1
    };
    let least = least.max(1);
    // There is a power of two before twice as many.
    (least..=2 * least).find(is_smooth).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_small_as_they_can_be() {
        assert_eq!(
            [0, 1, 2, 7, 31, 64, 127].map(smooth),
            [1, 1, 2, 8, 32, 64, 128]
        );
        for (degrees, grid) in [(43, [64, 128]), (22, [32, 64]), (11, [16, 32]), (1, [2, 1])] {
            assert_eq!(Tendency::new(degrees).grid(), grid, "{degrees}");
        }
    }
}
