//! Waiting for a worker, with an eye on the budget.
//!
//! Z3's own time-outs are advisory and its memory limit holds for the whole process, so the thread that waits does the watching: it interrupts the
//! solver when the budget is spent, and leaves it alone for good when it does not react.

use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;

use crate::budget::Budget;

use super::Unknown;
use super::worker::{Reply, Worker};

/// Time between two looks at the budget: the first, and the longest.
const TICKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(8));

/// The least time that an interrupted solver gets to come back.
const LEAST_PATIENCE: Duration = Duration::from_millis(20);

/// How waiting ended.
pub(super) enum Waited {
    /// An answer, and why the worker was interrupted before, if it was.
    Answered(Reply, Option<Unknown>),
    /// The worker died.
    Lost,
    /// It was interrupted, for this reason, and did not come back.
    Stuck(Unknown),
}

/// Waits for the answer to a request. An interrupted worker gets `patience`, and never more than its budget once again.
pub(super) fn wait(worker: &Worker, budget: &Budget, patience: Duration) -> Waited {
    let start = Instant::now();
    let before = budget.memory.and_then(|_| resident());
    let mut stopped: Option<(Unknown, Instant)> = None;
    let mut tick = TICKS.0;
    loop {
        let mut pause = tick;
        if let (None, Some(left)) = (&stopped, budget.remaining()) {
            pause = pause.min(left);
        }
        match worker.replies.recv_timeout(pause) {
            Ok(reply) => return Waited::Answered(reply, stopped.map(|(reason, _)| reason)),
            Err(RecvTimeoutError::Disconnected) => return Waited::Lost,
            Err(RecvTimeoutError::Timeout) => {}
        }
        tick = (tick * 2).min(TICKS.1);
        if stopped.is_none() {
            let Some(reason) = spent(budget, before) else {
                continue;
            };
            let now = Instant::now();
            let limit = patience.min(now.saturating_duration_since(start) / 10 * 9);
            stopped = Some((reason, now + limit.max(LEAST_PATIENCE)));
        }
        if let Some((reason, end)) = &stopped {
            if Instant::now() >= *end {
                return Waited::Stuck(reason.clone());
            }
            // Again and again: an interrupt that comes before the search has begun is lost.
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
    let grown = resident()?.saturating_sub(before);
    (grown > limit).then_some(Unknown::Memory)
}

/// Bytes of memory that the process really has.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024)
}
