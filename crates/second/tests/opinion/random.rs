//! Random programs without loops: the empty proof is accepted exactly if the program is safe.

use std::fmt::Write;

use rhumb_difftest::rng::Rng;
use rhumb_second::Opinion;
use rhumb_truth::explore::{ExploreLimits, explore};

use crate::support::{empty, first, lower, of_nothing, solver};

const PROGRAMS: u64 = 150;

/// Writes programs in which every jump goes forward.
struct Writer {
    rng: Rng,
    text: String,
    /// The next label that lies ahead, and how many there are.
    ahead: usize,
    labels: usize,
}

impl Writer {
    fn var(&mut self) -> &'static str {
        const NAMES: [&str; 4] = ["a", "b", "c", "g"];
        NAMES[self.rng.index(NAMES.len())]
    }

    fn condition(&mut self) -> String {
        let var = self.var();
        let op = *self.rng.pick(&["==", "!=", "<", ">", "<=", ">="]);
        match self.rng.below(4) {
            0 => format!("{var} {op} {}", self.var()),
            _ => format!("{var} {op} {}", self.rng.below(4)),
        }
    }

    fn statement(&mut self, depth: usize) {
        let choice = self.rng.below(if depth == 0 { 6 } else { 10 });
        let var = self.var();
        let number = self.rng.below(4);
        let line = match choice {
            0 | 1 => format!("{var} = {number};"),
            2 => format!("{var} = {} + {number};", self.var()),
            3 if self.ahead == self.labels => format!("if ({}) goto bad;", self.condition()),
            3 => {
                let label = self.ahead as u64 + self.rng.below((self.labels - self.ahead) as u64);
                format!("if ({}) goto l{label};", self.condition())
            }
            4 => format!("if ({}) return 0;", self.condition()),
            5 => format!("if ({}) {var} = step({var});", self.condition()),
            6 => {
                let _ = write!(self.text, "switch ({var}) {{ case 0: ");
                self.block(depth - 1);
                if self.rng.percent(60) {
                    self.text.push_str("break; ");
                }
                self.text.push_str("case 2: ");
                self.block(depth - 1);
                self.text.push_str("break; default: ");
                self.block(depth - 1);
                "}".to_owned()
            }
            7 => {
                self.text.push_str("do { ");
                self.block(depth - 1);
                let condition = self.condition();
                let _ = write!(self.text, "if ({condition}) break; ");
                self.block(depth - 1);
                "} while (0);".to_owned()
            }
            _ => {
                let condition = self.condition();
                let _ = write!(self.text, "if ({condition}) {{ ");
                self.block(depth - 1);
                self.text.push_str("} else { ");
                self.block(depth - 1);
                "}".to_owned()
            }
        };
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(2) {
            self.statement(depth);
        }
    }

    fn program(seed: u64) -> String {
        let mut writer = Writer {
            rng: Rng::new(seed),
            text: String::new(),
            ahead: 0,
            labels: 3,
        };
        writer.text.push_str(
            "int g; int step(int n) { if (n > 3) exit(1); g = n; if (n == 2) return 0; return n + 1; }\n\
             int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = 0;\n\
             if (a < 0 || a > 4) return 0; if (b < 0 || b > 4) return 0;\n",
        );
        for label in 0..writer.labels {
            for _ in 0..2 {
                writer.statement(2);
            }
            let condition = (writer.condition(), writer.condition());
            if writer.rng.percent(70) {
                let _ = writeln!(
                    writer.text,
                    "if ({} && {}) goto bad;",
                    condition.0, condition.1
                );
            }
            writer.ahead = label + 1;
            let _ = writeln!(writer.text, "l{label}: ;");
        }
        writer.statement(2);
        writer
            .text
            .push_str("return 0; bad: if (a != b) reach_error(); return 1; }\n");
        writer.text
    }
}

#[test]
fn the_empty_proof_is_one_exactly_if_the_program_is_safe() {
    let Some(solver) = solver() else { return };
    let (mut safe, mut not_safe) = (0, 0);
    for seed in 0..PROGRAMS {
        let text = Writer::program(seed);
        let program = lower(&text);
        let Ok(truth) = explore(&program, &[], ExploreLimits::default()) else {
            continue;
        };
        match (truth.is_safe(), of_nothing(&program, &solver)) {
            (true, Opinion::Valid) => safe += 1,
            (false, Opinion::Rejected(_)) => not_safe += 1,
            (is_safe, said) => panic!("seed {seed}: safe {is_safe}, {said:?}\n{text}"),
        }
        let agreed = first(&program, &empty());
        assert_eq!(
            agreed,
            Some(truth.is_safe()),
            "the first checker, seed {seed}\n{text}"
        );
    }
    println!("{safe} safe, {not_safe} not");
    assert!(safe >= 25 && not_safe >= 25, "{safe} {not_safe}");
}
