//! The allocator of this program: the system's, which counts during [`counted`].
//!
//! It counts only then, so that times are measured without counting. The requests of all threads are
//! counted: no other thread may run then.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Counting;

/// The requests to the allocator during some work.
pub struct Count {
    /// The number of allocations and reallocations.
    pub calls: usize,
    /// The number of bytes that were allocated and not freed.
    pub live: isize,
    /// The maximum of that number.
    pub peak: isize,
}

/// Does some work, and counts its requests to the allocator.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Count) {
    CALLS.store(0, Ordering::Relaxed);
    LIVE.store(0, Ordering::Relaxed);
    PEAK.store(0, Ordering::Relaxed);
    IS_COUNTING.store(true, Ordering::Relaxed);
    let result = work();
    IS_COUNTING.store(false, Ordering::Relaxed);
    let count = Count {
        calls: CALLS.load(Ordering::Relaxed),
        live: LIVE.load(Ordering::Relaxed),
        peak: PEAK.load(Ordering::Relaxed),
    };
    (result, count)
}

/// Counts calls, and the bytes that they allocate and free.
fn note(calls: usize, allocated: usize, freed: usize) {
    if IS_COUNTING.load(Ordering::Relaxed) {
        CALLS.fetch_add(calls, Ordering::Relaxed);
        let change = allocated.cast_signed() - freed.cast_signed();
        let live = LIVE.fetch_add(change, Ordering::Relaxed) + change;
        PEAK.fetch_max(live, Ordering::Relaxed);
    }
}

// An allocator cannot be written without `unsafe`, and only an allocator can count
// requests. Every call is passed on to the system's allocator unchanged.
//
// SAFETY: all memory is the system's, and `note` neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size(), 0);
        // SAFETY: the caller promises what `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size(), 0);
        // SAFETY: the caller promises what `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(0, 0, layout.size());
        // SAFETY: the caller promises what `System` asks for, and `at` came from it.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, size, layout.size());
        // SAFETY: the caller promises what `System` asks for, and `at` came from it.
        unsafe { System.realloc(at, layout, size) }
    }
}
