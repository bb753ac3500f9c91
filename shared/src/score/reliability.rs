//! Reliability diagram: how often an event happened when it was forecast with a probability.
//!
//! For each bin of forecast probability: `(mean p, Σ o / n)`.
//!
//! - Range: both 0 to 1. On the diagonal forecasts mean what they say; flatter than it they are too sure.
//! - Estimator: the M + 1 possible probabilities, put into [`BINS`] equal bins; the abscissa is the mean probability
//!   inside the bin, not its middle. Bins that no forecast fell into are left out.
//! - Band: where the observed frequency lies in 95 of 100 cases if the forecast is reliable and values are independent,
//!   which neighbouring points are not: a lower bound.
//! - NaN: under the default policy a NaN makes all of it NaN.
//! - Reference: Murphy & Winkler, J. R. Stat. Soc. C 26 (1977); band: Bröcker & Smith, Weather Forecast. 22 (2007).

use serde::{Deserialize, Serialize};

use super::brier::EventTable;
use super::rank_histogram::Z;

/// The estimator in words.
pub const ESTIMATOR: &str =
    "observed frequency by weight in ten equal bins of forecast probability";

/// Bins of forecast probability.
pub const BINS: usize = 10;

/// One bin of the diagram.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Mean forecast probability.
    #[serde(with = "super::nan::nan_as_null")]
    pub forecast: f64,
    /// How often the event happened.
    #[serde(with = "super::nan::nan_as_null")]
    pub observed: f64,
    /// Share of all values.
    #[serde(with = "super::nan::nan_as_null")]
    pub share: f64,
    /// Where `observed` of a reliable forecast lies in 95 of 100 cases, were all values independent.
    pub band: [f64; 2],
}

/// The diagram of an event; `samples` is the number of values behind the table.
pub fn reliability(table: &EventTable, samples: u64) -> Vec<ReliabilityBin> {
    let mut bins = [[0.0; 3]; BINS];
    for (p, n, o) in table.rows() {
        let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
        bin[0] += n;
        bin[1] += n * p;
        bin[2] += o;
    }
    let total: f64 = bins.iter().map(|bin| bin[0]).sum();
    // A NaN is kept: it must not look like an empty bin.
    let bins = bins.iter().filter(|bin| bin[0] != 0.0);
    bins.map(|&[weight, forecast, happened]| {
        let (share, forecast) = (weight / total, forecast / weight);
        let variance = forecast * (1.0 - forecast) / (share * samples as f64);
        let half = Z * variance.max(0.0).sqrt();
        ReliabilityBin {
            forecast,
            observed: happened / weight,
            share,
            band: [(forecast - half).max(0.0), (forecast + half).min(1.0)],
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_share_a_bin_with_their_own_mean() {
        let mut table = EventTable::new(20);
        // 0.05 three times and 0.0 once; 1.0 twice; 0.5 four times.
        for (above, happened) in [(1, true), (1, false), (1, false), (0, false)] {
            table.push(above, happened, 1.0);
        }
        table.push(20, true, 2.0);
        table.push(10, true, 3.0);
        table.push(10, false, 1.0);
        let found = reliability(&table, 10);
        assert_eq!(found.len(), 3);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} for {b}");
        near(found[0].forecast, 0.0375);
        near(found[0].observed, 0.25);
        near(found[0].share, 0.4);
        near(found[1].forecast, 0.5);
        near(found[1].observed, 0.75);
        near(found[1].band[1], (0.5 + Z * 0.25_f64).min(1.0));
        near(found[2].forecast, 1.0);
        assert_eq!(found[2].band, [1.0, 1.0]);
    }
}
