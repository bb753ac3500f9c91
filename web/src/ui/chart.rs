//! A fan chart: members, bands, median and truth along a line.

use leptos::prelude::*;
use web_sys::PointerEvent;

use super::frame::{Frame, Tick};
use super::pointer;

/// Everything a chart draws, as paths in a square that the page stretches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// What the network saw.
    pub history: String,
    /// What really happened.
    pub truth: String,
    /// All members in one path.
    pub members: String,
    /// The central 95 %.
    pub outer: String,
    /// The central 50 %.
    pub inner: String,
    /// The median.
    pub median: String,
    /// The probe, as a share of the width.
    pub cursor: f64,
    /// Where the forecast begins, as a share of the width.
    pub begin: Option<f64>,
    /// Ticks of the value axis.
    pub y_ticks: Vec<Tick>,
}

/// A fan chart with its heading.
#[component]
pub fn Chart(
    /// Name for tests.
    name: &'static str,
    /// Heading.
    #[prop(into)]
    title: Signal<String>,
    /// Name of the horizontal axis.
    x_name: &'static str,
    /// Ticks of the horizontal axis.
    #[prop(into)]
    x_ticks: Signal<Vec<Tick>>,
    /// What to draw; `None` before the truth is there.
    #[prop(into)]
    drawing: Signal<Option<Drawing>>,
    /// Called with the clicked place as a share of the width.
    on_point: impl Fn(f64) + Copy + Send + 'static,
) -> impl IntoView {
    let part =
        move |pick: fn(Drawing) -> String| move || drawing.get().map(pick).unwrap_or_default();
    let y_ticks = Signal::derive(move || drawing.get().map(|d| d.y_ticks).unwrap_or_default());
    let cursor = move || drawing.get().map(|d| format!("{:.3}%", 100.0 * d.cursor));
    let begin = move || drawing.get().and_then(|d| d.begin);
    let has_members = move || drawing.with(|d| d.as_ref().is_some_and(|d| !d.members.is_empty()));
    let point = move |event: &PointerEvent| {
        if let Some(place) = pointer::pressed(event) {
            on_point(place.across);
        }
    };
    view! {
        <section class="card chart" data-testid=name data-members=move || has_members().to_string()>
            <header><h2>{title}</h2></header>
            <Frame x_name x_ticks y_name="u" y_ticks>
                <div class="plot"
                    on:pointerdown=move |event| point(&event)
                    on:pointermove=move |event| point(&event)
                >
                    <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label=title>
                        <line class="zero" x1="0" x2="1000" y1="500" y2="500"/>
                        <path class="outer" data-testid="fan-outer" d=part(|d| d.outer)/>
                        <path class="inner" d=part(|d| d.inner)/>
                        <path class="members" data-testid="fan-members" d=part(|d| d.members)/>
                        <path class="median" d=part(|d| d.median)/>
                        <path class="history" d=part(|d| d.history)/>
                        <path class="truth" data-testid="fan-truth" d=part(|d| d.truth)/>
                    </svg>
                    <Show when=move || begin().is_some()>
                        <span class="begin" style:left=move || begin().map(|at| format!("{:.2}%", 100.0 * at))>
                            <em>"seen"</em><em>"forecast"</em>
                        </span>
                    </Show>
                    <i class="cross down" style:left=cursor></i>
                </div>
            </Frame>
            <ul class="legend" aria-hidden="true">
                <li class="truth">"truth"</li>
                <li class="median">"median"</li>
                <li class="inner">"50 %"</li>
                <li class="outer">"95 %"</li>
                <li class="members">"members"</li>
            </ul>
        </section>
    }
}
