//! The distribution of the members at one point, as a histogram and as a distribution function, with the truth.

use super::{NO_VALUE, quantile};
use crate::figure::{Axis, Figure, Role, Table};
use crate::verify::Names;

/// Fewest and most bars.
const BARS: (usize, usize) = (5, 24);

/// Histogram of members in rising order. The axis holds members and truth, or is `range` where scales are locked.
///
/// The width of the bars is Freedman's and Diaconis's, twice the distance of the quartiles over the cube root of M, but
/// there are at least √M of them.
pub fn histogram(
    names: &Names,
    sorted: &[f32],
    truth: Option<f32>,
    range: Option<(f64, f64)>,
) -> Figure {
    let x = value_axis(names, sorted, truth, range);
    let edges = edges(sorted);
    let shares: Vec<f64> = edges
        .windows(2)
        .enumerate()
        .map(|(i, edge)| {
            let last = i + 2 == edges.len();
            let below = |bound: f64, whole: bool| {
                sorted
                    .partition_point(|v| f64::from(*v) < bound || (whole && f64::from(*v) <= bound))
            };
            (below(edge[1], last) - below(edge[0], false)) as f64 / sorted.len() as f64
        })
        .collect();
    let top = shares.iter().copied().fold(0.0, f64::max);
    let y = Axis::around("share of members, %", 0.0, 100.0 * top);
    let mut figure = Figure::new("histogram", "Histogram", x, y);
    let bars: Vec<_> = edges
        .windows(2)
        .zip(&shares)
        .map(|(edge, share)| [edge[0], edge[1], 0.0, 100.0 * share])
        .collect();
    figure.boxes(Role::Inner, Some("members"), &bars);
    figure.upright(Role::Median, Some("median"), quantile(sorted, 0.5));
    if let Some(truth) = truth {
        figure.upright(Role::Truth, Some("truth"), f64::from(truth));
    }
    let mut table = Table::new(["from", "to", "share of members"]);
    for (edge, share) in edges.windows(2).zip(&shares) {
        table.push([edge[0], edge[1], *share]);
    }
    let label = format!(
        "Histogram of {} members: {}",
        sorted.len(),
        words(names, sorted, truth)
    );
    figure
        .told(reading(names, sorted, truth), label)
        .with_table(table)
}

/// Distribution function of members in rising order: the share of the members that are not above a value.
pub fn distribution(
    names: &Names,
    sorted: &[f32],
    truth: Option<f32>,
    range: Option<(f64, f64)>,
) -> Figure {
    let x = value_axis(names, sorted, truth, range);
    let y = Axis::new("members not above, %", 0.0, 100.0);
    let count = sorted.len() as f64;
    let (mut xs, mut ys) = (vec![x.lo], vec![0.0]);
    let mut table = Table::new(["value", "share of members not above"]);
    for (i, value) in sorted.iter().enumerate() {
        let (value, share) = (f64::from(*value), (i + 1) as f64 / count);
        xs.extend([value, value]);
        ys.extend([100.0 * i as f64 / count, 100.0 * share]);
        table.push([value, share]);
    }
    xs.push(x.hi);
    ys.push(100.0);
    let mut figure = Figure::new("distribution", "Distribution function", x, y);
    if let Some(truth) = truth {
        // The CRPS is made of the area between both steps.
        let truth = f64::from(truth);
        let step = [figure.x.lo, truth, truth, figure.x.hi];
        figure.line(Role::Truth, Some("truth"), &step, &[0.0, 0.0, 100.0, 100.0]);
    }
    figure.line(Role::Median, Some("members"), &xs, &ys);
    let label = format!(
        "Distribution function of {} members: {}",
        sorted.len(),
        words(names, sorted, truth)
    );
    figure
        .told(reading(names, sorted, truth), label)
        .with_table(table)
}

/// Edges of the bars.
fn edges(sorted: &[f32]) -> Vec<f64> {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return vec![];
    };
    let (first, last) = (f64::from(*first), f64::from(*last));
    if !(last - first).is_finite() || last <= first {
        let half = if first == 0.0 {
            0.5
        } else {
            0.02 * first.abs()
        };
        return if first.is_finite() {
            vec![first - half, first + half]
        } else {
            vec![]
        };
    }
    let quartiles = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    let width = 2.0 * quartiles / (sorted.len() as f64).cbrt();
    let wanted = if width > 0.0 {
        ((last - first) / width).ceil()
    } else {
        BARS.1 as f64
    };
    let fewest = (sorted.len() as f64).sqrt().ceil();
    let bars = (wanted.max(fewest) as usize).clamp(BARS.0, BARS.1);
    (0..=bars)
        .map(|i| first + (last - first) * i as f64 / bars as f64)
        .collect()
}

