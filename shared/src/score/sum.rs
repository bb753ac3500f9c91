//! The mean over cases.

use super::Scores;

/// Running mean of scores over cases; holds one number per score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreSum {
    members: usize,
    cases: usize,
    sums: [f64; 6],
}

impl ScoreSum {
    /// No case yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a case, or the mean over several, weighted by its number of cases.
    pub fn push(&mut self, scores: &Scores) {
        // A mean over ensembles of different sizes is only as good as the smallest.
        self.members = match self.cases {
            0 => scores.members,
            _ => self.members.min(scores.members),
        };
        self.cases += scores.cases;
        let Scores {
            l2,
            energy_score,
            crps,
            nll,
            coverage,
            interval_width,
            ..
        } = *scores;
        let values = [l2, energy_score, crps, nll, coverage, interval_width];
        for (sum, value) in self.sums.iter_mut().zip(values) {
            *sum += value * scores.cases as f64;
        }
    }

    /// The mean, with the smallest number of members seen; `None` before the first case. A NaN of any case stays.
    pub fn mean(&self) -> Option<Scores> {
        if self.cases == 0 {
            return None;
        }
        let [l2, energy_score, crps, nll, coverage, interval_width] =
            self.sums.map(|sum| sum / self.cases as f64);
        Some(Scores {
            members: self.members,
            cases: self.cases,
            l2,
            energy_score,
            crps,
            nll,
            coverage,
            interval_width,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(cases: usize, value: f64) -> Scores {
        Scores {
            members: 10,
            cases,
            l2: value,
            energy_score: 2.0 * value,
            crps: 3.0 * value,
            nll: -value,
            coverage: value / 8.0,
            interval_width: value,
        }
    }

    #[test]
    fn no_case_has_no_mean() {
        assert_eq!(ScoreSum::new().mean(), None);
    }

    #[test]
    fn cases_weigh_the_same_however_they_are_grouped() {
        let mut sum = ScoreSum::new();
        sum.push(&scores(1, 1.0));
        sum.push(&scores(3, 5.0));
        assert_eq!(sum.mean(), Some(scores(4, 4.0)));
    }

    #[test]
    fn a_broken_case_is_not_averaged_away() {
        let mut sum = ScoreSum::new();
        sum.push(&scores(1, 1.0));
        sum.push(&scores(1, f64::NAN));
        assert!(
            sum.mean()
                .is_some_and(|mean| mean.l2.is_nan() && mean.coverage.is_nan())
        );
    }
}
