//! One worker for all figures of a page.
//!
//! Frames of one origin on one page can reach each other. The first that needs a worker starts it and puts a door, an
//! object with `enter` and `leave`, on its window; the others come in through it by a message port. The worker costs
//! a download of megabytes and most of the memory, a further figure hardly anything.
//! A frame without an origin (a strict sandbox) reaches nobody, and has a worker of its own.

use std::cell::RefCell;

use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Event, MessageEvent, MessagePort, Url, Window, Worker};

use super::files;
use super::link::End;
use crate::build::BUILD;
use crate::message::{Reply, Request};
use crate::start::FAULT;
use crate::transport::{Refused, message, pack, unpack};
use crate::turns::{Step, Turns, guest_of};

/// The script that loads the worker's program.
const SCRIPT: &str = "worker_loader.js";

type Wish = (Request, Vec<Vec<f32>>);

/// The worker and who uses it.
struct Hub {
    worker: Worker,
    listening: bool,
    turns: Turns<Wish>,
    guests: Vec<Guest>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

struct Guest {
    number: u32,
    port: MessagePort,
    /// Called when the worker is gone, with the kind of its end ([`super::link::End`]) and words.
    gone: Function,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

thread_local! {
    static HUB: RefCell<Option<Hub>> = const { RefCell::new(None) };
}

/// Comes in at the door of another frame of this page, or at one's own. Gives the guest's number and the door.
///
/// # Errors
/// Where no worker can be started.
pub fn enter(port: &MessagePort, gone: &Function) -> Result<(u32, JsValue), JsValue> {
    let door = match neighbour() {
        Some(door) => door,
        None => own_door()?,
    };
    let enter: Function = Reflect::get(&door, &"enter".into())?.dyn_into()?;
    let number = enter.call2(&door, port, gone)?.as_f64();
    let number = number.ok_or_else(|| JsValue::from("the worker lets nobody in"))?;
    Ok((number as u32, door))
}

/// Leaves by the door one came in.
pub fn leave(door: &JsValue, number: u32) {
    let leave = Reflect::get(door, &"leave".into()).and_then(JsValue::dyn_into::<Function>);
    // A door whose frame is gone leads nowhere.
    let _ = leave.and_then(|leave| leave.call1(door, &number.into()));
}

/// What the door is called: only figures of the same files and the same build share a worker.
fn name() -> String {
    format!("pno {BUILD} {}", files::folder())
}

/// The door of a frame beside this one, or around it. Frames of other origins do not answer.
fn neighbour() -> Option<JsValue> {
    let own = window();
    let around = own.parent().ok().flatten()?;
    if JsValue::from(&around) == JsValue::from(&own) {
        return None;
    }
    let beside = (0..around.length()).filter_map(|i| Reflect::get_u32(&around, i).ok());
    let name = JsValue::from(name());
    std::iter::once(JsValue::from(around.clone()))
        .chain(beside)
        .filter(|frame| frame != &JsValue::from(&own))
        .find_map(|frame| {
            let door = Reflect::get(&frame, &name).ok()?;
            door.is_object().then_some(door)
        })
}

/// This frame's own door; starts the worker if there is none.
fn own_door() -> Result<JsValue, JsValue> {
    let frame: Window = window();
    let name = JsValue::from(name());
    if HUB.with_borrow(Option::is_some) {
        return Reflect::get(&frame, &name);
    }
    let hub = open()?;
    HUB.replace(Some(hub));
    let let_in = Closure::<dyn FnMut(MessagePort, Function) -> u32>::new(let_in);
    let let_out = Closure::<dyn FnMut(u32)>::new(let_out);
    let door = Object::new();
    Reflect::set(&door, &"enter".into(), &let_in.into_js_value())?;
    Reflect::set(&door, &"leave".into(), &let_out.into_js_value())?;
    Reflect::set(&frame, &name, &door)?;
    // The worker ends with its frame: the others begin anew with another.
    let bye = Closure::<dyn FnMut(JsValue)>::new(|event: JsValue| {
        let kept = Reflect::get(&event, &"persisted".into()).is_ok_and(|kept| kept.is_truthy());
        if !kept {
            close(End::Left, "");
        }
    });
    frame.set_onpagehide(Some(bye.into_js_value().unchecked_ref()));
    Ok(door.into())
}

fn open() -> Result<Hub, JsValue> {
    let worker = start_worker()?;
    let on_message = Closure::new(|event: MessageEvent| answer(&event));
    let on_error = Closure::new(|event: Event| {
        // A script that could not be had gives an event without words.
        let told = Reflect::get(&event, &"message".into());
        let told = told.ok().and_then(|told| told.as_string());
        let words = told.filter(|told| !told.is_empty());
        let words = words.unwrap_or_else(|| "its program could not be loaded".to_owned());
        broken(words.trim_start_matches("Uncaught ").to_owned());
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Ok(Hub {
        worker,
        listening: false,
        turns: Turns::default(),
        guests: vec![],
        _on_message: on_message,
        _on_error: on_error,
    })
}

/// In a strict sandbox the page has no origin, and may start only what it wrote itself: two lines that load the script.
fn start_worker() -> Result<Worker, JsValue> {
    let script = files::path(SCRIPT);
    Worker::new(&format!("./{script}")).or_else(|_| {
        let base = serde_json::Value::from(files::folder());
        let script = serde_json::Value::from(files::folder() + &script);
        let text = format!("self.PNO_BASE = {base};\nimportScripts({script});\n");
        let blob = Blob::new_with_str_sequence(&Array::of1(&text.into()))?;
        Worker::new(&Url::create_object_url_with_blob(&blob)?)
    })
}

fn let_in(port: MessagePort, gone: Function) -> u32 {
    HUB.with_borrow_mut(|hub| {
        let Some(hub) = hub else {
            return 0;
        };
        let number = hub.turns.enter();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let request = own(&event.data()).ok_or(Refused::Unreadable);
            match request.and_then(|data| unpack::<Request>(&data)) {
                Ok((request, fields)) => with_turns(|turns| match request {
                    Request::Pause(hidden) => turns.hide(number, hidden),
                    // The worker verifies its last run, and nothing else.
                    Request::Look(_) if turns.serves(number) => Some(Step::Tell((request, fields))),
                    Request::Look(_) => None,
                    Request::Start(ref run) => turns.ask(number, run.id, (request, fields)),
                    Request::Draw(ref draw) => turns.ask(number, draw.id, (request, fields)),
                }),
                Err(why) => log::error!("a message of a figure could not be read: {why:?}"),
            }
        });
        port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        if hub.listening {
            post(&port, &pack(&Reply::Ready, &[]).value, &Array::new());
        }
        hub.guests.push(Guest {
            number,
            port,
            gone,
            _on_message: on_message,
        });
        number
    })
}

/// A message as this frame's own: the port of a guest hands out arrays of the guest's frame, which are not arrays of ours.
fn own(data: &JsValue) -> Option<JsValue> {
    let frame = window();
    let clone = Reflect::get(&frame, &"structuredClone".into()).ok()?;
    clone.dyn_into::<Function>().ok()?.call1(&frame, data).ok()
}

/// Lets somebody out; the last one ends the worker.
fn let_out(number: u32) {
    with_turns(|turns| turns.leave(number));
    let guest = HUB.with_borrow_mut(|hub| {
        let hub = hub.as_mut()?;
        let at = hub.guests.iter().position(|g| g.number == number)?;
        let guest = hub.guests.remove(at);
        guest.port.close();
        Some(guest)
    });
    later(guest);
    if HUB.with_borrow(|hub| hub.as_ref().is_some_and(|hub| hub.turns.is_empty())) {
        close(End::Left, "");
    }
}

/// The worker stopped with an error. One that never listened may be of a build that the server has no more, since its
/// files have names of their own: then another try cannot help, and another page does.
fn broken(words: String) {
    let listened = HUB.with_borrow(|hub| hub.as_ref().is_some_and(|hub| hub.listening));
    let Some(hub) = stop() else {
        return;
    };
    wasm_bindgen_futures::spawn_local(async move {
        if !listened && files::is_gone(&files::path(SCRIPT)).await {
            hub.tell_end(End::Outdated, "");
        } else {
            hub.tell_end(End::Stopped, &words);
        }
    });
}

/// Ends the worker, and tells everybody.
fn close(end: End, words: &str) {
    if let Some(hub) = stop() {
        hub.tell_end(end, words);
        later(hub);
    }
}

/// Ends the worker: whoever comes now begins with another.
fn stop() -> Option<Hub> {
    let hub = HUB.take()?;
    hub.worker.terminate();
    let _ = Reflect::delete_property(&window(), &name().into());
    Some(hub)
}

/// Drops what may hold the closure that runs right now.
fn later<T: 'static>(thing: T) {
    wasm_bindgen_futures::spawn_local(async move { drop(thing) });
}

/// Does something with the turns, and what follows from it with the worker.
fn with_turns(change: impl FnOnce(&mut Turns<Wish>) -> Option<Step<Wish>>) {
    HUB.with_borrow_mut(|hub| {
        let Some(hub) = hub else {
            return;
        };
        let (request, fields) = match change(&mut hub.turns) {
            None => return,
            Some(Step::Pause(paused)) => (Request::Pause(paused), vec![]),
            Some(Step::Tell(told)) => told,
            Some(Step::Start { request, again }) => {
                let (mut request, fields) = request;
                if let Request::Start(run) = &mut request {
                    // The worker keeps one rollout: another guest's is not this one's to go on with.
                    run.resume &= again;
                }
                (request, fields)
            }
        };
        hub.tell(&request, &fields);
    });
}

impl Hub {
    /// Tells everybody that the worker is gone.
    fn tell_end(&self, end: End, words: &str) {
        for guest in &self.guests {
            // A guest whose frame is gone needs no news.
            let _ = guest
                .gone
                .call2(&JsValue::NULL, &end.name().into(), &words.into());
            guest.port.close();
        }
    }

