//! States on their way from one function to another.

use rhumb_program::{FuncId, Program, Scope, VarId};

use super::super::explicit::{KnownState, Slots, Value};
use super::layout::Frame;

/// A state with more symbols than this takes none from a call.
const MAX_SYMBOLS: usize = 64;

/// Variables of a function's frame.
pub(super) struct Seats<'a>(pub(super) &'a Frame);

impl Slots for Seats<'_> {
    fn slot(&self, var: VarId) -> Option<usize> {
        self.0.slot(var)
    }

    fn named(&mut self, _: usize, _: Value) {}
}

/// The states in which a function is entered from others, with arguments that have these values there. What is known of
/// symbols goes along; who they were does not.
pub(super) fn entered(
    program: &Program,
    (here, there): (&Frame, &Frame),
    callee: FuncId,
    state: &KnownState,
    args: &[Value],
) -> KnownState {
    let mut values = vec![Value::Any; there.types.len()];
    for (slot, &var) in there.vars.iter().enumerate() {
        if program.vars[var].scope == Scope::Global
            && let Some(own) = here.slot(var)
        {
            values[slot] = state.values[own];
        }
    }
    for (&param, &value) in program.functions[callee].params.iter().zip(args) {
        if let Some(slot) = there.slot(param) {
            values[slot] = value;
        }
    }
    let zone = state.zone.clone();
    KnownState { values, zone }.normal(&there.types)
}

/// The states behind a call that was made in some and returned in others. What the callee can't have set is as before;
/// the rest is as the callee left it.
pub(super) fn returned(
    (here, there): (&Frame, &Frame),
    dst: Option<VarId>,
    mut state: KnownState,
    exit: &KnownState,
) -> KnownState {
    let mut left = KnownState::any(exit.values.len());
    for &(slot, _) in &there.sets {
        left.values[slot] = exit.values[slot];
    }
    left.values[there.result()] = exit.values[there.result()];
    left.zone = exit.zone.clone();
    let left = left.normal(&there.types);
    let are_taken = state.zone.len() + left.zone.len() <= MAX_SYMBOLS;
    let more = match are_taken {
        true => state.zone.append(&left.zone),
        false => 0,
    };
    let taken = |value: Value| match value {
        Value::Symbol(symbol, number) if are_taken => Value::Symbol(symbol + more, number),
        Value::Symbol(..) => Value::Any,
        value => value,
    };
    for &(slot, var) in &there.sets {
        if let Some(own) = here.slot(var) {
            state.values[own] = taken(left.values[slot]);
        }
    }
    if let Some(own) = dst.and_then(|dst| here.slot(dst)) {
        state.values[own] = taken(left.values[there.result()]);
    }
    state
}
