//! Which accesses of a run are a data race.
//!
//! Every thread has a clock that says how much of each thread happens before what it does next: what it did itself,
//! what its creator did before, what a thread did that it has seen the end of, and what was done before a part without
//! switches that wrote memory which it reads in such a part. Two accesses to a byte by different threads race if one of
//! them writes, one of them is not in a part without switches, and the clock of the later one doesn't have the earlier
//! one.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Bytes whose accesses are noted.
const MAX_BYTES: u64 = 1 << 22;

/// For each thread a time.
type Clock = Vec<u64>;

/// A byte: which object, and which one of it.
type BytePlace = (u64, u64);

/// The clocks of a run, and what they are held against.
#[derive(Debug)]
pub(super) struct Clocks {
    threads: Vec<Clock>,
    bytes: FxHashMap<BytePlace, Byte>,
    /// What was written in the part without switches that goes on.
    written: Vec<BytePlace>,
}

#[derive(Debug, Default)]
struct Byte {
    /// The last accesses of each thread, one for each sort.
    accesses: Vec<Access>,
    /// What happens before parts without switches that read it.
    released: Clock,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Access {
    thread: usize,
    time: u64,
    write: bool,
    atomic: bool,
}

impl Clocks {
    /// The first thread alone.
    pub(super) fn new() -> Clocks {
        Clocks {
            threads: vec![vec![1]],
            bytes: FxHashMap::default(),
            written: Vec::new(),
        }
    }

    /// Whether so many bytes can be noted.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        bytes.saturating_add(self.bytes.len() as u64) <= MAX_BYTES
    }

    /// A thread creates another one, the next.
    pub(super) fn spawn(&mut self, creator: usize) {
        let mut clock = self.threads[creator].clone();
        clock.resize(self.threads.len(), 0);
        clock.push(1);
        self.threads.push(clock);
        self.threads[creator][creator] += 1;
    }

    /// A thread has seen that another one has ended.
    pub(super) fn joins(&mut self, thread: usize, ended: usize) {
        if thread != ended {
            let clock = self.threads[ended].clone();
            join(&mut self.threads[thread], &clock);
        }
    }

    /// A part without switches ends.
    pub(super) fn release(&mut self, thread: usize) {
        if self.written.is_empty() {
            return;
        }
        for place in self.written.drain(..) {
            if let Some(byte) = self.bytes.get_mut(&place) {
                join(&mut byte.released, &self.threads[thread]);
            }
        }
        self.threads[thread][thread] += 1;
    }

    /// Notes an access, and says whether it races with an earlier one.
    pub(super) fn access(
        &mut self,
        thread: usize,
        object: u64,
        range: Range<u64>,
        write: bool,
        atomic: bool,
    ) -> bool {
        let mut races = false;
        for offset in range {
            let byte = self.bytes.entry((object, offset)).or_default();
            let clock = &mut self.threads[thread];
            if atomic && !write {
                join(clock, &byte.released);
            }
            let is_seen = |access: &Access| clock.get(access.thread) >= Some(&access.time);
            races |= byte.accesses.iter().any(|access| {
                let conflicts = (access.write || write) && !(access.atomic && atomic);
                access.thread != thread && conflicts && !is_seen(access)
            });
            let sort = (thread, write, atomic);
            let is_same = |access: &Access| (access.thread, access.write, access.atomic) == sort;
            let time = clock[thread];
            match byte.accesses.iter_mut().find(|access| is_same(access)) {
                Some(access) => access.time = time,
                None => byte.accesses.push(Access {
                    thread,
                    time,
                    write,
                    atomic,
                }),
            }
            if atomic && write {
                self.written.push((object, offset));
            }
        }
        races
    }
}

impl Clocks {
    /// Whether who frees an object that has ended races with an earlier access to it: with who freed it, say.
    pub(super) fn frees_again(&mut self, thread: usize, object: u64, atomic: bool) -> bool {
        let places = self.bytes.keys().filter(|place| place.0 == object);
        let offsets: Vec<u64> = places.map(|place| place.1).collect();
        let mut races = false;
        for offset in offsets {
            races |= self.access(thread, object, offset..offset + 1, true, atomic);
        }
        races
    }
}

/// The later of two times, for each thread.
fn join(clock: &mut Clock, other: &[u64]) {
    clock.resize(clock.len().max(other.len()), 0);
    for (time, &other) in clock.iter_mut().zip(other) {
        *time = (*time).max(other);
    }
}
