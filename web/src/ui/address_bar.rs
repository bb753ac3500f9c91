//! Keeps the address equal to the settings, and the page's colours to the theme.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::page::Page;
use crate::address;

/// Browsers allow only so many changes of the address per second: a dragged probe waits this long.
const SETTLE: Duration = Duration::from_millis(120);

/// Writes every change of the settings into the address.
pub fn follow(page: Page) {
    let pending = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move |before: Option<()>| {
        let query = page.settings.with(address::write);
        if before.is_none() {
            // What came from the address needs not be written into it.
            return;
        }
        if let Some(handle) = pending.try_update_value(Option::take).flatten() {
            handle.clear();
        }
        let handle = set_timeout_with_handle(move || replace(&query), SETTLE);
        pending.set_value(handle.ok());
    });
}

fn replace(query: &str) {
    let history = window().history();
    let changed = history.and_then(|history| {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("?{query}")))
    });
    if let Err(error) = changed {
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
