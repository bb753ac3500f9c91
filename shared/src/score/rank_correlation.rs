//! Rank correlation of spread and error: whether the spread is where the error is.
//!
//! Spearman's `ρ = corr(F(s_i), F(|e_i|))` over the points `i` of a field, with `s_i` the standard deviation of the
//! members, `e_i` the error of their mean, and `F(x_i) = Σ_{x_j < x_i} w_j + 1/2 Σ_{x_j = x_i} w_j` the rank by weight:
//! where all points weigh the same it is the usual rank, the mean one for ties, less one half.
//!
//! - Range: -1 to 1; above 0 where large spreads stand at large errors. Even a perfect ensemble stays far below 1: an error
//!   is one draw from the spread at its point. Where all spreads are alike there is nothing to find, and it is near 0.
//! - Estimator: of each channel at each step of time, then the mean over those and over cases. One whose spreads or
//!   errors are all the same (an ensemble of one) has no correlation and no part in the mean.
//! - NaN: any NaN gives NaN; where truth is skipped or a point is masked the point is left out.
//! - Reference: Spearman, Am. J. Psychol. 15 (1904), with mean ranks as in Kendall, Biometrika 33 (1945).

use super::measure::Measure;
use super::nan::NanPolicy;
use super::numbers::CaseMean;
use super::threads::map_in_order;

/// The estimator in words.
pub const ESTIMATOR: &str = "Spearman over points of the members' standard deviation and the absolute error of their mean, mean over channels, times and cases";

/// Spearman's correlation of two lists, of which every place has a weight. `None` where one of them is the same everywhere
/// it has a weight.
///
/// # Panics
/// If the lists differ in length.
pub fn rank_correlation(a: &[f64], b: &[f64], weights: &[f64]) -> Option<f64> {
    assert!(
        a.len() == b.len() && a.len() == weights.len(),
        "{}, {} and {} places",
        a.len(),
        b.len(),
        weights.len()
    );
    if a.iter().chain(b).any(|value| value.is_nan()) {
        return Some(f64::NAN);
    }
    correlation(&ranks(a, weights), &ranks(b, weights), weights)
}

/// The rank of every value by weight.
fn ranks(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0.0;
    for ties in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let weight: f64 = ties.iter().map(|&i| weights[i]).sum();
        for &i in ties {
            ranks[i] = below + weight / 2.0;
        }
        below += weight;
    }
    ranks
}

/// Pearson's correlation.
fn correlation(a: &[f64], b: &[f64], weights: &[f64]) -> Option<f64> {
    let total: f64 = weights.iter().sum();
    let mean = |values: &[f64]| {
        let pairs = values.iter().zip(weights);
        pairs.map(|(value, weight)| weight * value).sum::<f64>() / total
    };
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
    for ((a, b), weight) in a.iter().zip(b).zip(weights) {
        let (a, b) = (a - mean_a, b - mean_b);
        aa += weight * a * a;
        ab += weight * a * b;
        bb += weight * b * b;
    }
    // Ranks are multiples of half a weight, so that what is not constant is far from rounding.
    let least = 1e-20 * total.powi(3);
    (aa > least && bb > least).then(|| ab / (aa * bb).sqrt())
}

/// Correlations of one case, as parts of means over cases.
#[derive(Debug)]
pub(crate) struct CaseCorrelations {
    /// Mean over the channels of each step of time.
    pub leads: Vec<CaseMean>,
    /// Mean over the times of each channel.
    pub channels: Vec<CaseMean>,
    /// Mean over all.
    pub all: CaseMean,
}

impl CaseCorrelations {
    /// Of members `[member, points, channel]`.
    pub fn new(members: &[f32], truth: &[f32], measure: &Measure, nan: NanPolicy) -> Self {
        let (leads, channels) = (measure.lead_times(), measure.channels());
        let found: Vec<Vec<Option<f64>>> = map_in_order((0..leads).collect(), |lead: usize| {
            let size = measure.values() / leads;
            let (spread, error) = spread_and_error(members, truth, lead * size, size);
            let of_channel = |channel: usize| {
                let values = (channel..size).step_by(channels);
                let is_kept = |i: &usize| {
                    let value = lead * size + i;
                    let is_skipped = nan == NanPolicy::Skip && truth[value].is_nan();
                    !measure.leaves_out(value) && !is_skipped
                };
                let kept: Vec<usize> = values.filter(is_kept).collect();
                let of = |all: &[f64]| -> Vec<f64> { kept.iter().map(|&i| all[i]).collect() };
                let weight = |&i: &usize| measure.weight(lead * size + i);
                let weights: Vec<f64> = kept.iter().map(weight).collect();
                rank_correlation(&of(&spread), &of(&error), &weights)
            };
            (0..channels).map(of_channel).collect()
        });
        Self {
            leads: found.iter().map(|lead| mean(lead.iter())).collect(),
            channels: (0..channels)
                .map(|channel| mean(found.iter().map(|lead| &lead[channel])))
                .collect(),
            all: mean(found.iter().flatten()),
        }
    }
}

/// The mean over those that there are.
fn mean<'a>(found: impl Iterator<Item = &'a Option<f64>>) -> CaseMean {
    let known: Vec<f64> = found.copied().flatten().collect();
    let sum: f64 = known.iter().sum();
    CaseMean::of((!known.is_empty()).then(|| sum / known.len() as f64))
}

