//! What a visitor sees of a fault of the interface itself.
//!
//! A panic ends this program, and so does a trap: no signal, effect or component of it can be trusted any more. So the
//! panel is plain elements, made by the panic hook or a listener, and its buttons leave the page.

use std::cell::Cell;

use js_sys::{RangeError, Reflect, WebAssembly::RuntimeError};
use leptos::prelude::{document, window};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use crate::embed::{self, protocol::Event};
use crate::query;

/// Keys that belong to the figure and not to what it shows: default settings keep them.
const FRAME: [&str; 3] = ["embed", "start", "host"];

thread_local! {
    static TOLD: Cell<bool> = const { Cell::new(false) };
}

/// Shows the panel, once: what is broken may break again with every event.
pub fn tell(words: &str) {
    if TOLD.replace(true) {
        return;
    }
    if let Err(error) = show(words) {
        log::error!("the fault could not be shown: {error:?}");
    }
    tell_host(words);
}

/// Shows the panel also for what ends the program without a panic, such as a memory that is full: the browser tells the
/// window. Errors of other scripts are none of ours.
pub fn watch() {
    for (event, key) in [("error", "error"), ("unhandledrejection", "reason")] {
        let heard = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            let error = Reflect::get(&event, &key.into()).unwrap_or_default();
            if is_trap(&error) {
                tell(&format!(
                    "the browser ended it: {}",
                    text_of(&error, "message")
                ));
            }
        });
        let heard = heard.into_js_value();
        // Without a listener such a fault stands in the console alone.
        let _ = window().add_event_listener_with_callback(event, heard.unchecked_ref());
    }
}

/// Whether an error is the end of a WebAssembly program. Where its stack is full, it is one of any script, and only its
/// trace tells.
fn is_trap(error: &JsValue) -> bool {
    error.is_instance_of::<RuntimeError>()
        || error.is_instance_of::<RangeError>() && text_of(error, "stack").contains("wasm-function")
}

fn text_of(error: &JsValue, key: &str) -> String {
    let text = Reflect::get(error, &key.into()).ok();
    text.and_then(|text| text.as_string()).unwrap_or_default()
}

/// Loads the page anew.
pub fn reload() {
    if let Err(error) = window().location().reload() {
        log::error!("the page could not be loaded anew: {error:?}");
    }
}

fn show(words: &str) -> Result<(), JsValue> {
    let document = document();
    let body = document.body().ok_or("no body")?;
    let panel = element("section", "fault card")?;
    for (key, value) in [
        ("role", "alertdialog"),
        ("aria-labelledby", "fault-title"),
        ("aria-describedby", "fault-words"),
        ("data-testid", "fault"),
        ("tabindex", "-1"),
    ] {
        panel.set_attribute(key, value)?;
    }
    let title = text("h2", "The page has stopped")?;
    title.set_id("fault-title");
    let about = text(
        "p",
        "Its program met a fault of its own and cannot go on. The address still holds your settings.",
    )?;
    about.set_id("fault-words");
    let what = text("pre", words)?;
    what.set_attribute("data-testid", "fault-message")?;
    what.set_attribute("tabindex", "0")?;
    what.set_attribute("aria-label", "What happened")?;
    let answers = element("div", "answers")?;
    let again = button("Start again", "fault-again", reload)?;
    again.set_class_name("first");
    answers.append_child(&again)?;
    let defaults = button(
        "Start again with default settings",
        "fault-defaults",
        with_defaults,
    )?;
    answers.append_child(&defaults)?;
    for part in [&title, &about, &what, &answers] {
        panel.append_child(part)?;
    }
    body.insert_before(&panel, body.first_child().as_ref())?;
    // What is behind it looks alive and is not.
    if let Some(app) = document.get_element_by_id("app") {
        app.set_attribute("inert", "")?;
    }
    // In somebody else's page the focus is theirs.
    if !super::embed::is_embedded() {
        panel.unchecked_ref::<HtmlElement>().focus()?;
    }
    Ok(())
}

fn element(name: &str, class: &str) -> Result<Element, JsValue> {
    let element = document().create_element(name)?;
    element.set_class_name(class);
    Ok(element)
}

fn text(name: &str, words: &str) -> Result<Element, JsValue> {
    let element = element(name, "")?;
    element.set_text_content(Some(words));
    Ok(element)
}

fn button(words: &str, mark: &str, press: fn()) -> Result<Element, JsValue> {
    let button = text("button", words)?;
    button.set_attribute("type", "button")?;
    button.set_attribute("data-testid", mark)?;
    let press = Closure::<dyn FnMut()>::new(press).into_js_value();
    button.add_event_listener_with_callback("click", press.unchecked_ref())?;
    Ok(button)
}

/// Goes to the address without settings.
fn with_defaults() {
    let location = window().location();
    let found = query::pairs(&location.search().unwrap_or_default());
    let kept: Vec<(&str, String)> = found
        .iter()
        .filter(|(key, _)| FRAME.contains(&key.as_str()))
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    let path = location.pathname().unwrap_or_default();
    let address = match query::join(&kept).as_str() {
        "" => path,
        kept => format!("{path}?{kept}"),
    };
    if let Err(error) = location.assign(&address) {
        log::error!("{address} could not be opened: {error:?}");
    }
}

/// Tells the page around a figure, if it is its host.
fn tell_host(words: &str) {
    let frame = embed::frame(&window().location().search().unwrap_or_default());
    let around = window().parent().ok().flatten();
    let event = Event::Error {
        sentence: format!("The figure has stopped: {words}."),
    };
    let message = js_sys::JSON::parse(&event.json());
    if let (true, Some(target), Some(around), Ok(message)) = (
        super::embed::is_embedded(),
        frame.host.target(),
        around,
        message,
    ) {
        // A page of another origin than the one named simply gets nothing.
        let _ = around.post_message(&message, target);
    }
}
