//! The watchdog: limits hold, whatever any thread is doing.
//!
//! A limit has two sides. At the first the work is told to stop: it looks at its budget often and gives the best answer
//! that it has. The second is a little further on, and there the watchdog ends the process with what is known by then
//! (`last_word`).

use std::time::{Duration, Instant};

use rhumb_logic::{Budget, Cancel};

use crate::last_word::{self, LastWord};
use crate::signals::Signals;

/// Time that processors have worked for this process.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// What a command may use.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct WatchdogLimits {
    /// Time, from the start of the process on.
    pub(crate) time: Option<Duration>,
    /// Time that processors work for it, all threads together.
    pub(crate) cpu_time: Option<Duration>,
    /// Bytes that the process may have.
    pub(crate) memory: Option<u64>,
}

/// How long the work may take to stop. Together with the time to say the last word it is less than a second.
const GRACE: Duration = Duration::from_millis(300);

/// Time between two looks at the memory: as fast as the kernel hands out pages, a process grows by some 20 MB in it.
const PERIOD: Duration = Duration::from_millis(5);

/// Time between two looks where no memory is to be watched. Signals are seen at once.
const IDLE: Duration = Duration::from_millis(100);

/// The second limit on memory, as a part of the first: 1/25 more.
const MARGIN: u64 = 25;

const OUT_OF_TIME: &str = "out of time";

/// Starts the watch over a command, before it starts other threads; if it is ended before it has left another word, it
/// has this one to say, given the reason. The result is the budget for everything that the command does.
pub(crate) fn start(
    limits: WatchdogLimits,
    otherwise: impl Fn(&str) -> LastWord + Send + 'static,
) -> Budget {
    // Before anybody can end it: a machine may be so busy that the watchdog is there first.
    last_word::otherwise(otherwise);
    let budget = match (limits.time, limits.cpu_time) {
        (Some(time), Some(cpu)) => Budget::time(time).planned_for(cpu.min(time)),
        (Some(time), None) => Budget::time(time),
        (None, Some(cpu)) => Budget::unlimited().planned_for(cpu),
        (None, None) => Budget::unlimited(),
    };
    let watchdog = Watchdog {
        deadline: budget.deadline,
        cpu_time: limits.cpu_time,
        memory: limits.memory,
        cancel: budget.cancel.clone(),
        stopping: None,
    };
    let signals = Signals::block();
    let thread = std::thread::Builder::new().name("watchdog".into());
    if let Err(error) = thread.spawn(move || watchdog.watch(&signals)) {
        last_word::give_up(&format!("no thread can be started: {error}"));
    }
    budget
}

struct Watchdog {
    deadline: Option<Instant>,
    cpu_time: Option<Duration>,
    memory: Option<u64>,
    cancel: Cancel,
    /// Why the work was told to stop, and when it will be ended.
    stopping: Option<(&'static str, Instant)>,
}

impl Watchdog {
    fn watch(mut self, signals: &Signals) -> ! {
        loop {
            let is_asked = signals.wait(self.pause());
            let now = Instant::now();
            let memory = self.memory.and_then(|_| rhumb_logic::resident_bytes());
            let reason = self.reason(is_asked, now, memory);
            match (self.stopping, reason) {
                (None, Some(reason)) => {
                    // Budgets look at the clock themselves, but not at that of the processors.
                    if reason != OUT_OF_TIME || self.cpu_time.is_some() {
                        self.cancel.cancel_because(reason);
                    }
                    self.stopping = Some((reason, now + GRACE));
                }
                // Whoever asks twice doesn't want to wait.
                (Some((reason, end)), _) if now >= end || is_asked => {
                    last_word::cut_short(reason);
                    if is_asked {
                        last_word::hurry();
                    }
                }
                _ => {}
            }
            let far = self.memory.map(|limit| limit + limit / MARGIN);
            if far.is_some_and(|far| memory > Some(far)) {
                last_word::cut_short("out of memory");
            }
        }
    }

    /// Why the work has to stop, if it has to.
    fn reason(&self, is_asked: bool, now: Instant, memory: Option<u64>) -> Option<&'static str> {
        if is_asked {
            Some("interrupted")
        } else if self.memory.is_some_and(|limit| memory > Some(limit)) {
            Some("out of memory")
        } else {
            self.is_late(now).then_some(OUT_OF_TIME)
        }
    }

    /// Whether a clock says that it is over.
    fn is_late(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
            || self.cpu_time.is_some_and(|limit| cpu_time() >= limit)
    }

    /// How long nothing need be looked at.
    fn pause(&self) -> Duration {
        let pause = if self.memory.is_some() { PERIOD } else { IDLE };
        let next = self.stopping.map(|(_, end)| end).or(self.deadline);
        let left = next.map(|next| next.saturating_duration_since(Instant::now()));
        match left {
            // Past the end there is nothing left but to wait for the reader of the last word.
            Some(left) if !left.is_zero() => pause.min(left),
            _ => pause,
        }
    }
}
