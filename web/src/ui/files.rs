//! Addresses: of the page's own files, and of what settings name.

use std::cell::OnceCell;

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestCache, RequestInit, Response, Url};

use crate::files::{Files, GONE};

/// Where `cargo xtask page` writes the table of hashes.
const TABLE: &str = "meta[name=pno-files]";

thread_local! {
    static FILES: OnceCell<Files> = const { OnceCell::new() };
}

/// Where one of the page's own files lies, from the page.
pub fn path(name: &str) -> String {
    FILES.with(|files| files.get_or_init(read).path(name))
}

fn read() -> Files {
    Files::parse(&table())
}

fn table() -> String {
    let meta = document().query_selector(TABLE).ok().flatten();
    let table = meta.and_then(|meta| meta.get_attribute("content"));
    table.unwrap_or_default()
}

/// Whether the server says that it has no such file. One that does not answer may have it.
pub async fn is_gone(address: &str) -> bool {
    let answer = asked_anew(address, "HEAD").await;
    answer.is_some_and(|answer| GONE.contains(&answer.status()))
}

/// Whether the server has another page by now: one with another table. One that does not answer may have this one.
pub async fn is_replaced() -> bool {
    let here = window().location().pathname().unwrap_or_default();
    let page = match asked_anew(&here, "GET").await {
        Some(answer) => text(&answer).await,
        None => None,
    };
    page.is_some_and(|page| !page.contains(&table()))
}

/// What the server answers now, whatever the browser has kept.
async fn asked_anew(address: &str, method: &str) -> Option<Response> {
    let init = RequestInit::new();
    init.set_method(method);
    init.set_cache(RequestCache::NoStore);
    let answer = JsFuture::from(window().fetch_with_str_and_init(address, &init)).await;
    answer.ok()?.dyn_into().ok()
}

/// A text file beside the page.
pub async fn fetch_text(address: &str) -> Option<String> {
    let answer = JsFuture::from(window().fetch_with_str(address)).await;
    text(&answer.ok()?.dyn_into().ok()?).await
}

async fn text(answer: &Response) -> Option<String> {
    let text = JsFuture::from(answer.text().ok()?).await.ok()?;
    text.as_string().filter(|_| answer.ok())
}

/// The folder of the page, with a slash at its end.
pub fn folder() -> String {
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    let url = Url::new_with_base("./", &base);
    url.map(|url| url.href()).unwrap_or(base)
}

/// An address as seen from the page, where it is one at all.
pub fn resolved(address: &str) -> Option<Url> {
    Url::new_with_base(address, &folder()).ok()
}

/// An address as seen from the page (the worker's own would be another), as a whole.
pub fn absolute(address: &str) -> String {
    resolved(address).map_or_else(|| address.to_owned(), |url| url.href())
}

/// Where the file of an address lies: one of the page's own may have a hash in its name.
pub fn location(address: &str) -> String {
    let (whole, folder) = (absolute(address), folder());
    match whole.strip_prefix(&folder) {
        Some(name) => folder + &path(name),
        None => whole,
    }
}
