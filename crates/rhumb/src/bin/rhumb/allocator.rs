//! Memory that there isn't: a command that asks for more than the system gives says its last word, too.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::last_word;

/// The system's allocator, whose refusal ends the command.
struct Refused;

#[global_allocator]
static ALLOCATOR: Refused = Refused;

// SAFETY: everything is done by the system's allocator.
unsafe impl GlobalAlloc for Refused {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        given(unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(old, layout) }
    }
}

/// What was given. It is mostly a large piece that is refused; the small ones that the last word needs are there.
fn given(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        refused();
    }
    memory
}

#[cold]
fn refused() {
    // If even the last word finds no memory, this comes again: then there is nothing to be done.
    static IS_REFUSED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    if !IS_REFUSED.swap(true, std::sync::atomic::Ordering::SeqCst) {
        last_word::cut_short("out of memory");
    }
}
