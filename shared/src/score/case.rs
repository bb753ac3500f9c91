//! The scores of one case that the published tables have.

use super::Scores;
use super::measure::Measure;
use super::nan::NanPolicy;
use super::numbers::{Means, PairScores};
use super::pass::Pass;
use super::tallies::PointSums;
use crate::ensemble::columns::member_count;

/// Scores of one case where every point counts the same. Both arguments are in network (normalised) units.
///
/// Members are sorted once per point; beside the arguments the memory is a block of columns and one number per pair of
/// members.
///
/// # Shapes
/// - members: `[member, points]`
/// - truth: `[points]`
///
/// # Panics
/// If there is no member, or if `members` is not a whole number of fields of the truth's length.
pub fn score_case(members: &[f32], truth: &[f32]) -> Scores {
    score_case_with(members, truth, &Measure::flat(truth.len()))
}

/// Scores of one case in a measure: weights of the points, several channels, an extent.
///
/// # Shapes
/// - members: `[member, points, channel]`
/// - truth: `[points, channel]`
///
/// # Panics
/// If there is no member, or if `members` or the truth is not a whole number of fields of the measure.
pub fn score_case_with(members: &[f32], truth: &[f32], measure: &Measure) -> Scores {
    score(members, truth, measure, None)
}

/// Scores of the members that an [`EnergyScore`](super::EnergyScore) has taken in, without computing its pairs again.
///
/// # Panics
/// If it has no member.
pub fn score_stream(stream: &super::EnergyScore) -> Scores {
    let energy_score = Some(stream.value());
    score(
        stream.members(),
        stream.truth(),
        stream.measure(),
        energy_score,
    )
}

fn score(members: &[f32], truth: &[f32], measure: &Measure, energy_score: Option<f64>) -> Scores {
    assert_eq!(truth.len(), measure.values(), "values of the truth");
    let count = member_count(members, truth.len());
    assert!(count > 0, "a score needs a member");
    let pass = Pass {
        measure,
        nan: NanPolicy::Propagate,
        pairs: energy_score.is_none(),
        counted: None,
    };
    let mut sums = PointSums::default();
    let mut squares = None;
    pass.run(members, truth, None, None, |_, part| {
        sums.merge(&PointSums::total(&part.channels));
        super::pass::add_squares(&mut squares, part.pairs);
    });
    let pairs = squares.map(|squares| PairScores::new(&squares, measure, sums.weight, 1.0));
    let numbers = Means::new(&sums, measure, pairs, None).numbers(count);
    let scores = numbers.scores(count, 1);
    Scores {
        energy_score: energy_score.unwrap_or(scores.energy_score),
        ..scores
    }
}
