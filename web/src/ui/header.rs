//! Name, one sentence, and the choice of colours.

use leptos::prelude::*;

use super::page::Page;
use super::select::{Select, choices};
use crate::settings::Theme;

/// The head of the page.
#[component]
pub fn Header() -> impl IntoView {
    let page = expect_context::<Page>();
    let themes = choices(&[("auto", "Auto"), ("light", "Light"), ("dark", "Dark")]);
    let theme = Signal::derive(move || page.settings.with(|s| s.theme.name().to_owned()));
    let choose = move |name: String| {
        if let Some(theme) = Theme::from_name(&name) {
            page.settings.update(|s| s.theme = theme);
        }
    };
    let members = move || page.settings.with(|s| s.members);
    view! {
        <header class="head">
            <div class="brand">
                <svg viewBox="0 0 32 32" aria-hidden="true" class="logo">
                    <path class="fan-outer" d="M2 16 16 5 30 7V27L16 24Z"/>
                    <path class="fan-inner" d="M2 16 16 11 30 13V21L16 19Z"/>
                    <path class="fan-line" d="M2 16 16 15 30 17"/>
                </svg>
                <h1>"Probabilistic neural operators, live"</h1>
            </div>
            <label class="theme">
                <span class="visually-hidden">"Colours"</span>
                <Select id="theme" options=Signal::stored(themes) chosen=theme on_choose=choose/>
            </label>
            <p class="lead">
                "A chaotic wave is solved here, in your browser. A small network sees its first half and is asked for the second; because it is "
                <em>"probabilistic"</em>
                ", it gives not one answer but " {members} ". Click any panel to see them all at that point."
            </p>
        </header>
    }
}
