//! Exact execution: integers have no bounds, and all variables of a transition are set at once.

use rhumb_logic::Int;

use crate::syntax::{Assigned, Formula, Program, Sum};

/// The values of the variables.
pub type MachineState = Vec<Int>;

/// A run: where it begins, and what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first state.
    pub start: MachineState,
    /// The transitions, each with the values of what it sets to anything, in order.
    pub steps: Vec<(usize, Vec<Int>)>,
}

/// The value of an expression.
pub fn value(sum: &Sum, state: &[Int]) -> Int {
    let parts = sum.parts.iter();
    parts.fold(sum.constant.clone(), |total, (&variable, factor)| {
        total + factor * &state[variable]
    })
}

/// Whether a condition holds.
pub fn holds(formula: &Formula, state: &[Int]) -> bool {
    match formula {
        Formula::Constant(value) => *value,
        Formula::AtMostZero(sum) => value(sum, state) <= Int::ZERO,
        Formula::Zero(sum) => value(sum, state).is_zero(),
        Formula::Not(inner) => !holds(inner, state),
        Formula::All(parts) => parts.iter().all(|part| holds(part, state)),
        Formula::Any(parts) => parts.iter().any(|part| holds(part, state)),
    }
}

/// The state behind a transition, if it can be taken; what it sets to anything gets these values.
pub fn step(
    program: &Program,
    state: &[Int],
    transition: usize,
    inputs: &[Int],
) -> Option<MachineState> {
    let transition = program.transitions.get(transition)?;
    if !holds(&transition.guard, state) {
        return None;
    }
    let mut inputs = inputs.iter();
    let mut next = state.to_vec();
    for (variable, assigned) in &transition.assigned {
        next[*variable] = match assigned {
            Assigned::Value(sum) => value(sum, state),
            Assigned::Anything => inputs.next()?.clone(),
        };
    }
    Some(next)
}

/// Executes a run: all of its states, if it is one of the program and its last state violates the property.
pub fn replay(program: &Program, run: &Run) -> Option<Vec<MachineState>> {
    if run.start.len() != program.variables.len() || !holds(&program.start(), &run.start) {
        return None;
    }
    let mut states = vec![run.start.clone()];
    for (transition, inputs) in &run.steps {
        let last = states.last()?;
        states.push(step(program, last, *transition, inputs)?);
    }
    let is_error = !holds(&program.property, states.last()?);
    is_error.then_some(states)
}
