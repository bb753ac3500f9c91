//! The score line: how good this ensemble is, and what it cost.

use leptos::prelude::*;
use pno::score::{ESTIMATORS, Scores};

use super::page::Page;
use crate::scale::short;

/// One score: key, label, unit hint, and how to read it out of a set.
struct Row {
    key: &'static str,
    label: &'static str,
    hint: &'static str,
    of: fn(&Scores) -> f64,
}

const ROWS: [Row; 4] = [
    Row {
        key: "energy_score",
        label: "Energy score",
        hint: "Distance of the whole ensemble from the truth; lower is better",
        of: |s| s.energy_score,
    },
    Row {
        key: "crps",
        label: "CRPS",
        hint: "The same, point by point; lower is better",
        of: |s| s.crps,
    },
    Row {
        key: "coverage",
        label: "Coverage",
        hint: "Share of points where the 95 % interval holds the truth; 0.93 is perfect for 100 members",
        of: |s| s.coverage,
    },
    Row {
        key: "interval_width",
        label: "Width",
        hint: "Mean width of that interval; smaller is better at the right coverage",
        of: |s| s.interval_width,
    },
];

fn estimator(key: &str) -> &'static str {
    ESTIMATORS
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("", |(_, words)| words)
}

fn three(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.3}")
    } else {
        "–".to_owned()
    }
}

/// Scores of this case beside those of the test set, then members, time and device.
#[component]
pub fn ScoreLine() -> impl IntoView {
    let page = expect_context::<Page>();
    let progress = Memo::new(move |_| page.ensemble.with(|e| e.as_ref().map(|e| e.progress)));
    let scores = Memo::new(move |_| page.ensemble.with(|e| e.as_ref().map(|e| e.scores)));
    let tested = Memo::new(move |_| {
        page.model
            .with(|m| m.as_ref().and_then(|m| m.header.scores))
    });
    let score = move |row: &'static Row| {
        let value = move || {
            scores
                .get()
                .map_or_else(|| "–".to_owned(), |scores| three((row.of)(&scores)))
        };
        let test = move || {
            tested
                .get()
                .map(|scores| format!("test {}", three((row.of)(&scores))))
        };
        view! {
            <div title=format!("{} ({})", row.hint, estimator(row.key))>
                <dt>{row.label}</dt>
                <dd data-testid=format!("score-{}", row.key)>{value}</dd>
                <dd class="aside">{test}</dd>
            </div>
        }
    };
    let drawn = move || {
        progress
            .get()
            .map_or_else(|| "–".to_owned(), |p| p.drawn.to_string())
    };
    let wanted = move || progress.get().map(|p| format!("of {}", p.wanted));
    let cost = move || {
        progress
            .get()
            .map_or_else(|| "–".to_owned(), |p| short(p.ms_per_member))
    };
    let device = move || {
        page.device
            .with(|d| d.as_ref().map_or("–", |d| d.kind.label()))
    };
    view! {
        <dl class="scores card" data-testid="scores" aria-label="Scores of this case">
            {ROWS.iter().map(score).collect_view()}
            <div><dt>"Members"</dt><dd data-testid="score-members">{drawn}</dd><dd class="aside">{wanted}</dd></div>
            <div title="Mean over the members after the first pass">
                <dt>"Per member"</dt><dd data-testid="score-ms">{cost}</dd><dd class="aside">"ms"</dd>
            </div>
            <div><dt>"Device"</dt><dd data-testid="score-device">{device}</dd><dd class="aside">"this machine"</dd></div>
        </dl>
    }
}
