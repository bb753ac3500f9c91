//! The newest request, and whether to wait.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

use super::job::Job;
use crate::message::Look;

/// What there is to do.
pub enum Work {
    /// A request.
    Job(Job),
    /// Somebody looks at the verification of what is there.
    Look,
}

/// Holds one request: a newer one replaces an older one that nobody has taken yet.
#[derive(Default)]
pub struct Inbox {
    next: RefCell<Option<Job>>,
    look: Cell<Option<Look>>,
    /// Whether nobody has seen to the look yet.
    fresh: Cell<bool>,
    paused: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Inbox {
    /// Puts a request in.
    pub fn put(&self, job: Job) {
        // Who asks is in sight.
        self.paused.set(false);
        self.next.replace(Some(job));
        self.wake();
    }

    /// Puts in what the verification is to look at.
    pub fn look_at(&self, look: Look) {
        self.look.set(Some(look));
        self.fresh.set(true);
        self.wake();
    }

    /// What the verification of a run looks at.
    pub fn look(&self, run: u32) -> Option<Look> {
        self.look.get().filter(|look| look.id == run)
    }

    /// Begins or ends a pause.
    pub fn pause(&self, paused: bool) {
        self.paused.set(paused);
        self.wake();
    }

    /// Whether a newer request waits.
    pub fn has_next(&self) -> bool {
        self.next.borrow().is_some()
    }

    /// Whether the page is out of sight.
    pub fn is_paused(&self) -> bool {
        self.paused.get()
    }

    /// Takes the next request, or else a new look; waits for it.
    pub async fn take(&self) -> Work {
        poll_fn(|context| match self.next.take() {
            Some(job) => Poll::Ready(Work::Job(job)),
            None if self.fresh.take() => Poll::Ready(Work::Look),
            None => self.sleep(context.waker()),
        })
        .await
    }

    /// Waits for the end of a pause or a newer request.
    pub async fn resumed(&self) {
        poll_fn(|context| {
            if self.is_paused() && !self.has_next() {
                self.sleep(context.waker())
            } else {
                Poll::Ready(())
            }
        })
        .await;
    }

    fn sleep<T>(&self, waker: &Waker) -> Poll<T> {
        self.waker.replace(Some(waker.clone()));
        Poll::Pending
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
