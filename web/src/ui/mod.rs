//! The interface on the main thread: it draws and asks, and never computes a forecast.
//!
//! One component per file. [`page::Page`] holds what they share; [`link`] talks with the worker. [`forecast`] shows a
//! model beside the truth; [`darcy`] and [`sswe`] show a truth that is solved live.

mod about;
mod address_bar;
mod app;
mod chart;
mod colour_bar;
mod controls;
mod darcy;
mod downloads;
mod facts;
mod field;
mod forecast;
mod frame;
mod header;
mod link;
mod member_picker;
mod model_card;
mod page;
mod plot;
mod pointer;
mod probe;
mod problem;
mod scores;
mod segmented;
mod select;
mod sswe;
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
