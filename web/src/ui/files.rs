//! Addresses: of the page's own files, and of what settings name.

use std::cell::OnceCell;

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestCache, RequestInit, Response, Url};

use crate::files::Files;

/// Where `cargo xtask page` writes the table of hashes.
const TABLE: &str = "meta[name=pno-files]";

/// Answers that say so: "not found" and "gone".
const GONE: [u16; 2] = [404, 410];

thread_local! {
    static FILES: OnceCell<Files> = const { OnceCell::new() };
}

/// Where one of the page's own files lies, from the page.
pub fn path(name: &str) -> String {
    FILES.with(|files| files.get_or_init(read).path(name))
}

fn read() -> Files {
    let meta = document().query_selector(TABLE).ok().flatten();
    let table = meta.and_then(|meta| meta.get_attribute("content"));
    Files::parse(&table.unwrap_or_default())
}

/// Whether the server says that it has no such file. One that does not answer may have it.
pub async fn is_gone(address: &str) -> bool {
    let init = RequestInit::new();
    init.set_method("HEAD");
    init.set_cache(RequestCache::NoStore);
    let answer = JsFuture::from(window().fetch_with_str_and_init(address, &init)).await;
    let answer = answer.ok().and_then(|answer| answer.dyn_into().ok());
    answer.is_some_and(|answer: Response| GONE.contains(&answer.status()))
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
