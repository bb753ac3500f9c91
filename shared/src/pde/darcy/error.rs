//! Why a coefficient could not be solved for, in sentences.

use thiserror::Error;

/// Why there is no pressure for a coefficient.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DarcyError {
    /// The field is not one of the grid.
    #[error("a field of {found} values, but the grid has {n} x {n} cells")]
    Size {
        /// Values of the field.
        found: usize,
        /// Cells along an axis.
        n: usize,
    },
    /// A coefficient that conducts nothing, or is no number.
    #[error("the coefficient is {value} in cell {cell}, but must be positive and finite")]
    Coefficient {
        /// The offending value.
        value: f64,
        /// Where it is, row-major.
        cell: usize,
    },
    /// Rounding or an extreme contrast keeps the residual above the tolerance.
    #[error(
        "the residual is {residual:e} after {iterations} iterations, above the tolerance {tolerance:e}"
    )]
    Stalled {
        /// Iterations done.
        iterations: usize,
        /// Norm of the residual, relative to that of the source.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },
}
