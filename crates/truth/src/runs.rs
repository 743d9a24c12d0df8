//! Everything that a program does, run by run: the interpreter executes it on all inputs, or on a sample of them.
//!
//! Right for programs of any kind, memory and floats included, whose runs are short and which take few inputs from
//! small sets. An input is small if it has 8 bits at most, or comes from the function [`NARROW`], which ends the run on
//! everything outside of its bounds; with any other the answer is a sample.

use std::collections::BTreeMap;

use rhumb_difftest::rng::Rng;
use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Outcome, Run, RunLimits};
use rhumb_program::{ExprId, ExprKind, InputKind, InputSiteId, Program, Type};

use crate::explore::{Explored, Failure};
use crate::kinds::floats::corner;

/// The function that narrows its input down to bounds.
pub const NARROW: &str = "in";

/// The bounds of what [`NARROW`] gives whatever bounds it is called with, and one number on either side, for which the run ends at once.
const LOW: i128 = -7;
const HIGH: i128 = 13;

/// The definition of [`NARROW`].
pub const NARROW_TEXT: &str = "static int in(int lo, int hi) { int x = __VERIFIER_nondet_int(); if (x < lo || x > hi || x < -6 || x > 12) abort(); return x; }";

/// Steps of one run.
const STEPS: u64 = 5_000;

/// Runs of one program, if all are tried.
const RUNS: u64 = 40_000;

/// Runs of one program of which only a sample is tried.
const SAMPLES: u64 = 400;

/// What values a site gives.
#[derive(Clone, Copy, Debug)]
enum Domain {
    /// All numbers between these.
    All(i128, i128),
    /// More than can be tried.
    Wide,
    /// Nobody may depend on it: what is not initialised.
    Unused,
}

fn domain(program: &Program, site: InputSiteId) -> Domain {
    let site = &program.inputs[site];
    match (&site.kind, site.ty) {
        (InputKind::Nondet(_), _) if &*program.functions[site.function].name == NARROW => {
            Domain::All(LOW, HIGH)
        }
        (InputKind::Nondet(_), Some(Type::Bool)) => Domain::All(0, 1),
        (InputKind::Nondet(_), Some(Type::Int(int))) if int.width <= 8 => {
            Domain::All(int.extend(int.min_bits()), int.extend(int.max_bits()))
        }
        (InputKind::Nondet(_), _) => Domain::Wide,
        (InputKind::Order, _) => Domain::All(0, 1),
        _ => Domain::Unused,
    }
}

/// Inputs for one run: a way down the tree of all choices, or a random one.
struct Choices<'p> {
    program: &'p Program,
    /// The choices of the way so far: which value, of how many.
    way: Vec<(i128, i128)>,
    depth: usize,
    /// What is given where nobody may depend on it.
    filling: u8,
    is_filled: bool,
    /// Where values come from if they are not all tried, and constants of the program.
    random: Option<(Rng, Vec<u128>)>,
    /// What was given, in order, where it counts.
    given: Vec<u128>,
    /// The same by place, and with everything else.
    inputs: KeyedInputs,
}

impl InputSource for Choices<'_> {
    fn value(&mut self, site: InputSiteId, _: u64, ty: Type) -> u128 {
        let value = match (domain(self.program, site), &mut self.random) {
            (Domain::Unused, _) => {
                self.is_filled = true;
                let value = u128::from(self.filling);
                self.inputs.push_value(site, value, 1);
                return value;
            }
            (Domain::All(low, high), Some((rng, _))) => rng.between(low, high) as u128,
            (Domain::Wide, Some((rng, constants))) => wide(ty, rng, constants),
            (Domain::Wide, None) => 0,
            (Domain::All(low, high), None) => {
                if self.depth == self.way.len() {
                    self.way.push((0, high - low + 1));
                }
                self.depth += 1;
                (low + self.way[self.depth - 1].0) as u128
            }
        };
        self.given.push(value);
        self.inputs.push_value(site, value, 1);
        value
    }

    fn bytes(&mut self, site: InputSiteId, _: u64, out: &mut [u8]) {
        self.is_filled = true;
        out.fill(self.filling);
        self.inputs.push_bytes(site, out, 1);
    }
}

/// A value of a type that has many: a corner, a number of the program or one beside it, or any.
fn wide(ty: Type, rng: &mut Rng, constants: &[u128]) -> u128 {
    if let Type::Float(_) = ty {
        return corner(ty, rng);
    }
    let bits = match ty {
        Type::Int(int) => u32::from(int.width),
        _ => 64,
    };
    let near = |value: u128, rng: &mut Rng| value.wrapping_add(rng.between(-2, 2) as u128);
    match rng.index(8) {
        0 => rng.between(-8, 40) as u128,
        1 | 2 => near(1 << rng.index(bits as usize), rng),
        3 => near(1 << rng.index(bits as usize), rng).wrapping_neg(),
        4 if !constants.is_empty() => near(*rng.pick(constants), rng),
        5 => u128::from(rng.bits()) >> rng.index(64),
        _ => u128::from(rng.bits()),
    }
}

