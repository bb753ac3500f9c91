//! The plots that forecasters know: ranks, reliability, spread and skill, lead times, spectra.

use pno::score::spectrum::Spectrum;
use pno::score::{EventReport, Numbers, Report};

use super::chart::{Chart, Charts, Mark, Series};
use crate::eval::{Lead, head};

const BLUE: &str = "#1f5a99";
const RED: &str = "#b3361c";
const GREY: &str = "#5b6675";
const GOLD: &str = "#a06a00";
/// Most bars of a histogram; more ranks than that are put together.
const MOST_BARS: usize = 34;

/// All plots of a report, and of its lead times where there are any.
pub fn verification(report: &Report, leads: &[Lead], title: &str) -> Charts {
    let mut charts = Vec::new();
    if report.members > 1 {
        charts.push(ranks(report));
        charts.push(spread_skill(report));
    }
    if leads.len() > 1 {
        charts.push(error_and_spread(leads));
        if report.members > 1 {
            charts.push(ratio(leads));
        }
        charts.push(crps(leads));
    }
    charts.extend(report.events.iter().map(reliability));
    charts.extend(report.spectra.iter().map(spectrum));
    if report.quantile_scores.len() > 1 {
        charts.push(quantiles(report));
    }
    Charts {
        title: format!(
            "{title}: {} members, {} cases",
            report.members, report.cases
        ),
        charts,
    }
}

fn series(name: &str, mark: Mark, colour: &'static str, points: Vec<(f64, f64)>) -> Series {
    Series {
        name: name.to_owned(),
        mark,
        colour,
        points,
    }
}

fn chart(title: &str, hint: &str, labels: [&str; 2], series: Vec<Series>) -> Chart {
    Chart {
        title: title.to_owned(),
        hint: hint.to_owned(),
        labels: labels.map(str::to_owned),
        series,
        band: None,
        logarithmic: [false; 2],
        from_zero: false,
    }
}

fn ranks(report: &Report) -> Chart {
    let histogram = &report.rank_histogram;
    let together = histogram.frequencies.len().div_ceil(MOST_BARS);
    // Relative to a flat histogram, so that bars of one or of several ranks look alike.
    let ranks = histogram.frequencies.len() as f64;
    let bars = histogram.frequencies.chunks(together).enumerate();
    let points = bars.map(|(i, some)| {
        let mean = some.iter().sum::<f64>() / some.len() as f64;
        (
            (i * together) as f64 + (some.len() as f64 - 1.0) / 2.0,
            mean * ranks,
        )
    });
    let points: Vec<(f64, f64)> = points.collect();
    let ends = points.first().zip(points.last());
    let outer = ends.map_or(1.0, |(a, b)| f64::midpoint(a.1, b.1));
    let hint = match outer {
        x if x > 1.25 => "high ends: too little spread",
        x if x < 0.8 => "low ends: too much spread",
        _ => "flat within the band: reliable",
    };
    let mut chart = chart(
        "Rank histogram",
        hint,
        [
            "rank of the truth among the members",
            "frequency over uniform",
        ],
        vec![series("frequency", Mark::Bars, BLUE, points)],
    );
    chart.band = Some(histogram.frequency_band_of_cases.map(|f| f * ranks));
    chart
}

fn spread_skill(report: &Report) -> Chart {
    let points: Vec<(f64, f64)> = report
        .spread_skill_curve
        .iter()
        .map(|bin| (bin.spread, bin.error))
        .collect();
    let most = points.iter().map(|p| p.0.max(p.1)).fold(0.0, f64::max);
    chart(
        "Spread and skill",
        "on the line: where it spreads more it errs more",
        ["spread", "error of the mean"],
        vec![
            series(
                "reliable",
                Mark::Dashed,
                GREY,
                vec![(0.0, 0.0), (most, most)],
            ),
            series("forecast", Mark::Dots, BLUE, points),
        ],
    )
}

