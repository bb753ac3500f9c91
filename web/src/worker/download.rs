//! Fetching a checkpoint, with progress, and with a sentence for everything that can go wrong.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, Response};

use super::origin::{is_redirect, permitted};
use super::post::{scope, words};
use super::run::End;
use crate::files::GONE;
use crate::message::Checkpoint;

/// Larger files are refused: no model of the page comes near, and a phone could not hold it.
const MAX_BYTES: usize = 256 << 20;

/// The bytes of a checkpoint. `progress` is told how many have arrived and how many there are, where that is known.
pub async fn checkpoint(
    wanted: &Checkpoint,
    progress: impl Fn(u64, Option<u64>),
) -> Result<Vec<u8>, End> {
    let Checkpoint { address, name, .. } = wanted;
    let refused = |error: JsValue| {
        format!(
            "The model {name} could not be fetched: {}. Is the server reachable, and does it allow this page?",
            words(&error)
        )
    };
    let init = permitted(wanted)?;
    let response = JsFuture::from(scope().fetch_with_str_and_init(address, &init))
        .await
        .map_err(refused)?;
    if is_redirect(&response) {
        return Err(End::Failed(format!(
            "The model {name} was not fetched: its server sends to another address, and this page follows no such answer. Name the address where the file lies."
        )));
    }
    let response: Response = response.unchecked_into();
    if !response.ok() {
        // Newer protocols have a number only.
        let answer = format!("{} {}", response.status(), response.status_text());
        let sentence = format!(
            "There is no model at {name}: the server answered {}. Put a .pno file there, or name another with ?model=ADDRESS.",
            answer.trim_end()
        );
        let listed = wanted.version.is_some();
        return Err(if listed && GONE.contains(&response.status()) {
            End::Missing(sentence)
        } else {
            End::Failed(sentence)
        });
    }
    let header = |name| {
        response
            .headers()
            .get(name)
            .ok()
            .flatten()
            .unwrap_or_default()
    };
    if header("content-type").starts_with("text/html") {
        return Err(End::Failed(format!(
            "There is no model at {name}: the server answered with a web page instead of a .pno file."
        )));
    }
    // A compressed answer has another length than its contents.
    let total = if header("content-encoding").is_empty() {
        header("content-length").parse().ok()
    } else {
        wanted.bytes
    };
    let Some(body) = response.body() else {
        return Ok(Vec::new());
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    progress(0, total);
    loop {
        let broken =
            |error: JsValue| format!("The download of {name} broke off: {}.", words(&error));
        let part = JsFuture::from(reader.read()).await.map_err(broken)?;
        let Some(piece) = piece(&part) else {
            return Ok(bytes);
        };
        if bytes.len() + piece.length() as usize > MAX_BYTES {
            return Err(End::Failed(format!(
                "The model {name} has more than {} MB, the most this page loads.",
                MAX_BYTES >> 20
            )));
        }
        bytes.extend(piece.to_vec());
        progress(bytes.len() as u64, total);
    }
}

/// The bytes of one part of a stream; `None` at its end.
fn piece(part: &JsValue) -> Option<Uint8Array> {
    let value = Reflect::get(part, &"value".into()).ok()?;
    value.dyn_into().ok()
}
