//! The whole way: a claim of the engine, checked.

use rhumb_logic::Budget;

use crate::ase::{Check, Claim, Figures, Settings, search};
use crate::certify::{self, Proof};
use crate::machine::{MachineState, Run, replay};
use crate::syntax::Program;

/// How a program is checked.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How the engine goes to work.
    pub settings: Settings,
}

/// An answer that was checked.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds in every reachable state: the checker has accepted the proof.
    Safe(Proof, Check),
    /// The machine has executed the run, and these are its states; the last one violates the property.
    Unsafe(Run, Vec<MachineState>),
    /// Neither is known.
    Unknown(String),
}

/// A verdict, and what it took.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// What it took.
    pub figures: Figures,
}

/// Checks a program.
pub fn check(program: &Program, options: Options, budget: &Budget) -> Answer {
    let (claim, figures) = search(program, options.settings, budget);
    let verdict = match claim {
        Claim::Unknown(why) => Verdict::Unknown(why),
        Claim::Unsafe(run) => match replay(program, &run) {
            Some(states) => Verdict::Unsafe(run, states),
            None => Verdict::Unknown("a run that can't be executed was rejected".to_owned()),
        },
        Claim::Safe(proof, check) => match certify::check(program, &proof, budget) {
            Ok(()) => Verdict::Safe(proof, check),
            Err(_) if budget.is_over() => Verdict::Unknown("out of time".to_owned()),
            Err(why) => Verdict::Unknown(format!("a proof was rejected: {why}")),
        },
    };
    Answer { verdict, figures }
}
