//! A small generator of random numbers, so that a failing test can be repeated by its seed.

/// The seeds of a random test: `count` of them, or as many as `RHUMB_SEEDS` says.
pub(super) fn seeds(count: u64) -> std::ops::Range<u64> {
    let wanted = std::env::var("RHUMB_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok());
    0..wanted.unwrap_or(count)
}

/// The splitmix64 generator.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True once in `n` times.
    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}
