//! Text into the clipboard, also where the browser has no interface for it: a page without encryption has none, and a
//! figure in somebody else's page may be denied it.

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Copies a text; whether it is in the clipboard then.
pub async fn copy(text: &str) -> bool {
    written(text).await.is_some() || commanded(text).unwrap_or(false)
}

/// The interface of today, which answers later and may refuse.
async fn written(text: &str) -> Option<()> {
    let clipboard = Reflect::get(&window().navigator(), &"clipboard".into()).ok()?;
    let promise = call(&clipboard, "writeText", &[text.into()]).ok()?;
    let promise = promise.dyn_into::<Promise>().ok()?;
    JsFuture::from(promise).await.ok().map(|_| ())
}

/// The command of old: copies what is selected in a field made for it.
fn commanded(text: &str) -> Result<bool, JsValue> {
    let document = document();
    let body = document.body().ok_or(JsValue::NULL)?;
    let before = document.active_element();
    let field = document.create_element("textarea")?;
    field.set_class_name("visually-hidden");
    field.set_attribute("aria-hidden", "true")?;
    Reflect::set(&field, &"value".into(), &text.into())?;
    body.append_child(&field)?;
    call(&field, "select", &[])?;
    let copied = call(&document, "execCommand", &["copy".into()]);
    field.remove();
    // Who pressed a button is still on it.
    if let Some(before) = before {
        call(&before, "focus", &[])?;
    }
    Ok(copied?.is_truthy())
}

/// Selects the text of an element, so that one key copies it.
pub fn select(element: &JsValue) {
    let selection = call(&window(), "getSelection", &[]);
    // Where nothing can be selected, a hand still can.
    let _ = selection
        .and_then(|found| call(&found, "selectAllChildren", std::slice::from_ref(element)));
}

fn call(object: &JsValue, method: &str, arguments: &[JsValue]) -> Result<JsValue, JsValue> {
    let function = Reflect::get(object, &method.into())?.dyn_into::<Function>()?;
    let arguments: Array = arguments.iter().collect();
    function.apply(object, &arguments)
}
