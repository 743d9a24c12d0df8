//! Waiting for a worker, with an eye on the budget.
//!
//! Z3's own time-outs are advisory and its memory limit holds for the whole process, so the thread that waits does the
//! watching: it interrupts the solver when the budget is spent, and leaves it alone for good when it does not react.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::process::resident_bytes;
use crate::work::Work;

use super::Unknown;
use super::mailbox::Nothing;
use super::worker::{Answered, Worker};
use super::z3::MemoryBrake;

/// Time between two looks at the budget: the first, and the longest.
const TICKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(8));

/// The least time that an interrupted solver gets to come back.
const LEAST_PATIENCE: Duration = Duration::from_millis(20);

/// A solver that takes too much memory is interrupted that often before its allocations are made to fail.
const BRAKE_AFTER: u32 = 2;

/// A query that is bounded by units and has still not come back when its thread has used so much processor time, and so
/// many times what these units usually take, counts nothing while it works. No query is known that does; one that did
/// would be ended here, at a point that can differ from run to run.
const FAR: (Duration, u32) = (Duration::from_secs(20), 20);

static ENDED_BY_CLOCK: AtomicU64 = AtomicU64::new(0);

/// How many queries of this process were ended because they took far more time than their units usually do. As long as
/// it is none, another run gives the same answers.
pub fn ended_by_clock() -> u64 {
    ENDED_BY_CLOCK.load(Ordering::Relaxed)
}

/// How waiting ended.
pub(super) enum Waited {
    /// An answer, and why the worker was interrupted before, if it was.
    Answered(Answered, Option<Unknown>),
    /// The worker died.
    Lost,
    /// It was interrupted, for this reason, and did not come back.
    Stuck(Unknown),
}

/// Waits for the answer to a request that is bounded by units, if there are any. An interrupted worker gets `patience`,
/// and never more than its time once again.
pub(super) fn wait(worker: &Worker, budget: &Budget, units: Work, patience: Duration) -> Waited {
    let patience = match budget.time_left() {
        // A little less than twice the budget, since the answer must be on its way by then.
        Some(limit) => patience.min(limit / 10 * 9).max(LEAST_PATIENCE),
        None => patience,
    };
    let before = budget.memory.and_then(|_| resident_bytes());
    let mut far = (units > Work::NONE).then(|| Far::new(units));
    let mut stopped: Option<(Unknown, Instant)> = None;
    let mut tick = TICKS.0;
    let (mut interrupts, mut _brake) = (0u32, None);
    loop {
        let mut pause = tick;
        if let (None, Some(left)) = (&stopped, budget.time_left()) {
            pause = pause.min(left);
        }
        match worker.replies.receive_within(pause) {
            Ok(reply) => return Waited::Answered(reply, stopped.map(|(reason, _)| reason)),
            Err(Nothing::Closed) => return Waited::Lost,
            Err(Nothing::Timeout) => {}
        }
        tick = (tick * 2).min(TICKS.1);
        if stopped.is_none() {
            let reason = spent(budget, before)
                .or_else(|| far.as_mut()?.is_reached(worker).then_some(Unknown::Units));
            let Some(reason) = reason else {
                continue;
            };
            stopped = Some((reason, Instant::now() + patience));
        }
        if let Some((reason, end)) = &stopped {
            if Instant::now() >= *end {
                return Waited::Stuck(reason.clone());
            }
            // It doesn't listen, and left alone it would go on to take memory.
            if *reason == Unknown::Memory && interrupts == BRAKE_AFTER {
                _brake = Some(MemoryBrake::new());
            }
            interrupts += 1;
            // Again and again: an interrupt that comes just before the search begins is forgotten.
            worker.interrupt();
        }
    }
}

/// The end of a query that doesn't count what it does.
struct Far {
    begun: Instant,
    half: Duration,
    /// Processor time of the thread when half of the time had gone by on the wall; it is not looked at before, since
    /// nearly all queries are short.
    at_half: Option<Duration>,
}

impl Far {
    fn new(units: Work) -> Far {
        Far {
            begun: Instant::now(),
            half: units.usual_time().saturating_mul(FAR.1).max(FAR.0) / 2,
            at_half: None,
        }
    }

    fn is_reached(&mut self, worker: &Worker) -> bool {
        let elapsed = self.begun.elapsed();
        if elapsed < self.half {
            return false;
        }
        let worked = worker.processor_time().unwrap_or(elapsed);
        let is_reached = worked.saturating_sub(*self.at_half.get_or_insert(worked)) >= self.half;
        ENDED_BY_CLOCK.fetch_add(u64::from(is_reached), Ordering::Relaxed);
        is_reached
    }
}

/// Which part of the budget is spent, if any: the clock, not work, which doesn't go on while its thread waits.
fn spent(budget: &Budget, before: Option<u64>) -> Option<Unknown> {
    if budget.cancel.is_cancelled() {
        return Some(Unknown::Cancelled);
    }
    if budget.is_over() {
        return Some(Unknown::Timeout);
    }
    let (limit, before) = (budget.memory?, before?);
    let grown = resident_bytes()?.saturating_sub(before);
    (grown > limit).then_some(Unknown::Memory)
}
