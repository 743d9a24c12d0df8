//! Runs with random inputs, before anything else.
//!
//! Right for programs that many inputs break: there is no need to know why. The interpreter follows them wherever they
//! go, also through memory, floats and recursion, of which the formulas know nothing.

use rhumb_program::interp::{
    InputSource, KeyedInputs, Machine, Outcome, RandomInputs, Recorder, RunLimits,
};
use rhumb_program::{InputSiteId, TargetId, Type};

use crate::claim::Claim;
use crate::task::Task;

/// Runs, steps that each may take, and steps of all together: a few milliseconds.
const RUNS: u64 = 64;
/// Runs where inputs are floats: few of those are in the range that a program expects.
const RUNS_OF_FLOATS: u64 = 256;
const STEPS: u64 = 10_000;
const ALL_STEPS: u64 = 160_000;
const MEMORY: u64 = 1 << 24;

/// The same for long runs: some tenths of a second.
const LONG_RUNS: u64 = 12;
const LONG_STEPS: u64 = 1 << 24;
const ALL_LONG_STEPS: u64 = 3 << 24;
const LONG_MEMORY: u64 = 1 << 28;

/// Of so many long runs one has all of its inputs at random.
const ONE_OF: u64 = 3;

/// Random inputs for the first passages of each site, and for the first bytes; zero from then on.
struct Sparse {
    random: RandomInputs,
    passages: u64,
}

impl Sparse {
    /// How many of the first bytes are random.
    fn first_bytes(&self) -> usize {
        usize::try_from(self.passages.saturating_mul(8)).unwrap_or(usize::MAX)
    }
}

impl InputSource for Sparse {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        match occurrence < self.passages {
            true => self.random.value(site, occurrence, ty),
            false => 0,
        }
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        if occurrence < self.passages {
            let count = out.len().min(self.first_bytes());
            self.random.bytes(site, occurrence, &mut out[..count]);
        }
    }
}

/// An error that a long run leads to, mostly on inputs of which only the first are not zero.
///
/// Right for programs that fill, copy or sort long arrays and then look at the first elements: an error that some
/// contents lead to is there for contents that are soon told, too. And for those that look at a certain element far
/// behind, or at all of them: most contents do.
///
/// Short runs first: they are easier to follow, for the checker as for people.
pub(crate) fn wander(task: &Task<'_>) -> Option<Claim> {
    let limits = |steps: u64| RunLimits {
        steps,
        memory: LONG_MEMORY,
        ..RunLimits::default()
    };
    let tried = || {
        (0..LONG_RUNS).map(|run| Sparse {
            random: RandomInputs::new(run),
            passages: match run % ONE_OF {
                1 => u64::MAX,
                _ => run / 2,
            },
        })
    };
    let machine = task.machine();
    let short = errors(machine, tried(), limits(STEPS), ALL_STEPS);
    let long = errors(machine, tried(), limits(LONG_STEPS), ALL_LONG_STEPS);
    let (target, inputs) = short.chain(long).next()?;
    Some(Claim::Unsafe { target, inputs })
}

/// An error that some random inputs lead to.
pub(crate) fn stumble(task: &Task<'_>) -> Option<Claim> {
    let (target, inputs) = stumbles(task.machine()).next()?;
    Some(Claim::Unsafe { target, inputs })
}

/// All runs to errors that random inputs lead to, one after the other.
pub(crate) fn stumbles(machine: &Machine<'_>) -> impl Iterator<Item = (TargetId, KeyedInputs)> {
    let limits = RunLimits {
        steps: STEPS,
        memory: MEMORY,
        ..RunLimits::default()
    };
    let sites = &machine.program().inputs;
    let has_floats = (sites.iter()).any(|site| matches!(site.ty, Some(Type::Float(_))));
    let runs = if has_floats { RUNS_OF_FLOATS } else { RUNS };
    errors(machine, (0..runs).map(RandomInputs::new), limits, ALL_STEPS)
}

/// The runs on these inputs that lead to errors, in so many steps of all runs together.
pub(crate) fn errors<I: InputSource>(
    machine: &Machine<'_>,
    tried: impl Iterator<Item = I>,
    limits: RunLimits,
    most_steps: u64,
) -> impl Iterator<Item = (TargetId, KeyedInputs)> {
    let mut steps = 0;
    let runs = tried.map_while(move |inputs| {
        if steps >= most_steps {
            return None;
        }
        let mut inputs = Recorder::new(inputs);
        let run = machine.run(&mut inputs, &limits);
        steps += run.steps;
        Some((run, inputs))
    });
    runs.filter_map(|(run, inputs)| match run.outcome {
        Outcome::Target(target) if run.is_definite() => Some((target, inputs.into_inputs())),
        _ => None,
    })
}
