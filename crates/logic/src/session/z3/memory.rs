//! The last means against a computation that takes more and more memory.

use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use z3_sys::*;

/// Lets every allocation that Z3 makes beyond what it has now fail, in all contexts of the process, until it is dropped.
///
/// This is the last means against a computation that takes more and more memory and doesn't react to interrupts. Z3
/// turns the failure into an error of the call. Whoever else is computing meanwhile may be hit, too:
/// [`MemoryBrake::count`] tells.
pub(in crate::session) struct MemoryBrake(());

/// Brakes that are on, and how many there have been.
static BRAKES: Mutex<(usize, u64)> = Mutex::new((0, 0));

impl MemoryBrake {
    pub(in crate::session) fn new() -> MemoryBrake {
        let mut brakes = BRAKES.lock().unwrap_or_else(PoisonError::into_inner);
        *brakes = (brakes.0 + 1, brakes.1 + 1);
        // SAFETY: only reads a counter.
        let bytes = unsafe { Z3_get_estimated_alloc_size() };
        set_memory_limit((bytes >> 20).max(1));
        MemoryBrake(())
    }

    /// How often there was a brake, in the whole process.
    pub(in crate::session) fn count() -> u64 {
        BRAKES.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

impl Drop for MemoryBrake {
    fn drop(&mut self) {
        let mut brakes = BRAKES.lock().unwrap_or_else(PoisonError::into_inner);
        brakes.0 -= 1;
        if brakes.0 == 0 {
            set_memory_limit(0);
        }
    }
}

/// Limits the memory of Z3 in the whole process, in units of 2^20 bytes; zero is no limit.
fn set_memory_limit(megabytes: u64) {
    if let Ok(value) = CString::new(megabytes.to_string()) {
        // SAFETY: both strings end with zero. Z3 guards its parameters by a lock.
        unsafe { Z3_global_param_set(c"memory_max_size".as_ptr(), value.as_ptr()) }
    }
}