    fn tell(&self, request: &Request, fields: &[Vec<f32>]) {
        let fields: Vec<&[f32]> = fields.iter().map(Vec::as_slice).collect();
        let packed = pack(request, &fields);
        let posted = self
            .worker
            .post_message_with_transfer(&packed.value, &packed.transfer);
        if let Err(error) = posted {
            log::error!("posting to the worker: {error:?}");
        }
    }
}

/// Hands an answer of the worker to its guest, and what concerns all to everybody.
fn answer(event: &MessageEvent) {
    let data = event.data();
    let reply = match message::<Reply>(&data) {
        Err(Refused::OtherBuild) => return close(End::Outdated, ""),
        reply => reply.ok(),
    };
    let Some(run) = reply.as_ref().and_then(Reply::run) else {
        if matches!(reply, Some(Reply::Ready)) {
            HUB.with_borrow_mut(|hub| hub.iter_mut().for_each(|hub| hub.listening = true));
        }
        // A fault of the worker is told by itself, before it is gone.
        let fault = Reflect::get(&data, &FAULT.into()).ok();
        match (data.as_string(), fault.and_then(|fault| fault.as_string())) {
            // The loader sends plain text when the GPU is lost: what the worker waits for will never come.
            (Some(reason), _) => close(End::GpuLost, &reason),
            (None, Some(words)) => close(End::Stopped, &words),
            (None, None) => tell_all(&data),
        }
        return;
    };
    HUB.with_borrow(|hub| {
        let guests = hub.iter().flat_map(|hub| &hub.guests);
        let mut guests = guests.filter(|guest| guest.number == guest_of(run));
        if let Some(guest) = guests.next() {
            let parts = data.unchecked_ref::<Array>().iter();
            let buffers = parts.filter_map(|part| Reflect::get(&part, &"buffer".into()).ok());
            post(&guest.port, &data, &buffers.collect());
        }
    });
    if reply.is_some_and(|reply| reply.is_end()) {
        with_turns(|turns| turns.ended(run));
    }
}

fn tell_all(data: &JsValue) {
    HUB.with_borrow(|hub| {
        for guest in hub.iter().flat_map(|hub| &hub.guests) {
            post(&guest.port, data, &Array::new());
        }
    });
}

fn post(port: &MessagePort, data: &JsValue, transfer: &Array) {
    if let Err(error) = port.post_message_with_transferable(data, transfer) {
        log::error!("posting to a figure: {error:?}");
    }
}
