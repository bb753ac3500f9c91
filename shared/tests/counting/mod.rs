//! The allocator of every test that counts memory: what the whole process holds, and what each thread does.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THREAD_LIVE: Cell<isize> = const { Cell::new(0) };
    static THREAD_PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count_in_thread(bytes: isize) {
    let live = THREAD_LIVE.get() + bytes;
    THREAD_LIVE.set(live);
    THREAD_PEAK.set(THREAD_PEAK.get().max(live));
}

#[expect(
    unsafe_code,
    reason = "only an allocator sees every allocation; this one passes them on"
)]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        LARGEST.fetch_max(layout.size(), Relaxed);
        count_in_thread(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        count_in_thread(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that the process holds. Whoever counts them must be the only test of its file.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

/// Forgets the peak and the largest allocation so far.
pub fn restart() {
    PEAK.store(live(), Relaxed);
    LARGEST.store(0, Relaxed);
}

/// The most that the process held at once since [`restart`].
pub fn peak() -> usize {
    PEAK.load(Relaxed)
}

/// The largest single allocation since [`restart`].
pub fn largest() -> usize {
    LARGEST.load(Relaxed)
}

/// What some work gives, and the most that this thread held for it at once: tests can run side by side.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = THREAD_LIVE.get();
    THREAD_PEAK.set(before);
    let result = work();
    let peak = usize::try_from(THREAD_PEAK.get() - before).unwrap_or(0);
    (result, peak)
}
