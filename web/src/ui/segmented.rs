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
    options: Vec<(String, String)>,
    /// The value that is chosen.
    #[prop(into)]
    chosen: Signal<String>,
    /// Called with the new value.
    on_choose: impl Fn(String) + Copy + 'static,
) -> impl IntoView {
    let option = move |(value, words): (String, String)| {
        let (this, picked) = (value.clone(), value.clone());
        view! {
            <label>
                <input type="radio" name=name value=value.clone() data-testid=format!("{name}-{value}")
                    prop:checked=move || chosen.with(|chosen| *chosen == this) on:change=move |_| on_choose(picked.clone())/>
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
