//! The interface on the main thread: it draws and asks, and never computes a forecast.
//!
//! One component per file. [`page::Page`] holds what they share; [`link`] talks with the worker.

mod about;
mod address_bar;
mod app;
mod chart;
mod colour_bar;
mod controls;
mod downloads;
mod field;
mod frame;
mod header;
mod link;
mod member_picker;
mod model_card;
mod page;
mod pointer;
mod probe;
mod problem;
mod scores;
mod select;
mod status;

use leptos::mount::mount_to;
use wasm_bindgen::JsCast;

/// Replaces the shell of `index.html` by the interface.
pub fn mount() {
    let document = leptos::prelude::document();
    let shell = document
        .get_element_by_id("app")
        .and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
        .expect("index.html has an element `app`");
    shell.set_inner_html("");
    mount_to(shell, app::App).forget();
}