fn value_axis(
    names: &Names,
    sorted: &[f32],
    truth: Option<f32>,
    range: Option<(f64, f64)>,
) -> Axis {
    let name = names.value_axis(&names.quantity);
    match (range, reach(sorted, truth)) {
        (Some((lo, hi)), _) => Axis::new(name, lo, hi),
        (None, (lo, hi)) => Axis::around(name, lo, hi),
    }
}

fn reach(sorted: &[f32], truth: Option<f32>) -> (f64, f64) {
    let all = sorted
        .iter()
        .chain(&truth)
        .map(|v| f64::from(*v))
        .filter(|v| v.is_finite());
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
        (lo.min(v), hi.max(v))
    })
}

fn words(names: &Names, sorted: &[f32], truth: Option<f32>) -> String {
    let at = |q: f64| names.value(quantile(sorted, q));
    let truth = truth.map_or_else(String::new, |truth| {
        format!(", truth {}", names.value(f64::from(truth)))
    });
    format!(
        "median {}, half of them between {} and {}{truth}.",
        at(0.5),
        at(0.25),
        at(0.75)
    )
}

fn reading(names: &Names, sorted: &[f32], truth: Option<f32>) -> String {
    if !sorted.is_empty() && sorted.iter().all(|value| value.is_nan()) {
        return NO_VALUE.to_owned();
    }
    let Some(truth) = truth else {
        let (low, high) = (
            names.value(quantile(sorted, 0.1)),
            names.value(quantile(sorted, 0.9)),
        );
        return format!("Eight of ten members lie between {low} and {high}.");
    };
    let below = sorted.partition_point(|value| *value < truth);
    let count = sorted.len();
    match below {
        0 => format!("The truth is below all {count} members: a surprise."),
        _ if below == count => format!("The truth is above all {count} members: a surprise."),
        _ => format!("The truth lies above {below} of {count} members."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<f32> {
        (0..=100_u8).map(|i| f32::from(i) / 10.0).collect()
    }

    #[test]
    fn every_member_is_in_one_bar() {
        let names = Names::default();
        for sorted in [members(), vec![1.0, 1.0, 2.0], vec![3.0; 9], vec![-2.0]] {
            let figure = histogram(&names, &sorted, Some(1.0), None);
            let total: f64 = figure.table.rows.iter().map(|row| row[2]).sum();
            assert!((total - 1.0).abs() < 1e-12, "{sorted:?}");
            assert!(figure.layers[0].path.starts_with('M'));
        }
        // Quartiles 5 apart, 101 members: bars of 2.15 would be five, but the root is eleven.
        assert_eq!(
            histogram(&names, &members(), None, None).table.rows.len(),
            11
        );
    }

    #[test]
    fn the_distribution_function_rises_by_one_member_at_a_time() {
        let figure = distribution(
            &Names::default(),
            &[1.0, 2.0, 4.0, 8.0],
            Some(3.0),
            Some((0.0, 10.0)),
        );
        assert_eq!(
            figure.table.rows,
            [[1.0, 0.25], [2.0, 0.5], [4.0, 0.75], [8.0, 1.0]]
        );
        let path = &figure.layers[1].path;
        assert!(
            path.starts_with("M0.0 1000.0L100.0 1000.0L100.0 750.0L200.0 750.0L200.0 500.0"),
            "{path}"
        );
        assert_eq!(figure.reading, "The truth lies above 2 of 4 members.");
    }

    #[test]
    fn sentences_tell_surprises_and_what_is_expected() {
        let names = Names {
            unit: "°C".to_owned(),
            ..Names::default()
        };
        let told = |truth| histogram(&names, &members(), truth, None).reading;
        assert_eq!(
            told(Some(-1.0)),
            "The truth is below all 101 members: a surprise."
        );
        assert_eq!(
            told(Some(11.0)),
            "The truth is above all 101 members: a surprise."
        );
        assert_eq!(
            told(None),
            "Eight of ten members lie between 1 °C and 9 °C."
        );
        let sea = histogram(&names, &[f32::NAN; 3], Some(f32::NAN), None);
        assert_eq!(sea.reading, "There is never a value here.");
        let label = histogram(&names, &members(), Some(2.0), None).label;
        assert_eq!(
            label,
            "Histogram of 101 members: median 5 °C, half of them between 2.5 °C and 7.5 °C, truth 2 °C."
        );
    }

    #[test]
    fn missing_numbers_break_nothing() {
        let broken = [1.0, f32::NAN];
        for figure in [
            histogram(&Names::default(), &broken, Some(f32::NAN), None),
            distribution(&Names::default(), &broken, None, None),
            histogram(&Names::default(), &[], None, None),
            distribution(&Names::default(), &[], None, None),
        ] {
            assert!(
                figure
                    .layers
                    .iter()
                    .all(|layer| !layer.path.contains("NaN"))
            );
        }
    }
}
