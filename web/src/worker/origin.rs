//! Which servers a model may be fetched from: the one that this program came from; any other only where the visitor
//! has agreed.
//!
//! A worker that is loaded from the network does not inherit the policy of its page, so this is where it is enforced:
//! nothing else in this program fetches what a setting names. Redirects are never followed, because they lead where
//! nobody was asked about.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use web_sys::{RequestInit, Url};

use super::post::scope;
use crate::message::Checkpoint;

/// Where a model lies, from this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the browser itself: a file of the visitor's own.
    Here,
    /// On the server that this program came from.
    Own,
    /// On another server.
    Foreign,
}

/// How a model may be asked for; a sentence where it may not.
pub fn permitted(wanted: &Checkpoint) -> Result<RequestInit, String> {
    let Checkpoint { address, name, .. } = wanted;
    let Ok(url) = Url::new(address) else {
        return Err(format!(
            "The model {name} cannot be fetched: {address} is no whole address."
        ));
    };
    let place = if url.protocol() == "blob:" {
        Place::Here
    } else if Some(url.origin()) == own_origin() {
        Place::Own
    } else {
        Place::Foreign
    };
    if place == Place::Foreign && !wanted.agreed {
        return Err(format!(
            "The model {name} is not fetched: it lies on {}, and nobody has agreed to that.",
            url.host()
        ));
    }
    let init = RequestInit::new();
    for &(key, value) in options(place, has_origin()) {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&init, &key.into(), &value.into());
    }
    Ok(init)
}

/// Options of `fetch`: the browser itself stops what leaves the server, where it can tell.
fn options(place: Place, has_origin: bool) -> &'static [(&'static str, &'static str)] {
    match (place, has_origin) {
        (Place::Here, _) => &[],
        (Place::Own, true) => &[("redirect", "manual"), ("mode", "same-origin")],
        // In a strict sandbox every server is another's, also the own one.
        (Place::Own, false) => &[("redirect", "manual")],
        (Place::Foreign, _) => &[
            ("redirect", "manual"),
            ("mode", "cors"),
            ("credentials", "omit"),
            ("referrerPolicy", "no-referrer"),
        ],
    }
}

/// Whether a server answered with the way to another address, which was not gone.
pub fn is_redirect(response: &JsValue) -> bool {
    let kind = Reflect::get(response, &"type".into()).ok();
    kind.and_then(|kind| kind.as_string()).as_deref() == Some("opaqueredirect")
}

/// Origin of the server that this program came from. In a strict sandbox it runs from a text of the page's own, which
/// says where the files are.
fn own_origin() -> Option<String> {
    let named = text(&scope(), "PNO_BASE");
    let base = named.or_else(|| {
        let location = Reflect::get(&scope(), &"location".into()).ok()?;
        text(&location, "href")
    });
    Some(Url::new(&base?).ok()?.origin())
}

/// Whether this program has an origin: in a strict sandbox it has none.
fn has_origin() -> bool {
    text(&scope(), "origin").is_some_and(|origin| origin != "null")
}

fn text(object: &JsValue, key: &str) -> Option<String> {
    Reflect::get(object, &key.into()).ok()?.as_string()
}
