//! Axes around a plot: ticks and names in HTML, so that they keep their size however the plot is stretched.

use leptos::prelude::*;

/// A tick: its place as a share of the axis, and its words.
pub type Tick = (f64, String);

/// Ticks at `values` on an axis from `first` to `last`.
pub fn ticks(values: &[f64], first: f64, last: f64) -> Vec<Tick> {
    let place = |&value: &f64| ((value - first) / (last - first), crate::scale::short(value));
    values.iter().map(place).collect()
}

/// A plot with its axes.
#[component]
pub fn Frame(
    /// Name of the horizontal axis.
    x_name: &'static str,
    /// Ticks of the horizontal axis, from left to right.
    #[prop(into)]
    x_ticks: Signal<Vec<Tick>>,
    /// Name of the vertical axis.
    y_name: &'static str,
    /// Ticks of the vertical axis, from below.
    #[prop(into)]
    y_ticks: Signal<Vec<Tick>>,
    /// The plot.
    children: Children,
) -> impl IntoView {
    let across = move || {
        x_ticks.get().into_iter()
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
