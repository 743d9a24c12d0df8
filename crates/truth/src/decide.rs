//! An engine's answer about a program, through the door that every verdict goes through.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rhumb_certify::{NotAccepted, Verdict, certify_safe, certify_unsafe, counterexample};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_search::{Claim, Entry, Step, Task};

/// How an engine did.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it said.
    pub said: Said,
    /// How long it took, certification included.
    pub time: Duration,
}

/// What came of asking an engine.
#[derive(Clone, Debug)]
pub enum Said {
    /// A verdict, certified where it is one.
    Verdict(Box<Verdict>),
    /// It panicked, with this message.
    Panicked(String),
    /// It didn't come back.
    Hung,
}

/// How long an engine may overrun its time before it counts as hung.
const GRACE: Duration = Duration::from_secs(20);

/// Asks an engine about a program, on a thread of its own.
pub fn ask(program: &Arc<Program>, engine: &'static Entry, time: Duration) -> Answer {
    let (sender, receiver) = mpsc::channel();
    let begin = Instant::now();
    let program = program.clone();
    std::thread::spawn(move || {
        let budget = Budget::time(time);
        let said = catch_unwind(AssertUnwindSafe(|| decide(&program, engine, &budget)));
        let said = match said {
            Ok(verdict) => Said::Verdict(Box::new(verdict)),
            Err(cause) => Said::Panicked(message(&*cause)),
        };
        // Nobody waits any more: then it took too long, and that was said.
        let _ = sender.send(said);
    });
    let said = receiver.recv_timeout(time + GRACE).unwrap_or(Said::Hung);
    Answer {
        said,
        time: begin.elapsed(),
    }
}

fn message(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// Lets an engine search and certifies what it claims.
pub fn decide(program: &Program, engine: &Entry, budget: &Budget) -> Verdict {
    let task = Task::new(program);
    let mut search = (engine.start)(&task);
    loop {
        let claim = loop {
            if let Step::Done(claim) = search.step(budget) {
                break claim;
            }
        };
        match certify(program, claim, budget) {
            Ok(verdict) => return verdict,
            Err(_) if !budget.is_spent() && search.go_on() => {}
            Err(rejected) => return Verdict::Unknown(rejected.to_string()),
        }
    }
}

fn certify(program: &Program, claim: Claim, budget: &Budget) -> Result<Verdict, NotAccepted> {
    match claim {
        Claim::Safe(proof) => certify_safe(program, proof, budget),
        Claim::Unsafe { inputs, .. } => {
            let budget = counterexample::Budget {
                deadline: budget.deadline,
                ..counterexample::Budget::default()
            };
            certify_unsafe(program, &inputs, &budget)
        }
        Claim::Unknown(reason) => Ok(Verdict::Unknown(reason.to_string())),
    }
}
