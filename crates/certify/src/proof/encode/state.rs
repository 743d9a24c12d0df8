//! Symbolic states.

use rhumb_logic::Term;
use rhumb_program::{IntType, VarId};
use rustc_hash::FxHashMap;

use super::expr::{Encoder, Value};
use super::path::{PathId, Paths};

/// Results that a check has just shown to fit are remembered up to this many.
const CHECKED: usize = 16;

/// A symbolic state: when it is reached, exactly, and the values that variables have there if it is.
///
/// Of two states that wait at the same time, at most one is reached by a run (see [`Paths`]). What isn't reached by any run is no state.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolicState {
    pub(super) path: PathId,
    values: FxHashMap<VarId, Value>,
    /// Exact results that fit their type, since the check for overflow was passed.
    checked: Vec<(Term, IntType)>,
}

impl SymbolicState {
    /// The value of a variable, if it was set.
    pub(super) fn value(&self, var: VarId) -> Option<&Value> {
        self.values.get(&var)
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, var: VarId, value: Value) {
        self.values.insert(var, value);
    }

    /// The formula under which the state is reached.
    pub(crate) fn reached(&self, paths: &Paths) -> Vec<Term> {
        paths.all(self.path)
    }

    /// The state, reached under another condition.
    pub(super) fn on(self, path: PathId) -> SymbolicState {
        SymbolicState { path, ..self }
    }

    /// Takes the state as reached whatever happens. Only for one that no other waits beside, and where the rest of what is asked assumes
    /// that it is reached.
    pub(crate) fn forget_path(&mut self) {
        self.path = PathId::default();
    }

    /// Remembers that a result fits a type.
    pub(super) fn note_fits(&mut self, (term, ty): (Term, IntType)) {
        if self.checked.len() >= CHECKED {
            self.checked.remove(0);
        }
        self.checked.push((term, ty));
    }

    /// Whether it is known that a result fits a type.
    pub(super) fn fits(&self, term: Term, ty: IntType) -> bool {
        self.checked.contains(&(term, ty))
    }

    /// The state where two executions meet, of which at most one happens; none if neither can.
    pub(super) fn join(
        self,
        other: SymbolicState,
        encoder: &mut Encoder<'_>,
        paths: &mut Paths,
    ) -> Option<SymbolicState> {
        let meeting = paths.meet(encoder.terms, self.path, other.path)?;
        let mut vars: Vec<VarId> = self.values.keys().copied().collect();
        vars.extend(
            other
                .values
                .keys()
                .filter(|var| !self.values.contains_key(*var)),
        );
        vars.sort_unstable();
        let mut values = FxHashMap::with_capacity_and_hasher(vars.len(), Default::default());
        for var in vars {
            let (a, b) = (encoder.read(var, &self), encoder.read(var, &other));
            let value = match a == b {
                true => a,
                false => Value::choose(encoder.terms, meeting.first, &a, &b),
            };
            values.insert(var, value);
        }
        Some(SymbolicState {
            path: meeting.path,
            values,
            checked: Vec::new(),
        })
    }
}
