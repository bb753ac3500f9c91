//! The page's end of the line to the worker.

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{ErrorEvent, MessageEvent, Worker};

use super::page::Page;
use crate::message::{Problem, Reply, Request, Run, Solve, Stage};
use crate::transport::{pack, unpack};

/// The script that loads the worker's program.
const SCRIPT: &str = "./worker_loader.js";

struct Link {
    worker: Worker,
    /// A request that waits for the worker to listen; a later one replaces it.
    waiting: Option<(Request, Vec<f32>)>,
    listening: bool,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

thread_local! {
    /// There is one worker at most: it holds the GPU and the weights.
    static LINK: RefCell<Option<Link>> = const { RefCell::new(None) };
}

/// Asks for a run; starts the worker if there is none. Everything an earlier run says from now on is dropped.
pub fn start(page: Page, mut run: Run) {
    run.id = next(page);
    if page.listening.get_untracked() {
        // What the worker did last is over; it begins with the model.
        page.stage.set(Some(Stage::Download {
            bytes: 0,
            total: None,
        }));
    }
    send(page, Request::Start(run), vec![]);
}

/// Asks for a problem to be solved, with the field that belongs to it; ends any run.
pub fn solve(page: Page, problem: Problem, field: Vec<f32>) {
    let id = next(page);
    send(page, Request::Solve(Solve { id, problem }), field);
}

fn next(page: Page) -> u32 {
    let id = page.run.get_untracked() + 1;
    page.run.set(id);
    page.failure.set(None);
    id
}

/// Tells the worker, where there is one, that the page is out of sight or back.
pub fn pause(hidden: bool) {
    LINK.with_borrow(|link| {
        if let Some(link) = link.as_ref().filter(|link| link.listening) {
            post(&link.worker, &Request::Pause(hidden), &[]);
        }
    });
}

fn send(page: Page, request: Request, field: Vec<f32>) {
    LINK.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = open(page);
        }
        if let Some(link) = slot {
            if link.listening {
                post(&link.worker, &request, &field);
            } else {
                link.waiting = Some((request, field));
            }
        }
    });
}

fn post(worker: &Worker, request: &Request, field: &[f32]) {
    let fields: &[&[f32]] = if field.is_empty() { &[] } else { &[field] };
    let packed = pack(request, fields);
    if let Err(error) = worker.post_message_with_transfer(&packed.value, &packed.transfer) {
        log::error!("posting to the worker: {error:?}");
    }
}

fn open(page: Page) -> Option<Link> {
    page.stage.set(None);
    page.listening.set(false);
    let worker = match Worker::new(SCRIPT) {
        Ok(worker) => worker,
        Err(error) => {
            page.fail(format!(
                "The browser refuses to start the inference worker: {error:?}."
            ));
            return None;
        }
    };
    let on_message = Closure::new(move |event: MessageEvent| receive(page, &event));
    let on_error = Closure::new(move |event: ErrorEvent| {
        let told = event.message();
        let what = if told.is_empty() {
            "its program could not be loaded"
        } else {
            told.trim_start_matches("Uncaught ")
        };
        close();
        page.fail(format!("The inference worker stopped: {what}."));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Some(Link {
        worker,
        waiting: None,
        listening: false,
        _on_message: on_message,
        _on_error: on_error,
    })
}

/// Ends the worker. The link is dropped later: this may run inside one of its closures.
fn close() {
    if let Some(link) = LINK.with_borrow_mut(Option::take) {
        link.worker.terminate();
        wasm_bindgen_futures::spawn_local(async move { drop(link) });
    }
}

fn receive(page: Page, event: &MessageEvent) {
    // Before the program runs, its loader sends plain numbers: the bytes so far.
    if let Some(bytes) = event.data().as_f64() {
        page.program_bytes.set(bytes);
        return;
    }
    match unpack::<Reply>(&event.data()) {
        Some((Reply::Ready, _)) => LINK.with_borrow_mut(|link| {
            if let Some(link) = link {
                link.listening = true;
                if let Some((request, field)) = link.waiting.take() {
                    post(&link.worker, &request, &field);
                }
            }
            page.listening.set(true);
        }),
        Some((reply, fields)) => page.receive(reply, fields),
        None => page.fail(
            "The page and its inference worker do not understand each other; please reload the page.".to_owned(),
        ),
    }
}
