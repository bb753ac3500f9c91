//! Energy score (ES): the CRPS of whole fields, and the training loss of the method.
//!
//! `ES = 1/M Σ_m ‖u^m - y‖ - 1/(2M(M-1)) Σ_{m,h} ‖u^m - u^h‖`, the whole space-time field being one vector.
//!
//! - Range: 0 upwards, in the units of the field. 0 for a forecast with all mass on the truth; the *fair* estimate never
//!   falls below (triangle inequality, pair by pair). For fields of many points and a total spread that is right it is
//!   `L2 / √2` almost exactly; it does not say *where* the spread sits.
//! - Estimator: fair, so its expectation does not depend on M. With one member it is L2.
//! - Cost: M²/2 passes over the points, in blocks of points that stay in the cache; memory is one number per pair.
//! - NaN: any NaN gives NaN.
//! - Reference: Gneiting & Raftery, J. Am. Stat. Assoc. 102 (2007), equation 22; the paper's training objective.

use super::measure::Measure;
use super::nan::NanPolicy;
use super::pairs::{PairSquares, PairSums, squares_of};

/// The estimator in words.
pub const ESTIMATOR: &str = "fair, 1/(2M(M-1)) over all pairs, norm is the root of the mean square over points summed over channels";

/// The plain estimator in words.
pub const ESTIMATOR_PLAIN: &str = "plain, 1/(2M^2) over all pairs, norm is the root of the mean square over points summed over channels";

/// Energy score of a whole ensemble `[member, points]` at once, without copying it: every point counts the same.
///
/// # Panics
/// If `members` is not a whole number of fields of the truth's length.
pub fn energy_score(members: &[f32], truth: &[f32]) -> f64 {
    energy_score_with(members, truth, &Measure::flat(truth.len()))
}

/// The same of members `[member, points, channel]` in a measure.
///
/// # Panics
/// If `members` or the truth is not a whole number of fields of the measure.
pub fn energy_score_with(members: &[f32], truth: &[f32], measure: &Measure) -> f64 {
    fair(&pair_norms(members, truth, measure))
}

/// The plain estimator: the energy score of the ensemble as a distribution of its own. It
/// exceeds the fair one by `1/M` of the fair spread term, so ensembles of different sizes cannot be compared by it.
///
/// # Panics
/// As [`energy_score_with`].
pub fn energy_score_plain(members: &[f32], truth: &[f32], measure: &Measure) -> f64 {
    plain(&pair_norms(members, truth, measure))
}

fn pair_norms(members: &[f32], truth: &[f32], measure: &Measure) -> PairSums {
    let squares = squares_of(members, truth, measure, NanPolicy::Propagate);
    let weight = measure.values() as f64;
    squares.sums(|square| measure.norm(square, weight))
}

/// `1/M Σ_m ‖u^m - y‖ - 1/(2M(M-1)) Σ_{m,h} ‖u^m - u^h‖` from sums of norms; NaN without members.
pub(crate) fn fair(sums: &PairSums) -> f64 {
    let count = sums.count as f64;
    match sums.count {
        0 => f64::NAN,
        1 => sums.truth,
        // Each pair stands twice in the formula's double sum.
        _ => sums.truth / count - sums.pairs / (count * (count - 1.0)),
    }
}

/// The same with `1/(2M²)`.
pub(crate) fn plain(sums: &PairSums) -> f64 {
    let count = sums.count as f64;
    sums.truth / count - sums.pairs / (count * count)
}

/// Energy score of an ensemble that is still growing.
///
/// It keeps the members: taking in the next one costs a pass over each of those before.
#[derive(Debug, Clone)]
pub struct EnergyScore {
    truth: Vec<f32>,
    members: Vec<f32>,
    measure: Measure,
    sums: PairSums,
}

impl EnergyScore {
    /// The score against this truth, with no member yet; every point counts the same.
    pub fn new(truth: Vec<f32>) -> Self {
        let measure = Measure::flat(truth.len());
        Self::with_measure(truth, measure)
    }

