//! Files of the visitor's own: a model, or an input. They stay on this machine.

use std::sync::Arc;

use js_sys::Uint8Array;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DragEvent, File, FileList, Url};

use super::page::{Dropped, Page};
use crate::npy;

/// Largest file that is read here; the worker has its own limit for models.
const MOST_BYTES: f64 = 256e6;

/// Takes files that are dropped anywhere on the page.
pub fn follow(page: Page, over: RwSignal<bool>) {
    let on = |name: &'static str, work: fn(Page, RwSignal<bool>, &DragEvent)| {
        let listener = window_event_listener_untyped(name, move |event| {
            if let Some(event) = event.dyn_ref::<DragEvent>() {
                event.prevent_default();
                work(page, over, event);
            }
        });
        on_cleanup(move || listener.remove());
    };
    on("dragover", |_, over, _| over.set(true));
    on("dragleave", |_, over, event| {
        // Leaving an element for another inside the page is no leaving.
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    on("drop", |page, over, event| {
        over.set(false);
        if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
            take(page, &files);
        }
    });
}

/// A button that opens a file, for those who do not drag.
#[component]
pub fn OpenFile() -> impl IntoView {
    let page = expect_context::<Page>();
    let input = NodeRef::<html::Input>::new();
    let chosen = move |_| {
        if let Some(input) = input.get_untracked() {
            if let Some(files) = input.files() {
                take(page, &files);
            }
            input.set_value("");
        }
    };
    let press = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let given = move || {
        page.given
            .with(|given| given.as_ref().map(|given| given.name.clone()))
    };
    view! {
        <button type="button" data-testid="open-file" on:click=press
            title="A model (.pno) or an input (.npy); nothing leaves your machine">"Open your own file …"</button>
        <input type="file" class="visually-hidden" tabindex="-1" aria-label="Your own file" accept=".pno,.npy" data-testid="file"
            node_ref=input on:change=chosen/>
        <Show when=move || given().is_some()>
            <button type="button" data-testid="forget-input" on:click=move |_| page.given.set(None)>
                "Forget "{given}
            </button>
        </Show>
    }
}

fn take(page: Page, files: &FileList) {
    page.problems.set(vec![]);
    for index in 0..files.length() {
        if let Some(file) = files.get(index) {
            leptos::task::spawn_local(async move {
                if let Err(sentence) = read(page, file).await {
                    page.problems.update(|problems| problems.push(sentence));
                }
            });
        }
    }
}

async fn read(page: Page, file: File) -> Result<(), String> {
    let name: String = file.name().chars().take(120).collect();
    if file.size() > MOST_BYTES {
        return Err(format!(
            "The file {name} has {:.0} MB, and this page reads {:.0} at most.",
            file.size() / 1e6,
            MOST_BYTES / 1e6
        ));
    }
    let ending = |wanted: &str| {
        let found = std::path::Path::new(&name).extension();
        found.is_some_and(|found| found.eq_ignore_ascii_case(wanted))
    };
    if ending("pno") {
        let address = Url::create_object_url_with_blob(&file);
        let content = address.map_err(|_| format!("The file {name} could not be opened."))?;
        page.dropped.set(Some(Dropped::new(name, content)));
        return Ok(());
    }
    if !ending("npy") {
        return Err(format!(
            "The file {name} is neither a model (.pno) nor an input (.npy)."
        ));
    }
    let bytes = JsFuture::from(file.array_buffer()).await;
    let bytes = bytes.map_err(|_| format!("The file {name} could not be read."))?;
    let bytes = Uint8Array::new(&bytes).to_vec();
    let array =
        npy::decode(&bytes).map_err(|why| format!("The file {name} cannot be used: {why}."))?;
    page.given.set(Some(Dropped::new(name, Arc::new(array))));
    Ok(())
}
