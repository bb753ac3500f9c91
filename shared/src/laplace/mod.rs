//! The last-layer Laplace approximation: a trained network becomes a distribution over its last affine map.
//!
//! The last layer is linear in its parameters `theta`, one column per output channel, with features
//! `phi = [hidden features, 1]` at every point. So the posterior under a Gaussian prior of precision `delta` and
//! observation noise of standard deviation `s` is a Gaussian around the trained weights:
//!
//! ```text
//! H  = sum over cases and points of phi phi^T           the same block for every output channel   (gram)
//! Pi = H / s^2 + delta I                                its precision                             (posterior)
//! ```
//!
//! `s` and `delta` are where the evidence of the data is largest ([`evidence`]). Daxberger et al., "Laplace Redux:
//! effortless Bayesian deep learning", 2021; section "Laplace" of the paper.
//!
//! | profile | scales | members | observation noise |
//! |---|---|---|---|
//! | `fixed` | the optimum of the evidence of all outputs | covariance `Pi^-1` | `N(0, s^2)` at every point, unless left out |
//! | `paper` | the end of the published 500 steps, an artefact ([`published`]) | the transposed factor | never |

pub mod evidence;
mod fit;
mod gram;
mod linear;
mod posterior;
pub mod published;

pub use fit::Fit;
pub use gram::Gram;
pub use posterior::{Draws, Posterior};

use thiserror::Error;

/// Why there is no posterior.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LaplaceError {
    /// No point was seen.
    #[error("the Laplace approximation needs at least one case")]
    NoData,
    /// At every point an output field had no value.
    #[error(
        "the Laplace approximation takes points at which all output fields have a value, but none of {points} points is one"
    )]
    NothingInCommon {
        /// Points that were seen.
        points: u64,
    },
    /// Features or residuals overflowed.
    #[error("the {what} over {points} points is {found}, but must be finite")]
    NotFinite {
        /// Which sum.
        what: &'static str,
        /// Points that were summed.
        points: u64,
        /// What came out.
        found: f64,
    },
    /// The evidence has no optimum.
    #[error("the evidence has no optimum: the {what} is {found}, but must be above 0")]
    NoOptimum {
        /// Which quantity.
        what: &'static str,
        /// What was found.
        found: f64,
    },
    /// The precision matrix is not positive definite.
    #[error(
        "the posterior precision of {size} parameters with delta {delta} and s {noise} is not positive definite"
    )]
    NotDefinite {
        /// Rows of the matrix.
        size: usize,
        /// Prior precision.
        delta: f64,
        /// Noise scale.
        noise: f64,
    },
}