    /// The same in a measure.
    ///
    /// # Panics
    /// If the truth is not a field of the measure.
    pub fn with_measure(truth: Vec<f32>, measure: Measure) -> Self {
        assert_eq!(truth.len(), measure.values(), "values of the truth");
        Self {
            truth,
            members: Vec::new(),
            measure,
            sums: PairSums::default(),
        }
    }

    /// Takes in one member, or several in a row.
    ///
    /// # Panics
    /// If they are not a whole number of fields of the truth's length.
    pub fn push(&mut self, members: &[f32]) {
        let added = crate::ensemble::columns::member_count(members, self.truth.len());
        let before = self.sums.count;
        self.members.extend_from_slice(members);
        let mut squares = PairSquares::new(before, before + added);
        squares.add_fields(
            &self.members,
            &self.truth,
            &self.measure,
            NanPolicy::Propagate,
        );
        let weight = self.measure.values() as f64;
        let new = squares.sums(|square| self.measure.norm(square, weight));
        self.sums.merge(&new);
    }

    /// Members taken in so far.
    pub fn count(&self) -> usize {
        self.sums.count
    }

    /// The members taken in so far, `[member, points]`.
    pub fn members(&self) -> &[f32] {
        &self.members
    }

    /// The truth.
    pub fn truth(&self) -> &[f32] {
        &self.truth
    }

    /// How points and channels count.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// The score of the members so far; NaN without members.
    pub fn value(&self) -> f64 {
        fair(&self.sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_members_of_two_points_worked_by_hand() {
        // Errors ‖(3, 4)‖ and ‖(0, 0)‖, distance ‖(3, 4)‖, each √12.5: 1/2 of it less 2 / (2 * 2) of it.
        let found = energy_score(&[3.0, 4.0, 0.0, 0.0], &[0.0, 0.0]);
        assert_eq!(found, 0.0);
        // Truth (6, 8): errors 1 and 2 times √12.5.
        let found = energy_score(&[3.0, 4.0, 0.0, 0.0], &[6.0, 8.0]);
        assert!((found - 12.5_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn no_member_has_no_score() {
        assert!(EnergyScore::new(vec![1.0]).value().is_nan());
        assert!(energy_score(&[], &[1.0]).is_nan());
    }

    #[test]
    fn repeated_members_give_the_norm_of_the_error() {
        let found = energy_score(&[1.0, 5.0].repeat(9), &[4.0, 1.0]);
        assert!((found - 12.5_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn channels_are_summed_and_the_extent_stands_under_the_root() {
        // Two points of two channels, error (3, 4) at both: 25 per point, where one channel of 25 values had 12.5.
        let members = [3.0, 4.0, 3.0, 4.0];
        let measure = Measure::flat(2).with_channels(2);
        assert_eq!(energy_score_with(&members, &[0.0; 4], &measure), 5.0);
        assert_eq!(energy_score(&members, &[0.0; 4]), 12.5_f64.sqrt());
        let measure = measure.with_extent(0.25);
        assert_eq!(energy_score_with(&members, &[0.0; 4], &measure), 2.5);
        // All weight on the second point.
        let measure = Measure::flat(2).with_weights(vec![0.0, 2.0]);
        assert_eq!(energy_score_with(&[7.0, 3.0], &[0.0; 2], &measure), 3.0);
    }

    #[test]
    fn the_plain_estimate_worked_by_hand() {
        // Errors 1 and 3 over 2; one pair of 4, twice over 2 * 4.
        let measure = Measure::flat(1);
        assert_eq!(energy_score_plain(&[-1.0, 3.0], &[0.0], &measure), 1.0);
        assert_eq!(energy_score_with(&[-1.0, 3.0], &[0.0], &measure), 0.0);
        assert_eq!(energy_score_plain(&[-3.0], &[0.0], &measure), 3.0);
    }

    #[test]
    fn a_nan_stays_while_members_stream_in() {
        let mut score = EnergyScore::new(vec![0.0, 0.0]);
        score.push(&[1.0, f32::NAN]);
        score.push(&[1.0, 1.0]);
        score.push(&[2.0, 1.0]);
        assert!(score.value().is_nan());
    }
}
