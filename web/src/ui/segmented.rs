//! A choice between a few things that are all in sight.

use leptos::prelude::*;

/// Radio buttons that look like one bar.
#[component]
pub fn Segmented(
    /// What is chosen.
    legend: &'static str,
    /// Name for the browser and for tests.
    name: &'static str,
    /// Values and words.
    options: Vec<(&'static str, &'static str)>,
    /// The value that is chosen.
    #[prop(into)]
    chosen: Signal<&'static str>,
    /// Called with the new value.
    on_choose: impl Fn(&'static str) + Copy + 'static,
) -> impl IntoView {
    let option = move |(value, words): (&'static str, &'static str)| {
        view! {
            <label>
                <input type="radio" name=name value=value data-testid=format!("{name}-{value}")
                    prop:checked=move || chosen.get() == value on:change=move |_| on_choose(value)/>
                <span>{words}</span>
            </label>
        }
    };
    view! {
        <fieldset class="segmented">
            <legend>{legend}</legend>
            <div>{options.into_iter().map(option).collect_view()}</div>
        </fieldset>
    }
}
