//! What is on the screen, as NumPy files; a link to it; and files of one's own.

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

use super::clipboard;
use super::drop::OpenFile;
use super::page::Page;
use crate::ensemble::Case;
use crate::field::{Order, Scene, Shape};
use crate::npy;

/// Sizes of an array of frames as the trainer has them: without axes of one.
fn sizes(scene: &Scene, shape: &Shape) -> Vec<usize> {
    let mut sizes = vec![];
    if shape.frames > 1 {
        sizes.push(shape.frames);
    }
    match scene.shape.order {
        Order::Columns => sizes.extend([shape.columns, shape.rows]),
        _ if shape.rows == 1 => sizes.push(shape.columns),
        _ => sizes.extend([shape.rows, shape.columns]),
    }
    if shape.channels > 1 {
        sizes.push(shape.channels);
    }
    sizes
}

/// Buttons that save the input, the truth and the members.
#[component]
pub fn Downloads() -> impl IntoView {
    let page = expect_context::<Page>();
    let no_input = move || {
        page.case
            .with(|case| case.as_ref().is_none_or(|case| case.input.is_none()))
    };
    let no_truth = move || {
        page.case
            .with(|case| case.as_ref().is_none_or(|case| case.truth.is_empty()))
    };
    let no_members = move |side: usize| move || page.sides[side].with(Option::is_none);
    let name = move |what: &str| {
        page.settings
            .with_untracked(|s| format!("{}-seed{}-{what}.npy", s.experiment, s.seed))
    };
    let save_input = move |_| {
        page.case.with_untracked(|case| {
            let Some(Case {
                scene,
                input: Some(input),
                ..
            }) = case.as_ref()
            else {
                return;
            };
            save(
                &name("input"),
                &npy::encode(input, &sizes(scene, &scene.input_shape())),
            );
        });
    };
    let save_truth = move |_| {
        page.case.with_untracked(|case| {
            if let Some(case) = case {
                let shape = Shape {
                    frames: case.truth.len(),
                    ..case.scene.shape
                };
                save(
                    &name("truth"),
                    &npy::encode(&case.truth.concat(), &sizes(&case.scene, &shape)),
                );
            }
        });
    };
    let save_members = move |side: usize| {
        move |_| {
            let method = page.models[side]
                .with_untracked(|m| m.as_ref().map(|m| m.header.spec.method.name()));
            let bytes = members(page, side);
            if let Some(bytes) = bytes {
                save(&name(method.unwrap_or("members")), &bytes);
            }
        }
    };
    let compares = move || page.settings.with(crate::settings::Settings::compares);
    view! {
        <div class="downloads">
            <span>"Save as NumPy files:"</span>
            <button type="button" data-testid="download-input" disabled=no_input on:click=save_input>"input"</button>
            <button type="button" data-testid="download-truth" disabled=no_truth on:click=save_truth>"truth"</button>
            <button type="button" data-testid="download-members" disabled=no_members(0) on:click=save_members(0)>"members"</button>
            <Show when=compares>
                <button type="button" data-testid="download-members-b" disabled=no_members(1) on:click=save_members(1)>"members of B"</button>
            </Show>
            <CopyLink/>
            <OpenFile/>
        </div>
    }
}

/// All members of a side, `[member, frame, point, channel]`.
fn members(page: Page, side: usize) -> Option<Vec<u8>> {
    let scene = page.scene.get_untracked()?;
    page.sides[side].with_untracked(|ensemble| {
        let frames = &ensemble.as_ref()?.frames;
        let count = frames.iter().map(|frame| frame.count).min()?;
        let mut values = vec![];
        for member in 0..count {
            for frame in frames {
                values.extend_from_slice(frame.member(member)?);
            }
        }
        let shape = Shape {
            frames: frames.len(),
            ..scene.shape
        };
        let sizes = [vec![count], sizes(&scene, &shape)].concat();
        Some(npy::encode(&values, &sizes))
    })
}

/// Puts the address of the page, which holds every setting, into the clipboard.
#[component]
fn CopyLink() -> impl IntoView {
    let page = expect_context::<Page>();
    let outcome = RwSignal::new(None);
    let copy = move |_| {
        let query = page.settings.with_untracked(crate::address::write);
        let location = window().location();
        let base = location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default();
        leptos::task::spawn_local(async move {
            outcome.set(Some(clipboard::copy(&format!("{base}?{query}")).await));
            set_timeout(move || outcome.set(None), std::time::Duration::from_secs(2));
        });
    };
    let words = move || match outcome.get() {
        None => "Copy link",
        Some(true) => "Copied",
        // The browser shows it all the time.
        Some(false) => "It is the page's address",
    };
    view! {
        <button type="button" data-testid="copy-link" on:click=copy>
            {words}
        </button>
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
