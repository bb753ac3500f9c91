//! Whether anybody looks: work rests while the pictures are out of sight or the tab is hidden.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::link;
use super::page::Page;

/// What is about to come into sight counts as seen.
const MARGIN: &str = "400px";

/// Follows the visibility of the tab and of elements: one of them in sight is enough. Who `rests` counts as out of sight.
pub fn follow<const N: usize>(page: Page, elements: [NodeRef<html::Div>; N], rests: Signal<bool>) {
    let tab = RwSignal::new(document().hidden());
    let seen = elements.map(watch);
    let listener =
        window_event_listener_untyped("visibilitychange", move |_| tab.set(document().hidden()));
    on_cleanup(move || listener.remove());
    Effect::new(move |_| {
        // All are read, so that each is heard of.
        let seen = seen.map(|seen| seen.get());
        let (tab, rests) = (tab.get(), rests.get());
        let hidden = tab || rests || !seen.contains(&true);
        if page.hidden.get_untracked() != hidden {
            page.hidden.set(hidden);
            link::pause(hidden);
        }
    });
}

/// Whether an element is in sight.
fn watch(element: NodeRef<html::Div>) -> RwSignal<bool> {
    let seen = RwSignal::new(true);
    Effect::new(move |_| {
        let Some(element) = element.get() else {
            return;
        };
        let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            let last = entries
                .iter()
                .last()
                .and_then(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok());
            if let Some(entry) = last {
                seen.set(entry.is_intersecting());
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin(MARGIN);
        let observer =
            IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options);
        match observer {
            Ok(observer) => {
                observer.observe(&element);
                // It looks on as long as the page lives.
                callback.forget();
            }
            Err(error) => log::warn!("nobody tells whether the pictures are in sight: {error:?}"),
        }
    });
    seen
}
