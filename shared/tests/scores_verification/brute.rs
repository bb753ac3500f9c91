//! The scores of one case by their formulas.

use pno::score::{Measure, Numbers};

use crate::close;

/// The scores of the values `range` of one case, by their formulas.
pub struct Brute<'a> {
    pub members: &'a [f32],
    pub truth: &'a [f32],
    pub measure: &'a Measure,
}

impl Brute<'_> {
    pub fn kept(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        let known = |&v: &usize| !self.truth[v].is_nan();
        (0..self.truth.len())
            .filter(|&v| keep(v))
            .filter(known)
            .collect()
    }

    pub fn member(&self, m: usize, v: usize) -> f64 {
        f64::from(self.members[m * self.truth.len() + v])
    }

    pub fn count(&self) -> usize {
        self.members.len() / self.truth.len()
    }

    pub fn mean(&self, values: &[usize], f: impl Fn(usize) -> f64) -> f64 {
        let weight: f64 = values.iter().map(|&v| self.measure.weight(v)).sum();
        let sum: f64 = values.iter().map(|&v| self.measure.weight(v) * f(v)).sum();
        sum / weight
    }

    /// `√(extent · channels · weighted mean over values of f²)`: a mean over points, a sum over channels.
    pub fn norm(&self, values: &[usize], f: impl Fn(usize) -> f64) -> f64 {
        let factor = self.measure.extent() * self.measure.channels() as f64;
        (factor * self.mean(values, |v| f(v).powi(2))).sqrt()
    }

    /// `1/M Σ d(m, truth) - 1/(2 D) ΣΣ d(m, h)` with the divisor D.
    pub fn energy(&self, values: &[usize], divisor: f64) -> f64 {
        let count = self.count();
        let truth = |v: usize| f64::from(self.truth[v]);
        let error: f64 = (0..count)
            .map(|m| self.norm(values, |v| self.member(m, v) - truth(v)))
            .sum();
        let pairs = (0..count).flat_map(|m| (0..count).map(move |h| (m, h)));
        let spread: f64 = pairs
            .map(|(m, h)| self.norm(values, |v| self.member(m, v) - self.member(h, v)))
            .sum();
        error / count as f64 - spread / (2.0 * divisor)
    }

    pub fn moments(&self, v: usize) -> (f64, f64) {
        let count = self.count() as f64;
        let column = || (0..self.count()).map(|m| self.member(m, v));
        let mean = column().sum::<f64>() / count;
        let variance = column().map(|u| (u - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean - f64::from(self.truth[v]), variance)
    }

    pub fn crps(&self, v: usize, divisor: f64) -> f64 {
        let count = self.count();
        let column: Vec<f64> = (0..count).map(|m| self.member(m, v)).collect();
        let error: f64 = column
            .iter()
            .map(|u| (u - f64::from(self.truth[v])).abs())
            .sum();
        let pairs = column
            .iter()
            .flat_map(|a| column.iter().map(move |b| (a - b).abs()));
        error / count as f64 - pairs.sum::<f64>() / (2.0 * divisor)
    }

    pub fn check(&self, what: &str, found: &Numbers, values: &[usize], has_pairs: bool) {
        let count = self.count() as f64;
        let (fair, plain) = (count * (count - 1.0), count * count);
        let error = |v| self.moments(v).0;
        let variance = self.mean(values, |v| self.moments(v).1);
        let squared = self.mean(values, |v| error(v).powi(2));
        let near =
            |name: &str, found, wanted| close(&format!("{what}, {name}"), found, wanted, 1e-6);
        near("l2", found.l2, self.norm(values, error));
        near("rmse", found.rmse, squared.sqrt());
        near("bias", found.bias, self.mean(values, error));
        near("spread", found.spread, variance.sqrt());
        let ratio = ((count + 1.0) / count * variance / squared).sqrt();
        near("spread-skill", found.spread_skill, ratio);
        near(
            "crps",
            found.crps,
            self.mean(values, |v| self.crps(v, fair)),
        );
        near(
            "crps, plain",
            found.crps_plain,
            self.mean(values, |v| self.crps(v, plain)),
        );
        let nll = |v| {
            let (error, variance) = self.moments(v);
            0.5 * (std::f64::consts::TAU * variance).ln() + error * error / (2.0 * variance)
        };
        near("nll", found.nll, self.mean(values, nll));
        let bounds = |v: usize| {
            let mut column: Vec<f64> = (0..self.count()).map(|m| self.member(m, v)).collect();
            column.sort_unstable_by(f64::total_cmp);
            [0.025, 0.975].map(|q| {
                let place = q * (count - 1.0);
                let (low, part) = (place as usize, place.fract());
                column[low] + part * (column[(low + 1).min(column.len() - 1)] - column[low])
            })
        };
        near(
            "width",
            found.interval_width,
            self.mean(values, |v| bounds(v)[1] - bounds(v)[0]),
        );
        let hit = |v: usize| {
            let y = f64::from(self.truth[v]);
            f64::from(u8::from(bounds(v)[0] < y && y < bounds(v)[1]))
        };
        near("coverage", found.coverage, self.mean(values, hit));
        assert_eq!(found.energy_score.is_some(), has_pairs);
        if let (Some(energy), Some(other)) = (found.energy_score, found.energy_score_plain) {
            near("energy score", energy, self.energy(values, fair));
            near("energy score, plain", other, self.energy(values, plain));
        }
    }
}
