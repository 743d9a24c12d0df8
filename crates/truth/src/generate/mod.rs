//! Small random programs.
//!
//! A program is made in two steps. First a *draft*, in which calls of `look` stand where an error could be. Its
//! exploration tells with which values the variables get there; then each call becomes a test of a property that these
//! values have, just so, or just not. So safe programs need an invariant that is as strong as it gets, and unsafe ones
//! have an error that only extreme runs reach.

mod expression;
pub(crate) mod property;
mod recursion;
mod statement;
pub mod tangle;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rhumb_difftest::rng::Rng;

use rhumb_program::Program;

use crate::explore::{ExploreLimits, Explored, Failure, explore};
use crate::kinds::{self, Kind};
use crate::lower::lower;
use types::{CType, TYPES};

/// What every program begins with.
const PROLOGUE: &str = "extern void abort(void);
extern void reach_error(void);
extern void __VERIFIER_assume(int);
";

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: CType,
    /// Whether it may be assigned to by any statement: a loop's counter may not.
    is_free: bool,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    params: usize,
}

/// Makes the text of one draft.
struct Generator {
    rng: Rng,
    lines: String,
    indent: usize,
    vars: Vec<Variable>,
    helpers: Vec<Helper>,
    /// Counters, labels and the like made so far.
    names: usize,
    /// Loops around the statement that is being made.
    loops: usize,
    /// How many statements may still be made.
    room: usize,
    /// Places where an error could be.
    looks: usize,
    /// Whether the function that is being made is `main`.
    in_main: bool,
}

/// A program with its answer.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The number it was made from.
    pub seed: u64,
    /// The text.
    pub text: String,
    /// Everything it can do.
    pub truth: Explored,
}

/// How many drafts are made for a number until one is interesting.
const DRAFTS: u64 = 8;

/// Draft programs are explored less far: most of those that are large have nothing to tell.
const DRAFT_STATES: usize = 4;

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Family {
    /// Loops, and functions that can be inlined.
    #[default]
    Loops,
    /// Functions that call themselves or each other, to a small depth.
    Recursion,
    /// Something else than integers in variables: what is true is found run by run.
    Of(Kind),
}

impl Family {
    /// The program of a text, with the targets that are asked for.
    pub fn lower(self, text: &str) -> Result<Program, String> {
        match self {
            Family::Of(kind) => kind.lower(text),
            Family::Loops | Family::Recursion => lower(text),
        }
    }

    /// What is true about a program.
    pub fn truth(self, program: &Program, limits: ExploreLimits) -> Result<Explored, Failure> {
        match self {
            Family::Of(_) => kinds::truth(program),
            Family::Loops | Family::Recursion => explore(program, &[], limits),
        }
    }
}

/// The program of a number, with its answer; or why that number has none.
pub fn sample(seed: u64, limits: ExploreLimits) -> Result<Sample, Failure> {
    sample_of(Family::Loops, seed, limits)
}

/// The same, of a family.
pub fn sample_of(family: Family, seed: u64, limits: ExploreLimits) -> Result<Sample, Failure> {
    if let Family::Of(kind) = family {
        return kinds::sample(kind, seed);
    }
    let mut rng = Rng::new(seed);
    // Some numbers give programs whose end is never reached, or with a single state.
    let any = rng.percent(8);
    let mut failure = Failure::TooLarge;
    for attempt in 0..DRAFTS {
        match attempt_at(family, seed, rng.fork(attempt), any, limits) {
            Ok(Some(sample)) => return Ok(sample),
            Ok(None) | Err(Failure::TooLarge) => {}
            Err(other) => failure = other,
        }
    }
    Err(failure)
}

fn attempt_at(
    family: Family,
    seed: u64,
    mut rng: Rng,
    any: bool,
    limits: ExploreLimits,
) -> Result<Option<Sample>, Failure> {
    let draft = Generator::new(rng.fork(0)).draft(family);
    let broken = |why: String, text: &str| Failure::NotHere(format!("{why} in\n{text}"));
    let program = lower(&draft.text).map_err(|why| broken(why, &draft.text))?;
    let names: Vec<String> = (0..draft.looks).map(look).collect();
    let watched: Vec<&str> = names.iter().map(String::as_str).collect();
    let explored = explore(
        &program,
        &watched,
        ExploreLimits {
            states: limits.states / DRAFT_STATES,
            steps: limits.steps / DRAFT_STATES,
        },
    )?;
    let last = names.last().and_then(|name| explored.calls.get(name));
    if !any && last.is_none_or(|values| values.len() < 2) {
        return Ok(None);
    }
    let text = property::finish(&draft, &explored.calls, &mut rng);
    let program = lower(&text).map_err(|why| broken(why, &text))?;
    let truth = explore(&program, &[], limits)?;
    Ok(Some(Sample { seed, text, truth }))
}

/// The function that is called where an error could be.
fn look(number: usize) -> String {
    format!("look{number}")
}

/// A program with places where an error could be.
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) looks: usize,
    /// The variables that are looked at, everywhere the same, as the text has them.
    pub(crate) vars: Vec<String>,
}

/// With which arguments each place was called.
pub(crate) type Calls = BTreeMap<String, std::collections::BTreeSet<Vec<i128>>>;

