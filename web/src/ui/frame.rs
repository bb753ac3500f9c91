//! Axes around a plot: ticks and names in HTML, so that they keep their size however the plot is stretched.

use leptos::prelude::*;

pub use crate::field::Tick;

/// Ticks beyond this share of an axis would stand under its name.
const ROOM: f64 = 0.9;

/// A plot with its axes.
#[component]
pub fn Frame(
    /// Name of the horizontal axis.
    #[prop(into)]
    x_name: Signal<String>,
    /// Ticks of the horizontal axis, from left to right.
    #[prop(into)]
    x_ticks: Signal<Vec<Tick>>,
    /// Name of the vertical axis.
    #[prop(into)]
    y_name: Signal<String>,
    /// Ticks of the vertical axis, from below.
    #[prop(into)]
    y_ticks: Signal<Vec<Tick>>,
    /// The plot.
    children: Children,
) -> impl IntoView {
    let across = move || {
        // The name stands at the right end.
        let named = x_name.with(|name| !name.is_empty());
        x_ticks.get().into_iter().filter(move |(at, _)| !named || *at < ROOM)
            .map(|(at, words)| view! { <span style:left=format!("{:.2}%", 100.0 * at)>{words}</span> })
            .collect_view()
    };
    let upwards = move || {
        y_ticks.get().into_iter()
            .map(|(at, words)| view! { <span style:bottom=format!("{:.2}%", 100.0 * at)>{words}</span> })
            .collect_view()
    };
    view! {
        <div class="frame">
            <div class="axis-y" aria-hidden="true"><b>{y_name}</b>{upwards}</div>
            <div class="inside">{children()}</div>
            <div class="axis-x" aria-hidden="true">{across}<b>{x_name}</b></div>
        </div>
    }
}
