//! How far two computations of the same fields may be apart: one table for every precision, and the comparison by it.
#![allow(dead_code, reason = "each test file uses its own part")]

/// What is compared. Both sides are of the same formula; one of them may be in f64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Values that were computed in f32.
    F32,
    /// Gradients that were computed in f32: sums over more terms, of both signs.
    GradientsF32,
    /// Values from weights that were stored in f16.
    F16,
}

impl Of {
    /// Largest difference, as a share of the scale of what is wanted.
    pub const fn tolerance(self) -> f64 {
        match self {
            Self::F32 => 1e-5,
            Self::GradientsF32 => 1e-4,
            Self::F16 => 1e-2,
        }
    }
}

/// Fails where a value is further from the wanted one than the table allows; the scale is the largest wanted value.
#[track_caller]
pub fn agree(about: &str, of: Of, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{about}: number of values");
    let scale = wanted.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    for (at, (a, b)) in found.iter().zip(wanted).enumerate() {
        let apart = (a - b).abs();
        // Not the other way round: a NaN is never near.
        assert!(
            apart <= of.tolerance() * scale,
            "{about}, value {at}: {a} instead of {b}, {:.1e} of {scale}, {of:?} allows {:.0e}",
            apart / scale,
            of.tolerance()
        );
    }
}
