//! The whole page: head, and the experiment that is shown.

use leptos::prelude::*;
use pno::spec::Experiment;

use super::darcy::Darcy;
use super::forecast::Forecast;
use super::header::Header;
use super::page::Page;
use super::sswe::Sswe;
use super::{address_bar, link};
use crate::settings::Settings;

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let page = Page::new(&window().location().search().unwrap_or_default());
    provide_context(page);
    address_bar::follow(page);
    address_bar::follow_theme(page);
    window_event_listener_untyped("visibilitychange", move |_| {
        let hidden = document().hidden();
        page.hidden.set(hidden);
        link::pause(hidden);
    });
    let shown = Memo::new(move |_| page.settings.with(Settings::shown));
    view! {
        <Header/>
        {move || match shown.get() {
            Experiment::Darcy => view! { <Darcy/> }.into_any(),
            Experiment::Sswe => view! { <Sswe/> }.into_any(),
            _ => view! { <Forecast/> }.into_any(),
        }}
    }
}
