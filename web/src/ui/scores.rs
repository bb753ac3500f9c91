//! The score line: how good an ensemble is, and what it cost.

use leptos::prelude::*;
use pno::score::{ESTIMATORS, Scores};

use super::page::Page;
use super::shown::side_words;
use crate::scale::short;
use crate::settings::Settings;
use crate::views::View;

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

/// The line of every side.
#[component]
pub fn ScoreLines() -> impl IntoView {
    let page = expect_context::<Page>();
    let compares = Memo::new(move |_| page.settings.with(Settings::compares));
    view! {
        <ScoreLine side=0/>
        <Show when=move || compares.get()><ScoreLine side=1/></Show>
    }
}

/// Scores of this case beside those of the test set, then members, time and device.
#[component]
fn ScoreLine(side: usize) -> impl IntoView {
    let page = expect_context::<Page>();
    let ensemble = page.sides[side];
    let progress = Memo::new(move |_| ensemble.with(|e| e.as_ref().map(|e| e.progress)));
    let frame = Memo::new(move |_| page.probe.get().map_or(0, |probe| probe.frame));
    let scores = Memo::new(move |_| ensemble.with(|e| e.as_ref()?.frame(frame.get())?.scores));
    let drawn = Memo::new(move |_| {
        ensemble.with(|e| {
            e.as_ref()
                .and_then(|e| e.frame(frame.get()))
                .map(|frame| frame.count)
        })
    });
    let tested =
        Memo::new(move |_| page.models[side].with(|m| m.as_ref().and_then(|m| m.header.scores)));
    let mark = if side == 0 { "" } else { "b-" };
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
                <dd data-testid=format!("score-{mark}{}", row.key)>{value}</dd>
                <dd class="aside">{test}</dd>
            </div>
        }
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let count = move || or_dash(drawn.get().map(|count| count.to_string()));
    let wanted = move || progress.get().map(|p| format!("of {}", p.wanted));
    let cost = move || or_dash(progress.get().map(|p| short(p.ms_per_member)));
    let rate = move || {
        progress
            .get()
            .map(|p| format!("ms, {} / s", short(1000.0 / p.ms_per_member.max(1e-3))))
    };
    let device = move || {
        page.device
            .with(|d| d.as_ref().map_or("–", |d| d.kind.label()))
    };
    let solver = move || or_dash(page.solver.get().map(|solver| short(solver.milliseconds())));
    let name = move || side_words(page, side, View::Mean);
    view! {
        <dl class="scores card" data-testid=format!("scores{}", if side == 0 { "" } else { "-b" }) aria-label="Scores of this case">
            {ROWS.iter().map(score).collect_view()}
            <div><dt>{move || name().unwrap_or_else(|| "Members".to_owned())}</dt>
                <dd data-testid=format!("score-{mark}members")>{count}</dd><dd class="aside">{wanted}</dd></div>
            <div title="Mean over the members after the first pass">
                <dt>"Per member"</dt><dd data-testid=format!("score-{mark}ms")>{cost}</dd><dd class="aside">{rate}</dd>
            </div>
            <div title="Time of the numerical solver for the truth">
                <dt>"Solver"</dt><dd data-testid=format!("score-{mark}solver")>{solver}</dd><dd class="aside">"ms for the truth"</dd>
            </div>
            <div><dt>"Device"</dt><dd data-testid=format!("score-{mark}device")>{device}</dd><dd class="aside">"this machine"</dd></div>
        </dl>
    }
}
