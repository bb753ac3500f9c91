//! The figure's end of the line to the worker, which other figures of the page may use as well ([`super::hub`]).

use std::cell::RefCell;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageChannel, MessageEvent, MessagePort};

use super::hub;
use super::page::Page;
use crate::message::{Look, Reply, Request, Run, Stage};
use crate::settings::choices;
use crate::transport::{Refused, pack, unpack};
use crate::turns::RUNS_BITS;

choices!(
    /// Why a worker is gone.
    End {
        /// The frame that held it has left the page.
        #[default]
        Left = "left",
        /// It broke.
        Stopped = "stopped",
        /// It lost the GPU.
        GpuLost = "gpu-lost",
        /// It is of another build than the page.
        Outdated = "outdated",
    }
);

struct Link {
    port: MessagePort,
    /// Where one came in, and as whom.
    door: JsValue,
    number: u32,
    /// A request that waits for the worker to listen; a later one replaces it.
    waiting: Option<(Request, Vec<f32>)>,
    listening: bool,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_gone: Closure<dyn FnMut(String, String)>,
}

thread_local! {
    static LINK: RefCell<Option<Link>> = const { RefCell::new(None) };
    /// What was asked for last.
    static LAST: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Asks for a run; starts the worker if there is none. Everything an earlier run says from now on is dropped, unless
/// both follow the same brush.
pub fn start(page: Page, mut run: Run, field: Vec<f32>) {
    let last = LAST.take();
    if !connect(page) {
        return;
    }
    let id = page.run.get_untracked() + 1;
    run.id = id;
    run.resume = last.as_ref().is_some_and(|last| {
        let whole = page.failure.with_untracked(Option::is_none)
            && page.case.with_untracked(Option::is_some);
        run.continues(last) && run.steps > last.steps && whole
    });
    let follows = last.as_ref().is_some_and(|last| last.quick);
    page.run.set(id);
    page.failure.set(None);
    page.outdated.set(false);
    page.no_gpu.set(false);
    if !run.resume && page.reduced.with_untracked(Option::is_some) {
        page.reduced.set(None);
    }
    page.no_truth.set(None);
    if !run.quick && !follows && !run.resume {
        page.floor.set(id);
    }
    for (side, model) in page.models.iter().enumerate() {
        if side >= run.sides.len() {
            model.set(None);
        }
    }
    if run.sides.len() < 2 {
        page.sides[1].set(None);
        page.verified[1].set(None);
    }
    if page.listening.get_untracked() {
        // What the worker did last is over.
        page.stage.set(Some(Stage::Solving));
    }
    LAST.replace(Some(run.clone()));
    send(page, Request::Start(run), field);
}

/// Tells the worker, where there is one, that the page is out of sight or back.
pub fn pause(hidden: bool) {
    tell(&Request::Pause(hidden));
}

/// Tells the worker, where there is one, what the verification looks at.
pub fn look(look: Look) {
    tell(&Request::Look(look));
}

fn tell(request: &Request) {
    LINK.with_borrow(|link| {
        if let Some(link) = link.as_ref().filter(|link| link.listening) {
            post(&link.port, request, &[]);
        }
    });
}

fn send(page: Page, request: Request, field: Vec<f32>) {
    LINK.with_borrow_mut(|link| {
        if let Some(link) = link {
            if link.listening {
                if !page.embedded {
                    // Who asks on a page of their own is in sight; a figure is set by others, too.
                    post(&link.port, &Request::Pause(false), &[]);
                }
                post(&link.port, &request, &field);
            } else {
                link.waiting = Some((request, field));
            }
        }
    });
}

fn post(port: &MessagePort, request: &Request, field: &[f32]) {
    let fields: &[&[f32]] = if field.is_empty() { &[] } else { &[field] };
    let packed = pack(request, fields);
    let transfer = packed.transfer.unchecked_into();
    if let Err(error) = port.post_message_with_transferable(&packed.value, &transfer) {
        log::error!("posting to the worker: {error:?}");
    }
}

/// Makes sure that there is a line; whether there is one then.
fn connect(page: Page) -> bool {
    if LINK.with_borrow(Option::is_some) {
        return true;
    }
    page.stage.set(None);
    page.listening.set(false);
    match open(page) {
        Ok(link) => {
            // Numbers of runs tell to whom an answer goes.
            let first = link.number << RUNS_BITS;
            page.run.set(first);
            page.floor.set(first);
            LINK.replace(Some(link));
            true
        }
        Err(error) => {
            page.fail(format!(
                "The browser refuses to start the inference worker: {error:?}."
            ));
            false
        }
    }
}

fn open(page: Page) -> Result<Link, JsValue> {
    let channel = MessageChannel::new()?;
    let port = channel.port1();
    let on_message = Closure::new(move |event: MessageEvent| receive(page, &event));
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let on_gone = Closure::new(move |end: String, words: String| {
        let lost = LINK.take();
        LAST.take();
        // After what runs right now: it may belong to the link, or to a frame that is leaving.
        set_timeout(
            move || {
                if lost.is_some() {
                    ended(page, End::from_name(&end).unwrap_or_default(), words);
                }
            },
            Duration::ZERO,
        );
    });
    let gone = on_gone.as_ref().unchecked_ref();
    let (number, door) = hub::enter(&channel.port2(), gone)?;
    Ok(Link {
        port,
        door,
        number,
        waiting: None,
        listening: false,
        _on_message: on_message,
        _on_gone: on_gone,
    })
}

/// The worker is gone: says so, or begins anew with another.
fn ended(page: Page, end: End, words: String) {
    match end {
        End::Left => page.attempts.update(|attempts| *attempts += 1),
        End::Stopped => page.fail(format!(
            "The inference worker stopped: {}.",
            words.trim_end_matches('.')
        )),
        End::GpuLost => {
            page.forget_members();
            page.gpu_lost.set(Some(words));
        }
        End::Outdated => page.outdate(),
    }
}

/// Leaves the worker, so that the next run begins with a new one.
pub fn restart(page: Page) {
    close();
    page.attempts.update(|attempts| *attempts += 1);
}

/// Leaves the worker; without figures it ends. The link is dropped later: this may run inside one of its closures.
fn close() {
    LAST.take();
    if let Some(link) = LINK.with_borrow_mut(Option::take) {
        hub::leave(&link.door, link.number);
        link.port.close();
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
        Ok((Reply::Ready, _)) => LINK.with_borrow_mut(|link| {
            if let Some(link) = link {
                link.listening = true;
                if page.embedded && page.hidden.get_untracked() {
                    post(&link.port, &Request::Pause(true), &[]);
                }
                if let Some((request, field)) = link.waiting.take() {
                    post(&link.port, &request, &field);
                }
            }
            page.listening.set(true);
            if page.stage.with_untracked(Option::is_none) {
                // Another figure may have its turn first.
                page.stage.set(Some(Stage::Solving));
            }
        }),
        Ok((reply, fields)) => page.receive(reply, fields),
        Err(Refused::OtherBuild) => page.outdate(),
        Err(Refused::Unreadable) => page.fail(
            "The inference worker sent an answer that this page cannot read. Try again; if it happens again, reload the page."
                .to_owned(),
        ),
    }
}
