//! The numbers that both sides must agree on.

use anyhow::{Result, ensure};
use pno::score::Report;

use crate::bench::row::Difference;

/// Levels of the quantile scores.
pub const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Largest relative difference of a mean: the peer rounds quantiles and scores of points to single precision.
const OF_MEANS: f64 = 1e-5;
/// Largest difference of a share of all points. A truth that is equal to a member or to a bound, but for rounding, is
/// counted here on this side of it and there on the other: one or two in a hundred thousand points.
const OF_SHARES: f64 = 4e-5;

/// Means and shares, in the order of the peer: l2, CRPS fair and plain, NLL, coverage, width, spread-skill, Brier score,
/// five quantile scores, and the frequency of every rank.
pub fn numbers(report: &Report) -> Vec<f64> {
    let scores = &report.scores;
    let mut numbers = vec![
        scores.l2,
        scores.crps,
        scores.crps_plain,
        scores.nll,
        scores.coverage,
        scores.interval_width,
        scores.spread_skill,
    ];
    numbers.extend(report.events.iter().map(|event| event.brier.score));
    numbers.extend(report.quantile_scores.iter().map(|score| score.score));
    numbers.extend(&report.rank_histogram.frequencies);
    numbers
}

/// Place of the coverage, which is a share.
const COVERAGE: usize = 4;
/// Place of the first rank.
const RANKS: usize = 8 + LEVELS.len();

/// How far both are from each other: means relatively, shares of points absolutely; refused if too far.
pub fn differences(ours: &[f64], theirs: &[f32]) -> Result<Vec<Difference>> {
    let is_share = |place: usize| place == COVERAGE || place >= RANKS;
    let mut found = [("means", OF_MEANS, 0.0_f64), ("shares", OF_SHARES, 0.0_f64)];
    for (place, (&a, &b)) in ours.iter().zip(theirs).enumerate() {
        let b = f64::from(b);
        let difference = if is_share(place) {
            (a - b).abs()
        } else {
            (a / b - 1.0).abs()
        };
        let (kind, most, largest) = &mut found[usize::from(is_share(place))];
        ensure!(
            difference <= *most,
            "the scoring peer has other numbers: number {place} of its {kind} is {b}, ours is {a}, which differs by \
             {difference:.1e}, but at most {most:.0e} is wanted"
        );
        *largest = largest.max(difference);
    }
    let named = found.map(|(of, most, relative)| Difference {
        of: format!("{of}, of {most:.0e} allowed"),
        relative,
    });
    Ok(named.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_compared_relatively_and_shares_absolutely() {
        let mut ours = vec![0.5; RANKS + 3];
        ours[0] = 200.0;
        let mut theirs: Vec<f32> = ours.iter().map(|&v| v as f32).collect();
        theirs[0] = 200.001;
        theirs[RANKS + 1] = 0.500_02;
        let found = differences(&ours, &theirs).expect("close enough");
        assert!((found[0].relative - 5e-6).abs() < 1e-7, "{found:?}");
        assert!((found[1].relative - 2e-5).abs() < 1e-7, "{found:?}");
        for (place, wrong) in [(3, 0.500_02), (COVERAGE, 0.5001), (RANKS, f32::NAN)] {
            let mut theirs = theirs.clone();
            theirs[place] = wrong;
            let said = differences(&ours, &theirs)
                .expect_err("too far")
                .to_string();
            assert!(said.contains(&format!("number {place} of")), "{said}");
        }
    }
}
