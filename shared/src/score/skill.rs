//! Skill: how much better a score is than that of a reference forecast.
//!
//! `skill = 1 - score / reference` for scores whose best value is 0.
//!
//! - Range: 1 is perfect, 0 as good as the reference, below 0 worse; no lower bound.
//! - Estimator: one quotient of the two means over all cases, not a mean of quotients, which would not be proper.
//! - Reference forecast: any forecast of the same cases. Climatology (members drawn from other times) and persistence (the last
//!   known state as an ensemble of one) are the usual ones; compare scores of fair estimators, or ensembles of
//!   different sizes are not compared justly.
//! - NaN: NaN if either is, or if the reference is perfect.
//! - Reference: Murphy, Mon. Weather Rev. 116 (1988).

/// The estimator in words.
pub const ESTIMATOR: &str = "1 - score / score of the reference, both means over the same cases";

/// Skill of a score.
pub fn skill(score: f64, reference: f64) -> f64 {
    if reference == 0.0 {
        return f64::NAN;
    }
    1.0 - score / reference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_score_is_half_the_skill() {
        assert_eq!(skill(1.0, 2.0), 0.5);
        assert_eq!(skill(2.0, 2.0), 0.0);
        assert_eq!(skill(4.0, 2.0), -1.0);
        assert!(skill(0.0, 0.0).is_nan() && skill(f64::NAN, 1.0).is_nan());
    }
}
