//! Maps: scores of every point, averaged over cases.

use serde::{Deserialize, Serialize};

/// Sums of one value over cases.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PointMap {
    cases: f64,
    error: f64,
    squared_error: f64,
    variance: f64,
    crps: f64,
    hits: f64,
}

impl PointMap {
    /// Takes in a case.
    pub fn push(&mut self, error: f64, variance: f64, crps: f64, hit: f64) {
        self.cases += 1.0;
        self.error += error;
        self.squared_error += error * error;
        self.variance += variance;
        self.crps += crps;
        self.hits += hit;
    }
}

/// Scores of every value `[points, channel]`, averaged over cases. NaN where no case had a truth, or one had a NaN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeanMaps {
    /// Mean fair CRPS.
    pub crps: Vec<f32>,
    /// Share of cases whose truth lay inside the central 95 % interval.
    pub coverage: Vec<f32>,
    /// Root mean variance of the members.
    pub spread: Vec<f32>,
    /// Root mean square error of the ensemble mean.
    pub error: Vec<f32>,
    /// Mean error of the ensemble mean: too high where positive.
    pub bias: Vec<f32>,
}

impl MeanMaps {
    pub(crate) fn new(sums: &[PointMap]) -> Self {
        let map = |f: fn(&PointMap) -> f64| sums.iter().map(|s| f(s) as f32).collect();
        Self {
            crps: map(|s| s.crps / s.cases),
            coverage: map(|s| s.hits / s.cases),
            spread: map(|s| (s.variance / s.cases).sqrt()),
            error: map(|s| (s.squared_error / s.cases).sqrt()),
            bias: map(|s| s.error / s.cases),
        }
    }

    /// The maps by name.
    pub fn named(&self) -> [(&'static str, &[f32]); 5] {
        [
            ("crps", &self.crps),
            ("coverage", &self.coverage),
            ("spread", &self.spread),
            ("error", &self.error),
            ("bias", &self.bias),
        ]
    }
}
