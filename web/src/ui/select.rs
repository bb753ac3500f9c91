//! A menu whose choice follows a signal.

use leptos::prelude::*;

/// Value and words of an option.
pub type Choice = (String, String);

/// Options from names and words.
pub fn choices(pairs: &[(&str, &str)]) -> Vec<Choice> {
    let owned = |&(value, words): &(&str, &str)| (value.to_owned(), words.to_owned());
    pairs.iter().map(owned).collect()
}

/// A menu. The choice stands at each option, because a menu forgets its value when its options change.
#[component]
pub fn Select(
    /// Name for its label and for tests.
    id: &'static str,
    /// What can be chosen.
    #[prop(into)]
    options: Signal<Vec<Choice>>,
    /// What is chosen.
    #[prop(into)]
    chosen: Signal<String>,
    /// Called with the new value.
    on_choose: impl Fn(String) + 'static,
) -> impl IntoView {
    let option = move |(value, words): Choice| {
        let name = value.clone();
        let selected = move || chosen.with(|chosen| *chosen == name);
        view! { <option value=value prop:selected=selected>{words}</option> }
    };
    view! {
        <select id=id data-testid=id on:change=move |event| on_choose(event_target_value(&event))>
            {move || options.get().into_iter().map(option).collect_view()}
        </select>
    }
}
