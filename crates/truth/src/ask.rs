//! An engine's answer about a program, through the door that every verdict goes through.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rhumb_certify::{NotAccepted, Verdict};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_search::{Decision, Entry, Observer, decide};
use rhumb_summary::Preset;

/// How an engine did.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it said.
    pub said: Said,
    /// What it claimed with evidence that was not accepted, though there was time to look at it: why not.
    pub rejected: Vec<String>,
    /// How long it took, certification included.
    pub time: Duration,
}

/// What came of asking an engine.
#[derive(Clone, Debug)]
pub enum Said {
    /// What it decided, certified.
    Decision(Box<Decision>),
    /// It panicked, with this message.
    Panicked(String),
    /// It didn't come back.
    Hung,
}

impl Answer {
    /// Whether it is SAFE or UNSAFE.
    pub fn is_verdict(&self) -> bool {
        matches!(&self.said, Said::Decision(decision) if !matches!(decision.verdict, Verdict::Unknown(_)))
    }
}

/// Hears of evidence that is not accepted.
#[derive(Default)]
struct Rejections(Vec<String>);

impl Observer for Rejections {
    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        self.0.extend(outcome.err().map(ToString::to_string));
    }
}

/// How long an engine may overrun its time before it counts as hung.
const GRACE: Duration = Duration::from_secs(20);

/// Asks an engine about a program, on a thread of its own.
pub fn ask(
    program: &Arc<Program>,
    engine: &'static Entry,
    preset: Preset,
    time: Duration,
) -> Answer {
    let (sender, receiver) = mpsc::channel();
    let begin = Instant::now();
    let program = program.clone();
    std::thread::spawn(move || {
        let budget = Budget::time(time);
        let mut rejections = Rejections::default();
        let said = catch_unwind(AssertUnwindSafe(|| {
            decide(&program, engine, preset, &budget, &mut rejections)
        }));
        let said = match said {
            Ok(decision) => Said::Decision(Box::new(decision)),
            Err(cause) => Said::Panicked(message(&*cause)),
        };
        // Nobody waits any more: then it took too long, and that was said.
        let _ = sender.send((said, rejections.0));
    });
    let (said, rejected) = receiver
        .recv_timeout(time + GRACE)
        .unwrap_or((Said::Hung, Vec::new()));
    Answer {
        said,
        rejected,
        time: begin.elapsed(),
    }
}

fn message(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}
