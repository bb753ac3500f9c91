//! The sphere: latitudes with their quadrature, orthonormal Legendre functions, and the tables of the spherical
//! harmonic transform.
//!
//! A field `f(theta, lambda)` with colatitude `theta` (north to south) and longitude `lambda` is
//! `f = sum_m c_m Re(e^{i m lambda} sum_l a_lm P_lm(cos theta))` with `c_0 = 1` and `c_m = 2`, and
//! `a_lm = 2 pi sum_k w_k P_lm(cos theta_k) F_m(k)` from the longitude means `F_m(k) = mean_j f e^{-i m lambda_j}`.
//! Everything is made in f64.

pub mod latitudes;
pub mod legendre;
pub mod tables;

pub use latitudes::Latitudes;
