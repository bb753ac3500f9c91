//! Numbers in a row: what they are, how large, and in which unit.

use leptos::prelude::*;

/// One number.
pub struct Fact {
    /// Name for tests.
    pub name: &'static str,
    /// What it is.
    pub label: &'static str,
    /// How to read it.
    pub hint: &'static str,
    /// The number.
    pub value: Signal<Option<String>>,
    /// Its unit, or a remark.
    pub aside: Signal<String>,
}

/// The row.
#[component]
pub fn Facts(
    /// What all of them are about.
    label: &'static str,
    /// The numbers.
    facts: Vec<Fact>,
) -> impl IntoView {
    let cell = |fact: Fact| {
        let value = move || fact.value.get().unwrap_or_else(|| "–".to_owned());
        view! {
            <div title=fact.hint>
                <dt>{fact.label}</dt>
                <dd data-testid=fact.name>{value}</dd>
                <dd class="aside">{fact.aside}</dd>
            </div>
        }
    };
    view! {
        <dl class="scores facts card" aria-label=label>{facts.into_iter().map(cell).collect_view()}</dl>
    }
}
