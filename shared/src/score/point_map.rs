//! Maps: scores of every point, averaged over cases.

use serde::{Deserialize, Serialize};

use super::threads::map_in_order;

/// Sums of one value over cases: how many, error, squared error, variance, CRPS, hits.
///
/// Plain numbers, so that a map of zeros is memory that nobody has touched yet: its pages come when a piece is worked
/// on, by the thread that does.
pub(crate) type PointMap = [f64; 6];

/// Takes in a case.
pub(crate) fn push(sums: &mut PointMap, error: f64, variance: f64, crps: f64, hit: f64) {
    let values = [1.0, error, error * error, variance, crps, hit];
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Values of a piece of work at the end.
const PIECE: usize = 1 << 14;

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
        let mut maps: [Vec<f32>; 5] = std::array::from_fn(|_| vec![0.0; sums.len()]);
        let [crps, coverage, spread, error, bias] =
            maps.each_mut().map(|map| map.chunks_mut(PIECE));
        let pieces: Vec<_> = sums
            .chunks(PIECE)
            .zip(crps.zip(coverage).zip(spread.zip(error).zip(bias)))
            .collect();
        map_in_order(
            pieces,
            |(sums, ((crps, coverage), ((spread, error), bias)))| {
                for (i, &[cases, mean, square, variance, score, hits]) in sums.iter().enumerate() {
                    crps[i] = (score / cases) as f32;
                    coverage[i] = (hits / cases) as f32;
                    spread[i] = (variance / cases).sqrt() as f32;
                    error[i] = (square / cases).sqrt() as f32;
                    bias[i] = (mean / cases) as f32;
                }
            },
        );
        let [crps, coverage, spread, error, bias] = maps;
        Self {
            crps,
            coverage,
            spread,
            error,
            bias,
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
