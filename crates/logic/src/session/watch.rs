//! Waiting for a worker, with an eye on the budget.
//!
//! Z3's own time-outs are advisory and its memory limit holds for the whole process, so the thread that waits does the watching: it interrupts the
//! solver when the budget is spent, and leaves it alone for good when it does not react.

use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::process::resident_bytes;

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

/// How waiting ended.
pub(super) enum Waited {
    /// An answer, and why the worker was interrupted before, if it was.
    Answered(Answered, Option<Unknown>),
    /// The worker died.
    Lost,
    /// It was interrupted, for this reason, and did not come back.
    Stuck(Unknown),
}

/// Waits for the answer to a request. An interrupted worker gets `patience`, and never more than its budget once again.
pub(super) fn wait(worker: &Worker, budget: &Budget, patience: Duration) -> Waited {
    let patience = match budget.remaining() {
        // A little less than twice the budget, since the answer must be on its way by then.
        Some(limit) => patience.min(limit / 10 * 9).max(LEAST_PATIENCE),
        None => patience,
    };
    let before = budget.memory.and_then(|_| resident_bytes());
    let mut stopped: Option<(Unknown, Instant)> = None;
    let mut tick = TICKS.0;
    let (mut interrupts, mut _brake) = (0u32, None);
    loop {
        let mut pause = tick;
        if let (None, Some(left)) = (&stopped, budget.remaining()) {
            pause = pause.min(left);
        }
        match worker.replies.receive_within(pause) {
            Ok(reply) => return Waited::Answered(reply, stopped.map(|(reason, _)| reason)),
            Err(Nothing::Closed) => return Waited::Lost,
            Err(Nothing::Timeout) => {}
        }
        tick = (tick * 2).min(TICKS.1);
        if stopped.is_none() {
            let Some(reason) = spent(budget, before) else {
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

/// Which part of the budget is spent, if any.
fn spent(budget: &Budget, before: Option<u64>) -> Option<Unknown> {
    if budget.cancel.is_cancelled() {
        return Some(Unknown::Cancelled);
    }
    if budget.is_spent() {
        return Some(Unknown::Timeout);
    }
    let (limit, before) = (budget.memory?, before?);
    let grown = resident_bytes()?.saturating_sub(before);
    (grown > limit).then_some(Unknown::Memory)
}
