//! What a check did, for `--stats`: lines on standard output that the bench reads.

use std::time::Instant;

use crate::commands::print;

/// Prints figures as they come, if they are wanted.
pub(crate) struct Statistics {
    wanted: bool,
    begun: Instant,
    /// The phase under way and when it began.
    phase: Option<(&'static str, Instant)>,
}

impl Statistics {
    pub(crate) fn new(wanted: bool) -> Statistics {
        Statistics {
            wanted,
            begun: Instant::now(),
            phase: None,
        }
    }

    /// A phase begins, and the one before has ended.
    pub(crate) fn phase(&mut self, name: &'static str) {
        self.end_phase();
        self.line(&format!("phase {name}"));
        self.phase = Some((name, Instant::now()));
    }

    /// Everything is done.
    pub(crate) fn end(&mut self) {
        self.end_phase();
        self.figure("time.total", self.begun.elapsed().as_secs_f64());
    }

    fn end_phase(&mut self) {
        if let Some((name, begun)) = self.phase.take() {
            self.figure(&format!("time.{name}"), begun.elapsed().as_secs_f64());
        }
    }

    /// A number.
    pub(crate) fn figure(&mut self, name: &str, value: f64) {
        self.line(&format!("{name} {value:.6}"));
    }

    /// What became of the evidence.
    pub(crate) fn certificate(&mut self, outcome: &str) {
        self.line(&format!("certificate {outcome}"));
    }

    fn line(&mut self, text: &str) {
        if self.wanted {
            print(format!("stat: {text}\n"));
        }
    }
}