/// Standard deviation of the members and absolute error of their mean, at values from `first` on.
fn spread_and_error(
    members: &[f32],
    truth: &[f32],
    first: usize,
    size: usize,
) -> (Vec<f64>, Vec<f64>) {
    let fields = || {
        let fields = members.chunks_exact(truth.len());
        fields.map(|field| &field[first..first + size])
    };
    let count = (members.len() / truth.len()) as f64;
    let mut mean = vec![0.0; size];
    for field in fields() {
        for (mean, &value) in mean.iter_mut().zip(field) {
            *mean += f64::from(value) / count;
        }
    }
    let mut spread = vec![0.0; size];
    for field in fields() {
        for ((square, mean), &value) in spread.iter_mut().zip(&mean).zip(field) {
            *square += (f64::from(value) - mean).powi(2);
        }
    }
    // What differs in the last digits only is the same: as numbers of f32, ties are ties.
    let rounded = |value: f64| f64::from(value as f32);
    for square in &mut spread {
        *square = rounded((*square / (count - 1.0).max(1.0)).sqrt());
    }
    let pairs = mean.iter().zip(&truth[first..first + size]);
    let error = pairs.map(|(mean, &y)| rounded((mean - f64::from(y)).abs()));
    (spread, error.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, wanted: f64) {
        let found = found.expect("a correlation");
        assert!((found - wanted).abs() < 1e-12, "{found} for {wanted}");
    }

    #[test]
    fn without_ties_it_is_the_formula_of_the_textbook() {
        // 1 - 6 Σ d² / (n (n² - 1)) with the ranks 1, 2, 3, 4, 5 and 2, 1, 5, 3, 4.
        let (a, b) = ([10.0, 20.0, 30.0, 40.0, 50.0], [3.0, 1.0, 9.0, 5.0, 6.0]);
        close(rank_correlation(&a, &b, &[1.0; 5]), 1.0 - 6.0 * 8.0 / 120.0);
        close(rank_correlation(&a, &a.map(f64::exp), &[1.0; 5]), 1.0);
        close(rank_correlation(&a, &a.map(|v| -v), &[2.0; 5]), -1.0);
    }

    #[test]
    fn ties_have_the_mean_of_their_ranks() {
        // Ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4: covariance 4.5, variances 4.5 and 5, so 4.5 / √22.5.
        let (a, b) = ([0.0, 7.0, 7.0, 8.0], [1.0, 3.0, 2.0, 4.0]);
        close(rank_correlation(&a, &b, &[1.0; 4]), 4.5 / 22.5_f64.sqrt());
        // Ranks 1.5, 1.5, 3.5, 3.5 against 1.5, 3.5, 1.5, 3.5.
        let (a, b) = ([0.0, 0.0, 1.0, 1.0], [5.0, 6.0, 5.0, 6.0]);
        close(rank_correlation(&a, &b, &[1.0; 4]), 0.0);
    }

    #[test]
    fn a_weight_of_two_is_the_same_place_twice_and_of_zero_none() {
        let once = ([1.0, 4.0, 2.0, 9.0], [3.0, 1.0, 2.0, 0.5]);
        let twice = ([1.0, 4.0, 4.0, 2.0], [3.0, 1.0, 1.0, 2.0]);
        let wanted = rank_correlation(&twice.0, &twice.1, &[1.0; 4]).expect("a correlation");
        close(
            rank_correlation(&once.0, &once.1, &[1.0, 2.0, 1.0, 0.0]),
            wanted,
        );
    }

    #[test]
    fn what_is_the_same_everywhere_has_none_and_a_nan_is_told() {
        assert_eq!(
            rank_correlation(&[2.0; 3], &[1.0, 2.0, 3.0], &[1.0; 3]),
            None
        );
        assert_eq!(rank_correlation(&[1.0], &[1.0], &[1.0]), None);
        assert_eq!(rank_correlation(&[], &[], &[]), None);
        let broken = rank_correlation(&[f64::NAN, 1.0], &[1.0, 2.0], &[1.0; 2]);
        assert!(broken.is_some_and(f64::is_nan));
    }

    #[test]
    fn each_time_and_channel_has_its_own_and_the_rest_are_means() {
        // Two times of three points and two channels, two members ± s around the truth plus e.
        let measure = Measure::grid(&[2, 3]).with_time().with_channels(2);
        let spread = [1, 3, 2, 2, 3, 1, /* later */ 1, 1, 2, 1, 3, 1];
        let error = [1, 1, 2, 2, 3, 3, /* later */ 3, 1, 2, 2, 1, 3];
        let field = |sign: i8| -> Vec<f32> {
            let pairs = spread.iter().zip(&error);
            pairs.map(|(s, e)| f32::from(e + sign * s)).collect()
        };
        let members = [field(1), field(-1)].concat();
        let found = CaseCorrelations::new(&members, &[0.0; 12], &measure, NanPolicy::Propagate);
        // First time: channel 0 agrees, channel 1 is the opposite; later: the opposite, and nothing.
        let known = |means: &[CaseMean]| -> Vec<f64> {
            means.iter().filter_map(|mean| mean.known()).collect()
        };
        assert_eq!(known(&found.leads), [0.0, -1.0]);
        assert_eq!(known(&found.channels), [0.0, -1.0]);
        close(found.all.known(), -1.0 / 3.0);
        // One member has no spread to rank.
        let alone = CaseCorrelations::new(&field(0), &[0.0; 12], &measure, NanPolicy::Propagate);
        assert_eq!(alone.all.known(), None);
    }
}
