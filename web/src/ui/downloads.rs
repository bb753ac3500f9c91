//! What is on the screen, as NumPy files.

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use pno::pde::ks::{CELLS, WINDOW};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

use super::page::Page;
use crate::data::Case;
use crate::npy;

/// Buttons that save the input, the truth and the members.
#[component]
pub fn Downloads() -> impl IntoView {
    let page = expect_context::<Page>();
    let no_case = move || page.case.with(Option::is_none);
    let no_members = move || page.ensemble.with(Option::is_none);
    let name = move |what: &str| {
        page.settings
            .with_untracked(|s| format!("{}-seed{}-{what}.npy", s.experiment, s.seed))
    };
    let save_case = move |what: &'static str, pick: fn(&Case) -> &[f32]| {
        move |_| {
            if let Some(case) = page.case.get_untracked() {
                save(&name(what), &npy::encode(pick(&case), &[WINDOW, CELLS]));
            }
        }
    };
    let save_members = move |_| {
        page.ensemble.with_untracked(|ensemble| {
            if let Some(ensemble) = ensemble {
                let shape = [ensemble.count(), WINDOW, CELLS];
                let method = page.settings.with_untracked(|s| s.method);
                save(
                    &name(method.name()),
                    &npy::encode(&ensemble.members, &shape),
                );
            }
        });
    };
    view! {
        <div class="downloads">
            <span>"Save as NumPy files:"</span>
            <button type="button" data-testid="download-input" disabled=no_case
                on:click=save_case("input", |case| &case.input)>"input"</button>
            <button type="button" data-testid="download-truth" disabled=no_case
                on:click=save_case("truth", |case| &case.truth)>"truth"</button>
            <button type="button" data-testid="download-members" disabled=no_members on:click=save_members>"members"</button>
        </div>
    }
}

/// Hands bytes to the browser as a file.
pub fn save(name: &str, bytes: &[u8]) {
    if let Err(error) = try_save(name, bytes) {
        log::error!("{name} could not be saved: {error:?}");
    }
}

fn try_save(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes)))?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let anchor: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    // The browser takes the bytes after this event.
    set_timeout(
        move || {
            let _ = Url::revoke_object_url(&address);
        },
        std::time::Duration::from_secs(10),
    );
    Ok(())
}
