//! The end of the program where memory runs out: an error and an exit code.
//!
//! Rust ends a program whose allocation failed by a signal, and no stable hook comes before it. So this allocator
//! passes all requests on to that of the system, and ends the program itself if one of them fails.

#![allow(
    unsafe_code,
    reason = "the functions of an allocator are unsafe to call and to implement"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mmoc::memory::{Bytes, available};

use crate::failure::{FAILED, Failure};

struct OrEnd;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

// SAFETY: all requests are passed on as they are, and what comes of them is returned as it is.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn or_end(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        end(size);
    }
    memory
}

/// Whether errors are JSON.
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Says how errors are written.
pub(crate) fn write_errors(as_json: bool) {
    AS_JSON.store(as_json, Ordering::Relaxed);
}

/// Whether a thread is writing the error.
static ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is.
    static IS_ENDING: Cell<bool> = const { Cell::new(false) };
}

/// How long other threads leave the one that is writing the error to it. They may hold what it waits for.
const PATIENCE: Duration = Duration::from_secs(1);

#[cold]
fn end(size: usize) -> ! {
    if IS_ENDING.replace(true) {
        // There is no room for the error either.
        let _ = std::io::stderr().write_all(b"error: out of memory\n");
    } else if ENDING.swap(true, Ordering::Relaxed) {
        std::thread::sleep(PATIENCE);
    } else {
        failure(size).report(AS_JSON.load(Ordering::Relaxed));
    }
    std::process::exit(i32::from(FAILED))
}

fn failure(size: usize) -> Failure {
    let more = Bytes(size as f64);
    let left = available().map_or_else(String::new, |left| format!(", and {left} is available"));
    Failure::failed(format!(
        "out of memory: {more} more is needed{left} (fewer rows or columns need less, and so does --threads 1; \
         'ulimit -v' and the limits of a container may leave less than the machine has)"
    ))
}
