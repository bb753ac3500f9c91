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

use super::norm::squared_distance;
use crate::ensemble::columns::member_count;

/// The estimator in words.
pub const ESTIMATOR: &str = "fair, 1/(2M(M-1)) over all pairs, norm is the root mean square";

/// Points per block: a hundred members of a block fit a second-level cache.
const BLOCK: usize = 1024;

/// Energy score of a whole ensemble `[member, points]` at once, without copying it.
///
/// # Panics
/// If `members` is not a whole number of fields of the truth's length.
pub fn energy_score(members: &[f32], truth: &[f32]) -> f64 {
    let mut sums = Sums::default();
    sums.extend(&[], members, truth);
    sums.value()
}

/// Energy score of an ensemble that is still growing.
///
/// It keeps the members: taking in the next one costs a pass over each of those before.
#[derive(Debug, Clone)]
pub struct EnergyScore {
    truth: Vec<f32>,
    members: Vec<f32>,
    sums: Sums,
}

impl EnergyScore {
    /// The score against this truth, with no member yet.
    pub fn new(truth: Vec<f32>) -> Self {
        Self {
            truth,
            members: Vec::new(),
            sums: Sums::default(),
        }
    }

    /// Takes in one member, or several in a row.
    ///
    /// # Panics
    /// If they are not a whole number of fields of the truth's length.
    pub fn push(&mut self, members: &[f32]) {
        self.sums.extend(&self.members, members, &self.truth);
        self.members.extend_from_slice(members);
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

    /// The score of the members so far; NaN without members.
    pub fn value(&self) -> f64 {
        self.sums.value()
    }
}

/// The two sums of the formula.
#[derive(Debug, Clone, Default)]
struct Sums {
    count: usize,
    /// `Σ_m ‖u^m - y‖`.
    error: f64,
    /// `Σ_{m<h} ‖u^m - u^h‖`: each pair once.
    spread: f64,
}

impl Sums {
    /// Adds the members `new` to the members `old`, which are in the sums already.
    fn extend(&mut self, old: &[f32], new: &[f32], truth: &[f32]) {
        let points = truth.len();
        let (before, added) = (self.count, member_count(new, points));
        debug_assert_eq!(old.len(), before * points);
        if added == 0 {
            return;
        }
        let member = |m: usize| match m.checked_sub(before) {
            None => &old[m * points..(m + 1) * points],
            Some(m) => &new[m * points..(m + 1) * points],
        };
        // One row per new member: squared distances from all members before it, then from the truth.
        let row = before + added;
        let mut squares = vec![0.0_f64; added * row];
        for start in (0..points).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(points);
            for (m, squares) in (before..).zip(squares.chunks_exact_mut(row)) {
                let this = &member(m)[block.clone()];
                for (other, square) in squares[..m].iter_mut().enumerate() {
                    *square += squared_distance(this, &member(other)[block.clone()]);
                }
                squares[m] += squared_distance(this, &truth[block.clone()]);
            }
        }
        let norm = |square: f64| (square / points as f64).sqrt();
        for (m, squares) in (before..).zip(squares.chunks_exact(row)) {
            self.spread += squares[..m].iter().copied().map(norm).sum::<f64>();
            self.error += norm(squares[m]);
        }
        self.count += added;
    }

    fn value(&self) -> f64 {
        let count = self.count as f64;
        match self.count {
            0 => f64::NAN,
            1 => self.error,
            // Each pair stands twice in the formula's double sum.
            _ => self.error / count - self.spread / (count * (count - 1.0)),
        }
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
    fn a_nan_stays_while_members_stream_in() {
        let mut score = EnergyScore::new(vec![0.0, 0.0]);
        score.push(&[1.0, f32::NAN]);
        score.push(&[1.0, 1.0]);
        score.push(&[2.0, 1.0]);
        assert!(score.value().is_nan());
    }
}
