//! Waiting for a future on a thread that may block.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future. Reads from a device are asynchronous because a browser must not block; here we may.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_that_is_woken_from_another_thread_ends() {
        let (mut polls, mut waiting) = (0, true);
        let future = std::future::poll_fn(|context| {
            polls += 1;
            if std::mem::take(&mut waiting) {
                let waker = context.waker().clone();
                thread::spawn(move || waker.wake());
                return Poll::Pending;
            }
            Poll::Ready(7)
        });
        assert_eq!(block_on(future), 7);
        assert_eq!(polls, 2);
    }
}
