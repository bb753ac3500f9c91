//! What could be chance: the truth beside the members, each taken for the truth in its turn.
//!
//! If a forecast is right, nobody can tell the truth from a member. So any number that compares the truth with the
//! members (a share of ranks, an error, a score) is also made of every member and *its* rest, and the truth should be
//! one of these. It is a permutation test: neighbouring points may depend on each other as they like, which the usual
//! bands of independent points do not allow for.

use serde::{Deserialize, Serialize};

/// Share of the members inside a band.
const LEVEL: f64 = 0.95;

/// A number of the truth, and the same of the members.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// Of the truth.
    pub found: f64,
    /// Where 95 % of the members are; all of them if they are fewer than 40.
    pub band: [f64; 2],
    /// How many standard deviations of the members the truth is above their mean.
    pub deviations: f64,
    /// How many would be unusual (5 %) for so few members.
    pub unusual: f64,
}

impl Chance {
    /// From the numbers of everybody, the truth first.
    ///
    /// # Panics
    /// Without a member.
    pub fn new(everybody: &[f64]) -> Self {
        let (found, members) = (everybody[0], &everybody[1..]);
        let count = members.len() as f64;
        let mean = members.iter().sum::<f64>() / count;
        let squares: f64 = members.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = (count - 1.0).max(1.0);
        // The truth is another draw: its distance from their mean varies by 1/M more than they do.
        let deviation = (squares / freedom * (1.0 + 1.0 / count)).sqrt();
        let distance = found - mean;
        let deviations = if deviation > 0.0 {
            distance / deviation
        } else {
            distance.signum() * if distance == 0.0 { 0.0 } else { f64::INFINITY }
        };
        let mut sorted = members.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let outside = (0.5 * (1.0 - LEVEL) * count) as usize;
        Self {
            found,
            band: [sorted[outside], sorted[sorted.len() - 1 - outside]],
            deviations,
            // Student's distribution, 97.5 %, good to 2 % from four members.
            unusual: 1.96 + 2.37 / freedom + 2.8 / (freedom * freedom),
        }
    }

    /// Whether the truth is higher than chance allows.
    pub fn is_high(&self) -> bool {
        self.deviations > self.unusual
    }

    /// Whether the truth is lower than chance allows.
    pub fn is_low(&self) -> bool {
        self.deviations < -self.unusual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Members 1, 3: mean 2, variance 2, times 3/2.
        let chance = Chance::new(&[5.0, 1.0, 3.0]);
        assert!((chance.deviations - 3.0 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(chance.band, [1.0, 3.0]);
        assert!(!chance.is_high(), "two members prove nothing");
        let equal = Chance::new(&[1.0, 1.0, 1.0]);
        assert!(!equal.is_high() && !equal.is_low());
        assert!(Chance::new(&[2.0, 1.0, 1.0]).is_high());
    }

    #[test]
    fn one_in_twenty_is_unusual_where_nothing_is() {
        for count in [5, 20, 100] {
            let (mut unusual, mut outside, trials) = (0, 0, 1500);
            for trial in 0..trials {
                let draws = crate::verify::synthetic::normals(7, trial, count + 1);
                let chance = Chance::new(&draws.iter().map(|&v| f64::from(v)).collect::<Vec<_>>());
                unusual += usize::from(chance.is_high() || chance.is_low());
                outside +=
                    usize::from(chance.found < chance.band[0] || chance.found > chance.band[1]);
            }
            let share = |n: usize| n as f64 / trials as f64;
            assert!(
                (0.03..0.075).contains(&share(unusual)),
                "{count}: {}",
                share(unusual)
            );
            // Outside of all of few members, or of 95 of 100 of many.
            let wanted = if count < 40 {
                2.0 / (count as f64 + 1.0)
            } else {
                0.06
            };
            assert!(
                (share(outside) - wanted).abs() < 0.02,
                "{count}: {}",
                share(outside)
            );
        }
    }
}
