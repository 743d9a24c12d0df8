//! The engine `induction` on loops that are safe, each for another reason, and on their broken brothers.

mod loops;

use std::sync::Arc;
use std::time::Duration;

use rhumb_certify::proof::Checker;
use rhumb_certify::{Verdict, certify_safe};
use rhumb_cfront::{Options, compile};
use rhumb_logic::Budget;
use rhumb_program::{Program, SourceMap};
use rhumb_search::{Claim, Step, Task, entry};

const HEADER: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
extern void abort(void);
";

/// The loops that have to be proved, out of a hundred.
const FLOOR: usize = 90;

/// A program around a loop. No preprocessor is run, so the two shorthands of [`loops`] are written out here.
fn program(body: &str) -> Program {
    let body = body
        .replace("assume(", "if (!(")
        .replace(");?", ")) abort();")
        .replace("check(", "if (!(")
        .replace(");!", ")) reach_error();");
    let text = format!("{HEADER}int main(void) {{\n{body}\nreturn 0;\n}}\n");
    let sources = SourceMap::new("loop.c", Arc::from(text.as_bytes()));
    let compiled = compile(sources, &Options::default());
    let problems = compiled.diagnostics;
    compiled
        .program
        .unwrap_or_else(|| panic!("not valid C: {problems:?}\n{text}"))
}

/// Whether the engine proves a program and the proof is accepted.
fn is_proved(program: &Program) -> bool {
    let task = Task::new(program);
    let engine = entry("induction").expect("an engine of that name");
    let budget = Budget::time(Duration::from_secs(15));
    let mut search = (engine.start)(&task);
    let claim = loop {
        if let Step::Done(claim) = search.step(&budget) {
            break claim;
        }
    };
    match claim {
        Claim::Safe(proof) => {
            let verdict = certify_safe(
                &Checker::new(program),
                proof,
                &Budget::time(Duration::from_secs(30)),
            );
            matches!(verdict, Ok(Verdict::Safe(_)))
        }
        Claim::Unsafe { .. } | Claim::Unknown(_) => false,
    }
}

#[test]
fn safe_loops_are_proved() {
    let missed: Vec<&str> = loops::SAFE
        .iter()
        .filter(|(_, body)| !is_proved(&program(body)))
        .map(|(name, _)| *name)
        .collect();
    let proved = loops::SAFE.len() - missed.len();
    println!("proved {proved} of {}, not {missed:?}", loops::SAFE.len());
    assert!(
        proved * 100 >= loops::SAFE.len() * FLOOR,
        "missed {missed:?}"
    );
}

#[test]
fn broken_loops_are_not() {
    for (name, body) in loops::BROKEN {
        assert!(!is_proved(&program(body)), "{name}");
    }
}
