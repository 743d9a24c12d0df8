//! Questions on a way, answered in all ways that are possible.

use rhumb_program::Program;

use super::super::explicit::{Evaluation, KnownState, Open, Slots};

/// So many answers to the questions of one expression are looked at.
const MAX_ANSWERS: usize = 8;

/// The states in which an expression has a value, with that: one for each way to answer the questions that it raises.
/// `first` is tried before the other.
pub(super) fn answers<S: Slots, T>(
    program: &Program,
    slots: impl Fn() -> S,
    state: KnownState,
    first: bool,
    ask: impl Fn(&mut Evaluation<'_, S>) -> Result<T, Open>,
) -> Vec<(KnownState, T)> {
    let mut open = vec![state];
    let mut found = Vec::new();
    while let Some(mut state) = open.pop() {
        let asked = ask(&mut Evaluation {
            program,
            slots: slots(),
            state: &mut state,
        });
        match asked {
            Ok(answer) => found.push((state, answer)),
            Err(Open(atom)) => {
                open.extend(state.clone().learned(atom, !first));
                open.extend(state.learned(atom, first));
            }
        }
        if found.len() >= MAX_ANSWERS {
            break;
        }
    }
    found
}

/// The same for several expressions, one after the other.
pub(super) fn all_answers<S: Slots, T: Clone, E: Copy>(
    program: &Program,
    slots: impl Fn() -> S,
    state: KnownState,
    exprs: &[E],
    ask: impl Fn(&mut Evaluation<'_, S>, E) -> Result<T, Open>,
) -> Vec<(KnownState, Vec<T>)> {
    let mut found = vec![(state, Vec::with_capacity(exprs.len()))];
    for &expr in exprs {
        let mut next = Vec::new();
        for (state, values) in found {
            for (state, value) in answers(program, &slots, state, true, |e| ask(e, expr)) {
                let mut values = values.clone();
                values.push(value);
                next.push((state, values));
            }
        }
        next.truncate(MAX_ANSWERS);
        found = next;
    }
    found
}