/// A curve over lead times.
fn by_lead(
    name: &str,
    (mark, colour): (Mark, &'static str),
    leads: &[Lead],
    value: impl Fn(&Lead) -> f64,
) -> Series {
    let points = leads.iter().map(|lead| (lead.time, value(lead)));
    series(name, mark, colour, points.collect())
}

fn error_and_spread(leads: &[Lead]) -> Chart {
    let curve = |name, colour, value: fn(&Numbers) -> f64| {
        by_lead(name, (Mark::Line, colour), leads, |lead| {
            value(&lead.scores)
        })
    };
    chart(
        "Error and spread by lead time",
        "alike for a reliable ensemble",
        [&head(leads), "in the units of the scores"],
        vec![
            curve("error", RED, |n| n.rmse),
            curve("spread", BLUE, |n| n.spread),
        ],
    )
}

fn ratio(leads: &[Lead]) -> Chart {
    let mut chart = chart(
        "Spread over error by lead time",
        "1 is reliable, below it the ensemble is too sure",
        [&head(leads), "ratio"],
        vec![
            by_lead("reliable", (Mark::Dashed, GREY), leads, |_| 1.0),
            by_lead("forecast", (Mark::Line, BLUE), leads, |lead| {
                lead.scores.spread_skill
            }),
        ],
    );
    chart.from_zero = true;
    chart
}

/// The forecasts without a model that are drawn, with their colours.
const BASELINES: [(&str, &str); 3] = [
    ("climatology", GREY),
    ("persistence", GOLD),
    ("same_hour", RED),
];

fn crps(leads: &[Lead]) -> Chart {
    let is_there = |name: &str| leads.iter().all(|lead| lead.baselines.contains_key(name));
    let others = BASELINES.iter().filter(|(name, _)| is_there(name));
    let others = others.map(|(name, colour)| {
        let crps = |lead: &Lead| {
            lead.baselines
                .get(*name)
                .map_or(f64::NAN, |b| b.scores.crps)
        };
        by_lead(&name.replace('_', " "), (Mark::Dashed, colour), leads, crps)
    });
    let forecast = by_lead("forecast", (Mark::Line, BLUE), leads, |lead| {
        lead.scores.crps
    });
    let series: Vec<Series> = std::iter::once(forecast).chain(others).collect();
    let hint = match series.len() {
        1 => "lower is better",
        _ => "below the forecasts that need no model",
    };
    chart(
        "CRPS by lead time",
        hint,
        [&head(leads), "in the units of the scores"],
        series,
    )
}

fn reliability(event: &EventReport) -> Chart {
    let points = event
        .reliability
        .iter()
        .map(|bin| (bin.forecast, bin.observed));
    chart(
        &format!("Reliability: above {}", event.event.threshold),
        "on the line: what is called 30 % happens in 30 of 100",
        ["forecast probability", "observed frequency"],
        vec![
            series("reliable", Mark::Dashed, GREY, vec![(0.0, 0.0), (1.0, 1.0)]),
            series("forecast", Mark::Dots, BLUE, points.collect()),
        ],
    )
}

fn spectrum(spectrum: &Spectrum) -> Chart {
    let curve = |name: &str, mark, colour, values: &[f64]| {
        let points = values.iter().enumerate().skip(1);
        series(
            name,
            mark,
            colour,
            points.map(|(k, v)| (k as f64, *v)).collect(),
        )
    };
    let mut chart = chart(
        &format!("Spectrum of channel {}", spectrum.channel),
        "members should have the power of the truth, the mean less",
        ["wavenumber", "power"],
        vec![
            curve("truth", Mark::Line, RED, &spectrum.truth),
            curve("members", Mark::Line, BLUE, &spectrum.members),
            curve("ensemble mean", Mark::Dashed, GOLD, &spectrum.ensemble_mean),
        ],
    );
    chart.logarithmic = [true; 2];
    chart
}

fn quantiles(report: &Report) -> Chart {
    let points = report.quantile_scores.iter().map(|q| (q.level, q.score));
    chart(
        "Quantile score",
        "lower is better, at each level",
        ["level", "score"],
        vec![series("score", Mark::Dots, BLUE, points.collect())],
    )
}
