//! Programs from C text, and what engines say of them.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "each test uses a part of it"
)]

pub mod enumeration;

use std::time::Duration;

use rhumb_certify::counterexample;
use rhumb_certify::proof::{Checker, Proof};
use rhumb_certify::{certify_safe, certify_unsafe};
use rhumb_cfront::{Options, compile_text};
use rhumb_logic::Budget;
use rhumb_program::interp::{KeyedInputs, Machine};
use rhumb_program::{DataModel, Program};
use rhumb_search::{Claim, Engine, Step, Task, entry};
use rhumb_summary::Preset;

/// All engines that grow a tree.
pub const ENGINES: [&str; 6] = [
    "gps",
    "gps-lite",
    "gps-nogas",
    "gps-nosum",
    "impact",
    "impact-dfs",
];

/// Declarations for the programs of the tests.
const PRELUDE: &str = "
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
";

/// A program from C text.
pub fn program(text: &str) -> Program {
    let text = format!("{PRELUDE}{text}");
    let options = Options {
        data_model: DataModel::Ilp32,
        ..Options::default()
    };
    compile_text("test.c", &text, &options).expect(&text)
}

/// What was certified.
#[derive(Debug)]
pub enum Answer {
    Safe(Proof),
    Unsafe(KeyedInputs),
    Unknown(String),
}

impl Answer {
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Safe(_) => "SAFE",
            Answer::Unsafe(_) => "UNSAFE",
            Answer::Unknown(_) => "UNKNOWN",
        }
    }
}

/// What an engine found, and what it did for it.
pub struct Searched {
    pub answer: Answer,
    pub figures: Vec<(&'static str, f64)>,
}

impl Searched {
    /// How often something was done.
    pub fn count(&self, name: &str) -> u64 {
        let figure = self.figures.iter().find(|(known, _)| *known == name);
        figure.unwrap_or_else(|| panic!("no figure {name}")).1 as u64
    }
}

/// Lets an engine search, and certifies what it claims. A claim that is not accepted is the engine's to mend.
pub fn search(program: &Program, engine: &str, preset: Preset, seconds: u64) -> Searched {
    let budget = Budget::time(Duration::from_secs(seconds));
    let mut task = Task::new(program);
    task.preset = preset;
    let mut engine = (entry(engine).expect("an engine").start)(&task);
    let answer = loop {
        match certified(program, claim(&mut *engine, &budget), &budget) {
            Some(answer) => break answer,
            None if engine.go_on() => {}
            None => break Answer::Unknown("not accepted".to_owned()),
        }
    };
    Searched {
        answer,
        figures: engine.progress().figures,
    }
}

fn claim(engine: &mut dyn Engine, budget: &Budget) -> Claim {
    loop {
        if let Step::Done(claim) = engine.step(budget) {
            return claim;
        }
    }
}

/// What a claim comes to; none if its evidence is not accepted.
fn certified(program: &Program, claim: Claim, budget: &Budget) -> Option<Answer> {
    match claim {
        Claim::Safe(proof) => {
            certify_safe(&Checker::new(program), proof.clone(), budget).ok()?;
            Some(Answer::Safe(proof))
        }
        Claim::Unsafe { inputs, .. } => {
            let effort = counterexample::Budget::within(budget);
            certify_unsafe(&Machine::compile(program), &inputs, &effort).ok()?;
            Some(Answer::Unsafe(inputs))
        }
        Claim::Unknown(reason) => Some(Answer::Unknown(reason.to_string())),
    }
}
