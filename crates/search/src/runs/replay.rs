//! A run of the program as lowered, on inputs that a search has found.

use rhumb_program::TargetId;
use rhumb_program::interp::{KeyedInputs, Outcome, RunLimits};

use crate::claim::Reason;
use crate::task::Task;

/// Steps that a run may take: well under a second.
const STEPS: u64 = 20_000_000;

/// What a run comes to.
pub(crate) enum Replayed {
    /// A target, by nothing but exact steps.
    Target(TargetId),
    /// Something that the interpreter doesn't support, either.
    Unsupported(Reason),
    /// Something else.
    Other,
}

/// Lets the interpreter run the program. It knows calls that the formulas don't, so a run may get further than the search could see.
pub(crate) fn replay(task: &Task<'_>, inputs: &KeyedInputs) -> Replayed {
    replay_within(task, inputs, STEPS)
}

/// The same for a run that is short if it is what was looked for.
pub(crate) fn replay_within(task: &Task<'_>, inputs: &KeyedInputs, steps: u64) -> Replayed {
    let limits = RunLimits {
        steps: steps.min(STEPS),
        ..RunLimits::default()
    };
    let run = task.machine().run(&mut inputs.clone(), &limits);
    match run.outcome {
        Outcome::Target(target) if run.is_definite() => Replayed::Target(target),
        Outcome::Unsupported(what) => {
            let place = run.end.span(task.lowered);
            let place = place.map_or_else(String::new, |span| task.place(span));
            let what = what.describe(task.lowered);
            Replayed::Unsupported(Reason::Unsupported(format!("{what}, {place}")))
        }
        _ => Replayed::Other,
    }
}
