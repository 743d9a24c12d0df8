//! The seed of the random choices of all solvers that a thread asks.

use std::cell::Cell;

thread_local! {
    static SEED: Cell<u32> = const { Cell::new(0) };
}

/// Does something on this thread whose sessions begin with another seed. They do so again and again: the same seed gives the same answers.
pub fn with_seed<T>(seed: u32, work: impl FnOnce() -> T) -> T {
    /// What was before comes back, whatever happens.
    struct Before(u32);
    impl Drop for Before {
        fn drop(&mut self) {
            SEED.set(self.0);
        }
    }
    let _before = Before(SEED.replace(seed));
    work()
}

/// The seed of sessions that say nothing else.
pub(super) fn seed() -> u32 {
    SEED.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionOptions;

    #[test]
    fn a_seed_is_for_what_is_done_with_it() {
        let inner = with_seed(7, || {
            let nested = with_seed(8, || SessionOptions::default().seed);
            let other = std::thread::spawn(|| SessionOptions::default().seed);
            (nested, SessionOptions::default().seed, other.join().ok())
        });
        assert_eq!(inner, (8, 7, Some(0)));
        assert_eq!(SessionOptions::default().seed, 0);
    }
}
