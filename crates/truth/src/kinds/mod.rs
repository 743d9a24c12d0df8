//! Programs about memory, undefined behaviour, bits and floats, whose truth is found run by run.
//!
//! As in [`generate`](crate::generate) a draft comes first, which prints what its variables hold where an error could
//! be; then properties that these values have, or almost have, are put there.

mod bits;
pub mod floats;
mod library;
mod memory;

use std::collections::BTreeMap;

use rhumb_difftest::rng::Rng;
use rhumb_program::{Checks, Program};

use crate::explore::{Explored, Failure};
use crate::generate::{Calls, Draft, Sample, property};
use crate::lower::lower;
use crate::mutate::{Change, mutate};
use crate::runs::{NARROW_TEXT, all_runs};

/// What a program is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Kind {
    /// Arrays, records, unions, pointers, lists and other small heaps.
    Memory,
    /// The same without much caution: each undefined operation is a target.
    Checks,
    /// Operations on the bits of integers of all widths.
    Bits,
    /// Floating point.
    Floats,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Memory, Kind::Checks, Kind::Bits, Kind::Floats];

    /// The program of a text, with the targets that are asked for.
    pub fn lower(self, text: &str) -> Result<Program, String> {
        let program = lower(text)?;
        Ok(match self {
            // Not what is lost: a run goes on behind that, so what it reaches depends on what else is asked for.
            Kind::Checks => Checks::undefined().apply(program),
            _ => program,
        })
    }
}

/// How many drafts are made for a number until one is interesting.
const DRAFTS: u64 = 12;

/// The program of a number, with its answer; or why that number has none.
pub fn sample(kind: Kind, seed: u64) -> Result<Sample, Failure> {
    let mut rng = Rng::new(seed ^ 0x6b69_6e64);
    let mut failure = Failure::TooLarge;
    for attempt in 0..DRAFTS {
        match attempt_at(kind, seed, rng.fork(attempt)) {
            Ok(Some(sample)) => return Ok(sample),
            Ok(None) | Err(Failure::TooLarge) => {}
            Err(other) => failure = other,
        }
    }
    Err(failure)
}

fn attempt_at(kind: Kind, seed: u64, mut rng: Rng) -> Result<Option<Sample>, Failure> {
    let draft = match kind {
        Kind::Memory => memory::draft(rng.fork(0), 0),
        Kind::Checks => memory::draft(rng.fork(0), 40),
        Kind::Bits => bits::draft(rng.fork(0)),
        Kind::Floats => floats::draft(rng.fork(0)),
    };
    let broken = |why: String, text: &str| Failure::NotHere(format!("{why} in\n{text}"));
    let program = lower(&draft.text).map_err(|why| broken(why, &draft.text))?;
    let mut calls = Calls::new();
    let explored = all_runs(&program, &mut |seen| look(&seen.run.output, &mut calls));
    explored.map_err(|why| told(why, &draft.text))?;
    // A run may end where it is undefined, but not all of them.
    let least = if kind == Kind::Checks { 1 } else { 2 };
    if !calls.values().any(|values| values.len() >= least) {
        return Ok(None);
    }
    let mut text = property::finish(&draft, &calls, &mut rng);
    let changed = match kind == Kind::Checks && rng.percent(30) {
        true => changed(&text, &mut rng),
        false => None,
    };
    let is_changed = changed.is_some();
    text = changed.unwrap_or(text);
    let program = kind.lower(&text).map_err(|why| broken(why, &text))?;
    let truth = match is_changed {
        true => truth(&program),
        false => all_runs(&program, &mut |_| {}),
    };
    let truth = truth.map_err(|why| told(why, &text))?;
    Ok(Some(Sample { seed, text, truth }))
}

/// What is true about a program that was perhaps not made here: it may read what nobody has set, which has more values than are tried.
pub fn truth(program: &Program) -> Result<Explored, Failure> {
    let mut explored = all_runs(program, &mut |_| {})?;
    explored.is_sampled |= explored.has_unset;
    Ok(explored)
}

fn told(why: Failure, text: &str) -> Failure {
    match why {
        Failure::TooLarge => Failure::TooLarge,
        Failure::NotHere(what) => Failure::NotHere(format!("{what} in\n{text}")),
    }
}

/// The text with one token changed, where that leaves a program.
fn changed(text: &str, rng: &mut Rng) -> Option<String> {
    for _ in 0..5 {
        if let Some(new) = mutate(text, Change::Value, rng)
            && new.contains(NARROW_TEXT)
            && lower(&new).is_ok()
        {
            return Some(new);
        }
    }
    None
}

/// Reads what a draft has printed.
fn look(output: &[u8], calls: &mut Calls) {
    for line in String::from_utf8_lossy(output).lines() {
        let mut words = line.split(' ');
        let Some(name) = words.next() else { continue };
        let values: Option<Vec<i128>> = words.map(|word| word.parse().ok()).collect();
        if let Some(values) = values {
            calls.entry(name.to_owned()).or_default().insert(values);
        }
    }
}

/// The text of a program under construction.
struct Text {
    rng: Rng,
    lines: String,
    indent: usize,
    names: BTreeMap<&'static str, usize>,
}

impl Text {
    fn new(rng: Rng) -> Text {
        Text {
            rng,
            lines: String::new(),
            indent: 0,
            names: BTreeMap::new(),
        }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.lines.push_str(&"  ".repeat(self.indent));
        self.lines.push_str(line.as_ref());
        self.lines.push('\n');
    }

    /// A line that begins a block.
    fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn fresh(&mut self, prefix: &'static str) -> String {
        let number = self.names.entry(prefix).or_default();
        *number += 1;
        format!("{prefix}{number}")
    }

    /// The draft: what it declares, then the functions that look, then everything else. The last line of `main` is the
    /// place where an error could be.
    fn draft(self, head: &str, vars: Vec<String>) -> Draft {
        let params: Vec<String> = (0..vars.len()).map(|n| format!("long long a{n}")).collect();
        let args: Vec<String> = (0..vars.len()).map(|n| format!(", a{n}")).collect();
        let format = " %lld".repeat(vars.len());
        let looking = format!(
            "static void look0({}) {{ extern int printf(const char *, ...); printf(\"look0{format}\\n\"{}); }}\n",
            params.join(", "),
            args.concat()
        );
        Draft {
            text: format!("{head}{looking}{}", self.lines),
            looks: 1,
            vars,
        }
    }

    /// The place where an error could be.
    fn look(&mut self, vars: &[String]) {
        let call = format!("look0({});", vars.join(", "));
        self.line(call);
    }
}
