//! Random programs, against the enumeration of all their states; and proofs that are changed.

use std::fmt::Write;
use std::time::Duration;

use rhumb_guarded::ase::Settings;
use rhumb_guarded::check::Verdict;
use rhumb_guarded::enumerate::{Found, enumerate};
use rhumb_guarded::{Options, certify, check, parse};
use rhumb_logic::Budget;
use rhumb_random::next;

struct Maker(u64);

impl Maker {
    fn below(&mut self, count: u64) -> u64 {
        next(&mut self.0) % count
    }

    fn comparison(&mut self) -> String {
        let (a, b) = (self.below(3), self.below(3));
        let sign = ["<=", "<", "=", "!="][self.below(4) as usize];
        match self.below(3) {
            0 => format!("v{a} {sign} v{b}"),
            1 => format!("v{a} + v{b} {sign} {}", self.below(4)),
            _ => format!("v{a} {sign} {}", self.below(4)),
        }
    }

    fn transition(&mut self, process: u64) -> String {
        let (from, to) = (1 + self.below(3), 1 + self.below(3));
        let mut text = format!("  pc{process} = {from}");
        for _ in 0..self.below(3) {
            let _ = match self.below(4) {
                0 => write!(text, " && ({} || {})", self.comparison(), self.comparison()),
                _ => write!(text, " && {}", self.comparison()),
            };
        }
        let _ = write!(text, " -> pc{process} := {to}");
        let open = self.below(6);
        for variable in 0..3 {
            let other = self.below(3);
            let _ = match self.below(9) {
                _ if variable == open => write!(text, ", v{variable} := nondet"),
                1 => write!(text, ", v{variable} := {}", self.below(4)),
                2 => write!(text, ", v{variable} := v{other}"),
                3 => write!(text, ", v{variable} := 3 - v{other}"),
                _ => Ok(()),
            };
        }
        text + ";\n"
    }

    fn program(&mut self) -> String {
        let mut text = String::from("control pc1 = 1, pc2 = 1;\nvar v0 = 0, v1 = 1, v2;\n");
        let _ = writeln!(text, "init {};", self.comparison());
        for process in 1..=2 {
            let _ = writeln!(text, "process p{process} {{");
            for _ in 0..2 + self.below(3) {
                text += &self.transition(process);
            }
            text += "}\n";
        }
        let (a, b) = (1 + self.below(3), 1 + self.below(3));
        let comparison = self.comparison();
        let _ = writeln!(text, "never pc1 = {a} && pc2 = {b} && {comparison};");
        text
    }
}

/// Comparisons are with small numbers and of few variables: what can go wrong goes wrong within a small range.
const RANGE: (i64, i64) = (-6, 9);

#[test]
fn verdicts_are_those_of_all_states() {
    let (mut decided, mut failing, mut tried, mut mutants) = (0, 0, 0, 0);
    for seed in 0..40 {
        let text = Maker(seed).program();
        let program = parse(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let found = enumerate(&program, RANGE.0, RANGE.1, 5_000);
        if found == Found::TooMany {
            continue;
        }
        tried += 1;
        let is_error = found == Found::Error;
        failing += u32::from(is_error);
        for settings in [Settings::ASE, Settings::UR] {
            let budget = Budget::time(Duration::from_secs(1));
            let answer = check(&program, Options { settings }, &budget);
            match &answer.verdict {
                Verdict::Safe(proof, _) => {
                    assert!(!is_error, "seed {seed} is not safe:\n{text}");
                    mutants += rejected_mutants(&program, proof, seed);
                }
                Verdict::Unsafe(..) => {
                    assert!(is_error, "seed {seed} is safe, as far as we see:\n{text}");
                }
                Verdict::Unknown(why) => {
                    assert!(!why.contains("rejected"), "seed {seed}: {why}\n{text}");
                    continue;
                }
            }
            decided += 1;
        }
    }
    assert!(tried >= 25, "{tried} tried");
    assert!(
        failing >= 5 && failing + 5 <= tried,
        "{failing} of {tried} fail"
    );
    assert!(4 * decided >= 3 * 2 * tried, "{decided} of {}", 2 * tried);
    assert!(
        mutants >= 20,
        "{mutants} proofs without one of their states rejected"
    );
}

/// Leaves out an edge or a start of a proof, which then has to be rejected, since each is needed: parts of a state
/// don't overlap, and each has a real state.
fn rejected_mutants(program: &rhumb_guarded::Program, proof: &certify::Proof, seed: u64) -> u32 {
    let budget = Budget::time(Duration::from_secs(5));
    let mut mutant = proof.clone();
    mutant.starts.pop();
    let is_rejected = certify::check(program, &mutant, &budget).is_err();
    assert!(
        is_rejected || proof.starts.is_empty(),
        "seed {seed}: {proof:?}"
    );
    let mut mutant = proof.clone();
    let state = mutant
        .symbolic
        .iter_mut()
        .find(|state| !state.edges.is_empty());
    let Some(state) = state else {
        return u32::from(is_rejected);
    };
    state.edges.pop();
    assert!(
        certify::check(program, &mutant, &budget).is_err(),
        "seed {seed}: {mutant:?}"
    );
    1 + u32::from(is_rejected)
}
