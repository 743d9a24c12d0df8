//! What a check did, for `--stats`: lines on standard output that the bench reads.

use std::time::Duration;

use crate::commands::print;

/// Prints figures as they come, if they are wanted.
pub(crate) struct Statistics {
    wanted: bool,
}

impl Statistics {
    pub(crate) fn new(wanted: bool) -> Statistics {
        Statistics { wanted }
    }

    /// A phase has ended and took so long.
    pub(crate) fn phase(&mut self, name: &str, time: Duration) {
        self.line(&format!("phase {name}"));
        self.figure(&format!("time.{name}"), time.as_secs_f64());
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
