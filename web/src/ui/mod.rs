//! The interface on the main thread: it draws and asks, and never computes a forecast.
//!
//! One component per file. [`page::Page`] holds what they share; [`runs`] says when the worker is asked for what, and
//! [`link`] talks with it. [`explorer`] puts everything together.

mod about;
mod address_bar;
mod app;
mod ball;
mod cases;
mod clipboard;
pub mod coast;
mod colour_bar;
mod consent;
mod controls;
mod derived;
mod downloads;
mod drop;
mod embed;
pub mod experiments;
mod explorer;
mod facts;
mod fault;
pub mod figure;
mod files;
mod frame;
pub mod globe;
mod hand;
mod header;
mod hub;
mod knobs;
mod link;
mod member_picker;
mod model_card;
mod numbers;
mod page;
mod panel;
mod player;
mod plot;
pub mod point;
mod pointer;
mod problem;
mod runs;
mod save;
mod scores;
mod segmented;
mod select;
mod shown;
mod sight;
mod slices;
mod solver_facts;
mod start_line;
mod status;
mod today;
mod tools;
mod touch;
mod verification;
pub mod verify;
mod view_bar;

pub use fault::tell as tell_fault;

use leptos::mount::mount_to;
use wasm_bindgen::JsCast;

use crate::build::BUILD;

/// Replaces the shell of `index.html` by the interface.
pub fn mount() {
    let document = leptos::prelude::document();
    let shell = document
        .get_element_by_id("app")
        .and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok())
        .expect("index.html has an element `app`");
    fault::watch();
    if embed::redirect() {
        return;
    }
    shell.set_inner_html("");
    if let Some(root) = document.document_element() {
        // Which build it is, for those who report something. Only an invalid attribute name could fail.
        let _ = root.set_attribute("data-build", BUILD);
    }
    mount_to(shell, app::App).forget();
}
