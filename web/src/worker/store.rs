//! Models that were downloaded before, kept by the browser.
//!
//! The Cache API is not everywhere: an address without encryption has none, and a private window may refuse it. Everything
//! here may fail without harm, and the model is downloaded again.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::post::scope;
use crate::message::Checkpoint;

/// Name of the store; another number where what is kept changes its form.
const NAME: &str = "pno-models-1";

/// The browser's store of models.
pub struct Store {
    cache: JsValue,
}

/// Under which address a model is kept: its plain name, whatever its file is called, and which file it was. `None` for
/// models that no list tells about.
fn key(model: &Checkpoint) -> Option<String> {
    let version = model.version.as_ref()?;
    Some(format!("{}?version={version}", model.name))
}

impl Store {
    /// Opens the store, where there is one.
    pub async fn open() -> Option<Self> {
        let caches = Reflect::get(&scope(), &"caches".into()).ok()?;
        let cache = called(&caches, "open", &[NAME.into()]).await?;
        Some(Self { cache })
    }

    /// The bytes of a model that was kept.
    pub async fn get(&self, model: &Checkpoint) -> Option<Vec<u8>> {
        let found = called(&self.cache, "match", &[key(model)?.into()]).await?;
        let response = found.dyn_into::<Response>().ok()?;
        let bytes = JsFuture::from(response.array_buffer().ok()?).await.ok()?;
        Some(Uint8Array::new(&bytes).to_vec())
    }

    /// Keeps a model, in the place of all others that had its address.
    pub async fn put(&self, model: &Checkpoint, bytes: &[u8]) {
        let Some(key) = key(model) else {
            return;
        };
        self.forget(model).await;
        let body = Uint8Array::from(bytes);
        if let Ok(response) = Response::new_with_opt_js_u8_array(Some(&body)) {
            called(&self.cache, "put", &[key.into(), response.into()]).await;
        }
    }

    /// Forgets a model, whichever file it was.
    pub async fn forget(&self, model: &Checkpoint) {
        let other: JsValue = js_sys::Object::new().into();
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&other, &"ignoreSearch".into(), &true.into());
        called(&self.cache, "delete", &[model.name.as_str().into(), other]).await;
    }
}

/// What a method of the browser comes to; `None` where it is not there, fails, or has nothing.
async fn called(object: &JsValue, method: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let function: Function = Reflect::get(object, &method.into()).ok()?.dyn_into().ok()?;
    let arguments: Array = arguments.iter().collect();
    let promise: Promise = function.apply(object, &arguments).ok()?.dyn_into().ok()?;
    let value = JsFuture::from(promise).await.ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}
