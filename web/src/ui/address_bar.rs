//! Keeps the address equal to the settings, the browser's history to the places a visitor was at, and the page's colours to
//! the theme.

use std::sync::Arc;
use std::time::Duration;

use js_sys::{Array, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Event;

use super::page::{Dropped, Page};
use crate::address;
use crate::npy;
use crate::settings::Settings;
use crate::trail::{Entry, Files, Trail, Write};

/// Browsers allow only so many changes of the address per second: a dragged probe waits this long.
const SETTLE: Duration = Duration::from_millis(120);

/// The last files of the visitor's own: Back may close one, and Forward opens it again.
#[derive(Clone, Default)]
struct Kept {
    model: Option<Dropped<String>>,
    input: Option<Dropped<Arc<npy::Array>>>,
}

/// Writes every change into the address, makes entries in the history, and goes where Back and Forward lead.
pub fn follow(page: Page) {
    let start = page.settings.with_untracked(|s| Entry::of(s, [None; 2]));
    let trail = StoredValue::new(Trail::new(start, !is_framed()));
    let kept = StoredValue::new(Kept::default());
    let pending = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(handle) = pending.try_update_value(Option::take).flatten() {
            handle.clear();
        }
    };
    Effect::new(move |before: Option<()>| {
        let files = files(page, kept);
        let entry = page.settings.with(|s| Entry::of(s, files));
        let own = page.corrected.try_update_value(std::mem::take);
        if before.is_none() {
            // What came from the address needs not be written into it.
            return;
        }
        let change = |trail: &mut Trail| trail.change(entry, own == Some(true));
        write(trail.try_update_value(change).flatten());
        stop();
        let settle = move || write(trail.try_update_value(Trail::settle).flatten());
        pending.set_value(set_timeout_with_handle(settle, SETTLE).ok());
    });
    let listener = window_event_listener_untyped("popstate", move |event| {
        stop();
        let (settings, problems) = address::read(&window().location().search().unwrap_or_default());
        let files = files_of(&event);
        travel(page, trail, kept.get_value(), settings, files);
        page.problems.set(problems);
    });
    on_cleanup(move || listener.remove());
}

/// Puts the page into the state of an entry of the history.
fn travel(
    page: Page,
    trail: StoredValue<Trail>,
    kept: Kept,
    settings: Settings,
    [model, input]: Files,
) {
    // After a reload they are gone.
    let model = kept.model.filter(|file| Some(file.number) == model);
    let input = kept.input.filter(|file| Some(file.number) == input);
    let files = [
        model.as_ref().map(|file| file.number),
        input.as_ref().map(|file| file.number),
    ];
    let to = Entry::of(&settings, files);
    trail.update_value(|trail| trail.travelled(to));
    if page.dropped.with_untracked(|now| *now != model) {
        page.dropped.set(model);
    }
    if page.given.with_untracked(|now| *now != input) {
        page.given.set(input);
    }
    if page.settings.with_untracked(|now| *now != settings) {
        page.settings.set(settings);
    }
    page.travels.update(|travels| *travels += 1);
}

/// Whether this page is inside another one, whose history is not ours to fill.
fn is_framed() -> bool {
    let around = window().parent().ok().flatten();
    around.is_none_or(|around| JsValue::from(around) != JsValue::from(window()))
}

/// The files that are open, which are kept for the way back.
fn files(page: Page, kept: StoredValue<Kept>) -> Files {
    let (model, input) = (page.dropped.get(), page.given.get());
    let numbers = [
        model.as_ref().map(|file| file.number),
        input.as_ref().map(|file| file.number),
    ];
    kept.update_value(|kept| {
        if model.is_some() {
            kept.model = model;
        }
        if input.is_some() {
            kept.input = input;
        }
    });
    numbers
}

/// What an entry says about files.
fn files_of(event: &Event) -> Files {
    let state = Reflect::get(event, &"state".into()).unwrap_or_default();
    let number = |index| Some(state.dyn_ref::<Array>()?.get(index).as_f64()? as u32);
    [number(0), number(1)]
}

fn write(what: Option<Write>) {
    let Some(what) = what else {
        return;
    };
    let state = |files: Files| {
        let number = |file: Option<u32>| file.map_or(JsValue::NULL, JsValue::from);
        files.into_iter().map(number).collect::<Array>()
    };
    let written = window().history().and_then(|history| match &what {
        Write::Push(entry) => {
            let address = format!("?{}", entry.query);
            history.push_state_with_url(&state(entry.files), "", Some(&address))
        }
        Write::Replace(entry) => {
            let address = format!("?{}", entry.query);
            history.replace_state_with_url(&state(entry.files), "", Some(&address))
        }
    });
    if let Err(error) = written {
        log::warn!("the address could not be changed: {error:?}");
    }
}

/// Tells the style sheet which theme is chosen.
pub fn follow_theme(page: Page) {
    let theme = Memo::new(move |_| page.settings.with(|s| s.theme));
    Effect::new(move |_| {
        if let Some(root) = document().document_element() {
            // Only an invalid attribute name could fail.
            let _ = root.set_attribute("data-theme", theme.get().name());
        }
    });
}
