//! The newest request, and whether to wait.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

use super::job::Job;

/// Holds one request: a newer one replaces an older one that nobody has taken yet.
#[derive(Default)]
pub struct Inbox {
    next: RefCell<Option<Job>>,
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

    /// Takes the next request; waits for it.
    pub async fn take(&self) -> Job {
        poll_fn(|context| match self.next.take() {
            Some(job) => Poll::Ready(job),
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
