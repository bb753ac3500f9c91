//! The worker: device, checkpoint, input, members; and equations that are solved live.
//!
//! It serves one run at a time, always the newest. Between passes it gives way to its event loop, so that a newer
//! request can end the run.

mod case;
mod checks;
mod device;
mod download;
mod fault;
mod gathered;
mod inbox;
mod job;
mod models;
mod origin;
mod post;
mod rolling;
mod run;
mod scope;
mod show;
mod store;
mod time;
mod warm_up;

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::MessageEvent;

use crate::message::{Reply, Request};
use crate::transport::{Refused, unpack};
pub use fault::tell as tell_fault;
use inbox::Inbox;
use job::Job;

/// Tells the page that the worker listens, and serves requests from then on.
pub fn listen() {
    let inbox = Rc::new(Inbox::default());
    let served = Rc::clone(&inbox);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        match unpack::<Request>(&event.data()) {
            Ok((Request::Start(run), fields)) => inbox.put(Job::Show(run, fields)),
            Ok((Request::Draw(draw), fields)) => {
                let id = draw.id;
                match Job::given(draw, fields) {
                    Ok(job) => inbox.put(job),
                    Err(sentence) => post::reply(&Reply::Failed(id, sentence), &[]),
                }
            }
            Ok((Request::Pause(paused), _)) => inbox.pause(paused),
            Ok((Request::Look(look), _)) => inbox.look_at(look),
            // Every answer tells which build this is: the page sees why.
            Err(Refused::OtherBuild) => post::reply(&Reply::Ready, &[]),
            Err(Refused::Unreadable) => log::error!("a message of the page could not be read"),
        }
    });
    let scope = post::scope();
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    on_message.forget();
    wasm_bindgen_futures::spawn_local(run::serve(served));
    post::reply(&Reply::Ready, &[]);
}
