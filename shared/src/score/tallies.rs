//! What is summed over the values of a case.

use super::brier::EventTable;
use super::exceedance::Event;
use super::spread_skill::SpreadBins;

/// Weighted sums over values.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PointSums {
    /// Of the weights themselves.
    pub weight: f64,
    /// Of the error of the ensemble mean.
    pub error: f64,
    /// Of its square.
    pub squared_error: f64,
    /// Of the unbiased variance.
    pub variance: f64,
    /// Of the fair CRPS.
    pub crps: f64,
    /// Of the plain CRPS.
    pub crps_plain: f64,
    /// Of the NLL.
    pub nll: f64,
    /// Of the values inside the interval.
    pub hits: f64,
    /// Of the interval's width.
    pub width: f64,
    /// Values left out.
    pub skipped: u64,
}

impl PointSums {
    /// Adds another part.
    pub fn merge(&mut self, other: &Self) {
        self.weight += other.weight;
        self.error += other.error;
        self.squared_error += other.squared_error;
        self.variance += other.variance;
        self.crps += other.crps;
        self.crps_plain += other.crps_plain;
        self.nll += other.nll;
        self.hits += other.hits;
        self.width += other.width;
        self.skipped += other.skipped;
    }

    /// The sum of several.
    pub fn total<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        parts.into_iter().fold(Self::default(), |mut sum, part| {
            sum.merge(part);
            sum
        })
    }
}

/// What is counted over all values of all cases. A value with a NaN makes its total weight NaN.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    /// Values.
    pub samples: u64,
    /// Their weight.
    pub weight: f64,
    /// Weight of each rank.
    pub ranks: Vec<f64>,
    /// Spread and error.
    pub spread: SpreadBins,
    /// Weighted sum of the pinball loss of each level.
    pub pinball: Vec<f64>,
    /// Forecasts and outcomes of each event.
    pub events: Vec<Counts>,
}

/// An event's forecasts and outcomes.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    /// Values that the event is about.
    pub samples: u64,
    /// Their weights.
    pub counts: EventTable,
}

impl Tables {
    /// Nothing yet.
    pub fn new(members: usize, levels: &[f64], events: &[Event]) -> Self {
        let counts = Counts {
            samples: 0,
            counts: EventTable::new(members),
        };
        Self {
            samples: 0,
            weight: 0.0,
            ranks: vec![0.0; members + 1],
            spread: SpreadBins::new(),
            pinball: vec![0.0; levels.len()],
            events: vec![counts; events.len()],
        }
    }

    /// Adds another part.
    pub fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.weight += other.weight;
        for (sum, part) in self.ranks.iter_mut().zip(&other.ranks) {
            *sum += part;
        }
        self.spread.merge(&other.spread);
        for (sum, part) in self.pinball.iter_mut().zip(&other.pinball) {
            *sum += part;
        }
        for (sum, part) in self.events.iter_mut().zip(&other.events) {
            sum.samples += part.samples;
            sum.counts.merge(&part.counts);
        }
    }
}
