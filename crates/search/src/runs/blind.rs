//! Runs with random inputs, before anything else.
//!
//! Right for programs that many inputs break: there is no need to know why. The interpreter follows them wherever they
//! go, also through memory, floats and recursion, of which the formulas know nothing.

use rhumb_program::interp::{InputSource, Outcome, RandomInputs, Recorder, RunLimits};
use rhumb_program::{InputSiteId, Type};

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
const LONG_RUNS: u64 = 8;
const LONG_STEPS: u64 = 1 << 24;
const ALL_LONG_STEPS: u64 = 3 << 24;
const LONG_MEMORY: u64 = 1 << 28;

/// Random inputs for the first passages of each site, and for the first bytes; zero from then on.
struct Sparse {
    random: RandomInputs,
    passages: u64,
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
            let count = out.len().min(8 * self.passages as usize);
            self.random.bytes(site, occurrence, &mut out[..count]);
        }
    }
}

/// An error that a long run leads to, on inputs of which only the first are not zero.
///
/// Right for programs that fill, copy or sort long arrays and then look at the first elements: an error that some
/// contents lead to is there for contents that are soon told, too.
pub(crate) fn wander(task: &Task<'_>) -> Option<Claim> {
    let limits = RunLimits {
        steps: LONG_STEPS,
        memory: LONG_MEMORY,
        ..RunLimits::default()
    };
    let sparse = (0..LONG_RUNS).map(|seed| Sparse {
        random: RandomInputs::new(seed),
        passages: 1 + seed % 4,
    });
    first_error(task, sparse, &limits, ALL_LONG_STEPS)
}

/// An error that some random inputs lead to.
pub(crate) fn stumble(task: &Task<'_>) -> Option<Claim> {
    let limits = RunLimits {
        steps: STEPS,
        memory: MEMORY,
        ..RunLimits::default()
    };
    let sites = &task.lowered.inputs;
    let has_floats = (sites.iter()).any(|site| matches!(site.ty, Some(Type::Float(_))));
    let runs = if has_floats { RUNS_OF_FLOATS } else { RUNS };
    first_error(task, (0..runs).map(RandomInputs::new), &limits, ALL_STEPS)
}

/// The first error that one of these inputs leads to, in so many steps of all runs together.
fn first_error<I: InputSource>(
    task: &Task<'_>,
    tried: impl Iterator<Item = I>,
    limits: &RunLimits,
    most_steps: u64,
) -> Option<Claim> {
    let machine = task.machine();
    let mut steps = 0;
    for inputs in tried {
        let mut inputs = Recorder::new(inputs);
        let run = machine.run(&mut inputs, limits);
        if let Outcome::Target(target) = run.outcome
            && run.is_definite()
        {
            let inputs = inputs.into_inputs();
            return Some(Claim::Unsafe { target, inputs });
        }
        steps += run.steps;
        if steps >= most_steps {
            break;
        }
    }
    None
}
