//! Work of the main thread in slices: pictures are made one after the other, and between them the browser has its turn.
//!
//! What changes every picture at once (new members, a slider) would otherwise be one long task. While there is time left in
//! a frame everything is done at once; what is left waits for the next slice.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::Poll;

use js_sys::Promise;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Longest slice but for its last job: with what asked for it and the drawing that follows it stays below a frame or two.
const SLICE_MS: f64 = 7.0;

/// Something to do on the main thread.
pub type Job = Box<dyn FnOnce()>;

thread_local! {
    static JOBS: RefCell<Jobs> = RefCell::default();
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// Whether somebody works on them.
    busy: bool,
}

/// What `compute` gives, made anew in a slice of its own whenever `sources` change. Only the last wish is done.
pub fn sliced<T>(
    sources: impl Fn() + 'static,
    compute: impl Fn() -> Option<T> + Copy + Send + Sync + 'static,
) -> Memo<Option<T>>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let slot = RwSignal::new(None);
    let queued = StoredValue::new(false);
    Effect::new(move |_| {
        sources();
        if queued.try_get_value() != Some(false) {
            return;
        }
        queued.set_value(true);
        later(Box::new(move || {
            // The panel may be gone by now.
            if queued.try_update_value(|queued| *queued = false).is_some() {
                slot.try_set(untrack(compute));
            }
        }));
    });
    Memo::new(move |_| slot.get())
}

/// Does a job in one of the next slices.
pub fn later(job: Job) {
    let idle = JOBS.with_borrow_mut(|jobs| {
        jobs.waiting.push_back(job);
        !std::mem::replace(&mut jobs.busy, true)
    });
    if idle {
        leptos::task::spawn_local(work());
    }
}

async fn work() {
    let mut begun = now();
    while let Some(job) = JOBS.with_borrow_mut(|jobs| jobs.waiting.pop_front()) {
        job();
        // Lets what follows from it happen first, so that it is counted.
        step_back().await;
        if now() - begun > SLICE_MS && JOBS.with_borrow(|jobs| !jobs.waiting.is_empty()) {
            mark(true);
            next_task().await;
            begun = now();
        }
    }
    JOBS.with_borrow_mut(|jobs| jobs.busy = false);
    mark(false);
}

/// Tells in the document whether pictures are still to come, for whoever waits for all of them.
fn mark(drawing: bool) {
    if let Some(root) = document().document_element() {
        // An attribute with a valid name is always taken.
        let _ = if drawing {
            root.set_attribute("data-drawing", "")
        } else {
            root.remove_attribute("data-drawing")
        };
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// Goes behind all work that is ready.
async fn step_back() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Goes on in another task of the browser.
async fn next_task() {
    let promise = Promise::new(&mut |resolve, _| {
        // Without timers there is nothing to wait for.
        if window().set_timeout_with_callback(&resolve).is_err() {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        }
    });
    // The promise is never rejected.
    let _ = JsFuture::from(promise).await;
}