impl Choices<'_> {
    /// Goes on to the next way. `false` if there is none.
    fn advance(&mut self) -> bool {
        self.way.truncate(self.depth);
        while let Some((value, count)) = self.way.last_mut() {
            *value += 1;
            if *value < *count {
                return true;
            }
            self.way.pop();
        }
        false
    }

    fn begin(&mut self) {
        self.depth = 0;
        self.is_filled = false;
        self.given.clear();
        self.inputs = KeyedInputs::new();
    }
}

/// One run, for who wants to see it.
pub struct Seen<'r> {
    /// The inputs in the order in which they were asked for, by their bits.
    pub given: &'r [u128],
    /// What came of it.
    pub run: &'r Run,
}

/// Runs a program on all its inputs, or on many. `visit` sees each run.
pub fn all_runs(program: &Program, visit: &mut dyn FnMut(Seen<'_>)) -> Result<Explored, Failure> {
    let machine = Machine::compile(program);
    let mut is_sampled = false;
    for (id, site) in program.inputs.iter_enumerated() {
        if let InputKind::UndefinedFunction(name) = &site.kind {
            return Err(Failure::NotHere(format!("{name} is not defined")));
        }
        is_sampled |= matches!(domain(program, id), Domain::Wide);
    }
    let mut choices = Choices {
        program,
        way: Vec::new(),
        depth: 0,
        filling: 0,
        is_filled: false,
        random: is_sampled.then(|| (Rng::new(1), constants(program))),
        given: Vec::new(),
        inputs: KeyedInputs::new(),
    };
    let limits = RunLimits {
        steps: STEPS,
        ..RunLimits::default()
    };
    let mut explored = Explored {
        is_sampled,
        ..Explored::default()
    };
    loop {
        explored.states += 1;
        if explored.states as u64 > RUNS {
            return Err(Failure::TooLarge);
        }
        choices.begin();
        let before = choices.random.clone();
        let run = machine.run(&mut choices, &limits);
        let inputs = std::mem::take(&mut choices.inputs);
        explored.steps += run.steps as usize;
        if choices.is_filled {
            explored.has_unset = true;
            let after = std::mem::replace(&mut choices.random, before);
            same_with_another_filling(&machine, &mut choices, &run, &limits)?;
            choices.random = after;
        }
        learn(&mut explored.reached, &run, inputs)?;
        visit(Seen {
            given: &choices.given,
            run: &run,
        });
        let goes_on = match is_sampled {
            true => (explored.states as u64) < SAMPLES,
            false => choices.advance(),
        };
        if !goes_on {
            return Ok(explored);
        }
    }
}

/// What is not initialised may not matter, or the inputs that are tried are not all there are.
fn same_with_another_filling(
    machine: &Machine,
    choices: &mut Choices<'_>,
    run: &Run,
    limits: &RunLimits,
) -> Result<(), Failure> {
    choices.begin();
    choices.filling = 0xa5;
    let again = machine.run(choices, limits);
    choices.filling = 0;
    match again.outcome == run.outcome && again.output == run.output {
        true => Ok(()),
        false => Err(Failure::TooLarge),
    }
}

/// What a run tells.
fn learn(
    reached: &mut BTreeMap<rhumb_program::TargetId, KeyedInputs>,
    run: &Run,
    inputs: KeyedInputs,
) -> Result<(), Failure> {
    if !run.caveats.is_empty() {
        // It rests on what C leaves open: nobody knows what is true.
        return Err(Failure::TooLarge);
    }
    match &run.outcome {
        Outcome::Target(target) => {
            reached.entry(*target).or_insert(inputs);
            Ok(())
        }
        Outcome::Exit(_) | Outcome::Abort | Outcome::AssumptionFailed | Outcome::Undefined(_) => {
            Ok(())
        }
        Outcome::StepLimit | Outcome::MemoryLimit | Outcome::StackLimit => Err(Failure::TooLarge),
        other => Err(Failure::NotHere(format!("{other:?}"))),
    }
}

/// Numbers that the program has something to do with.
fn constants(program: &Program) -> Vec<u128> {
    let exprs = (0..program.exprs.len()).map(ExprId::from);
    let mut constants: Vec<u128> = exprs
        .filter_map(|expr| match program.exprs[expr].kind {
            ExprKind::Const(bits) => Some(bits),
            _ => None,
        })
        .collect();
    constants.sort_unstable();
    constants.dedup();
    constants
}
