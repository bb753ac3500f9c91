//! An allocator that counts: an input that makes a reader hold more than it may ends the process, so that the fuzzer keeps it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What reading one input may hold at once: the same as for the hostile files of the tests.
pub const MOST_BYTES: usize = 100 << 20;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator, with a count.
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
#[allow(unsafe_code, reason = "only an allocator sees every allocation")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn grow(bytes: usize) {
    let live = LIVE
        .fetch_add(bytes, Ordering::Relaxed)
        .saturating_add(bytes);
    if live > MOST.load(Ordering::Relaxed) {
        MOST.store(usize::MAX, Ordering::Relaxed);
        eprintln!(
            "an input takes {bytes} bytes more, which makes {live}: beyond {MOST_BYTES} are too many"
        );
        std::process::abort();
    }
}

/// Runs work that may hold [`MOST_BYTES`] more than is held now.
pub fn limited(work: impl FnOnce()) {
    MOST.store(LIVE.load(Ordering::Relaxed) + MOST_BYTES, Ordering::Relaxed);
    work();
    MOST.store(usize::MAX, Ordering::Relaxed);
}
