//! Coastlines above a map.

use leptos::prelude::*;

use crate::coast::{Window, path};

/// Coastlines of a window; lies over the picture that fills the same box.
#[component]
pub fn Coastlines(
    /// The part of the Earth that the picture shows; none for planets without coasts.
    #[prop(into)]
    window: Signal<Option<Window>>,
) -> impl IntoView {
    let window = Memo::new(move |_| window.get());
    let line = move || window.get().map(path).unwrap_or_default();
    // Two strokes of one path: a light one under a dark one is seen on any colour.
    view! {
        <svg class="coasts" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
            <path class="under" d=line/>
            <path class="over" d=line/>
        </svg>
    }
}