impl Generator {
    fn new(rng: Rng) -> Generator {
        Generator {
            rng,
            lines: String::new(),
            indent: 0,
            vars: Vec::new(),
            helpers: Vec::new(),
            names: 0,
            loops: 0,
            room: 0,
            looks: 0,
            in_main: false,
        }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.lines.push_str(&"  ".repeat(self.indent));
        self.lines.push_str(line.as_ref());
        self.lines.push('\n');
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// One of the choices, each as likely as its weight says.
    fn choose<T: Copy>(&mut self, choices: &[(u32, T)], otherwise: T) -> T {
        self.rng.weighted(choices).unwrap_or(otherwise)
    }

    fn draft(mut self, family: Family) -> Draft {
        for _ in 0..self.rng.index(3) {
            self.global();
        }
        let globals = self.vars.len();
        match family {
            Family::Loops => {
                for _ in 0..self.rng.index(3) {
                    self.helper();
                    self.vars.truncate(globals);
                }
                self.main();
            }
            Family::Recursion | Family::Of(_) => {
                self.recursive();
                self.calling_main();
            }
        }
        let vars = self.vars.iter().filter(|v| v.is_free);
        let vars: Vec<String> = vars.map(|v| v.name.clone()).collect();
        let mut text = PROLOGUE.to_owned();
        for ty in TYPES {
            // A line for each that is used, so that what a program is made smaller to compiles.
            if self.lines.contains(&format!("nondet_{}(", ty.suffix)) {
                let _ = writeln!(
                    text,
                    "extern {} __VERIFIER_nondet_{}(void);",
                    ty.name, ty.suffix
                );
            }
        }
        let params: Vec<String> = vars.iter().map(|v| format!("long long {v}")).collect();
        for number in 0..self.looks {
            let _ = writeln!(
                text,
                "static void {}({}) {{}}",
                look(number),
                params.join(", ")
            );
        }
        text.push_str(&self.lines);
        Draft {
            text,
            looks: self.looks,
            vars,
        }
    }

    fn global(&mut self) {
        let ty = self.pick_type();
        let name = self.fresh("g");
        let first = self.rng.between(0, 5);
        self.line(format!("{} {name} = {first};", ty.name));
        self.vars.push(Variable {
            name,
            ty,
            is_free: true,
        });
    }

    fn helper(&mut self) {
        let name = self.fresh("f");
        let params = self.rng.index(3);
        let result = self.pick_type();
        let mut list = Vec::new();
        for _ in 0..params {
            let (ty, name) = (self.pick_type(), self.fresh("p"));
            list.push(format!("{} {name}", ty.name));
            self.vars.push(Variable {
                name,
                ty,
                is_free: true,
            });
        }
        let list = match list.is_empty() {
            true => "void".to_owned(),
            false => list.join(", "),
        };
        self.line(format!("static {} {name}({list}) {{", result.name));
        self.indent += 1;
        if self.vars.is_empty() {
            self.local();
        }
        self.room = 4;
        self.block(2);
        let value = self.value(2);
        self.line(format!("return {value};"));
        self.indent -= 1;
        self.line("}");
        self.helpers.push(Helper { name, params });
    }

    fn main(&mut self) {
        self.in_main = true;
        self.line("int main(void) {");
        self.indent += 1;
        for _ in 0..2 + self.rng.index(2) {
            self.local();
        }
        self.room = 8 + self.rng.index(10);
        for _ in 0..1 + self.rng.index(3) {
            self.repetition(2);
            self.block(1);
        }
        self.place();
        self.line("return 0;");
        self.indent -= 1;
        self.line("}");
    }

    /// A place where an error could be.
    fn place(&mut self) {
        let vars = self.vars.iter().filter(|v| v.is_free);
        let args: Vec<&str> = vars.map(|v| v.name.as_str()).collect();
        let call = format!("{}({});", look(self.looks), args.join(", "));
        self.looks += 1;
        self.line(call);
    }

    fn local(&mut self) {
        let ty = self.pick_type();
        let name = self.fresh("x");
        let variable = Variable {
            name: name.clone(),
            ty,
            is_free: true,
        };
        if self.rng.percent(40) {
            let first = self.rng.between(-2, 6);
            self.line(format!("{} {name} = {first};", ty.name));
        } else {
            self.line(format!("{} {name};", ty.name));
            self.input(&variable);
        }
        self.vars.push(variable);
    }

    fn pick_type(&mut self) -> CType {
        *self.rng.pick(&TYPES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_numbers_give_a_program() {
        for family in [Family::Loops, Family::Recursion] {
            most_numbers(family);
        }
    }

    fn most_numbers(family: Family) {
        let (mut safe, mut not_safe, mut none) = (0, 0, 0);
        for seed in 0..100 {
            match sample_of(family, seed, ExploreLimits::default()) {
                Ok(sample) if sample.truth.is_safe() => safe += 1,
                Ok(_) => not_safe += 1,
                Err(Failure::TooLarge) => none += 1,
                Err(Failure::NotHere(what)) => panic!("seed {seed}: {what}"),
            }
        }
        assert!(
            safe >= 30 && not_safe >= 20,
            "{family:?} {safe} {not_safe} {none}"
        );
    }
}
