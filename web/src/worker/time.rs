//! Clock, breaks and deadlines in the worker.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use js_sys::Promise;
use wasm_bindgen_futures::JsFuture;

use super::post::scope;

/// Milliseconds since the worker started.
pub fn now() -> f64 {
    scope()
        .performance()
        .map_or_else(js_sys::Date::now, |clock| clock.now())
}

/// Waits; also lets messages in, even for zero milliseconds.
pub async fn sleep(milliseconds: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        let set =
            scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        if set.is_err() {
            // Without timers there is nothing to wait for.
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        }
    });
    // The promise is never rejected.
    let _ = JsFuture::from(promise).await;
}

/// The result of `work`, or `None` if it is not there in time.
pub async fn within<T>(milliseconds: i32, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut deadline = pin!(sleep(milliseconds));
    poll_fn(|context| {
        if let Poll::Ready(result) = work.as_mut().poll(context) {
            return Poll::Ready(Some(result));
        }
        deadline.as_mut().poll(context).map(|()| None)
    })
    .await
}
