//! The values of all variables that a cycle can change, written down to be compared later.

use dashu_int::IBig;
use index_vec::IndexVec;
use rhumb_program::interp::Execution;
use rhumb_program::{FuncId, InputSiteId, Program, Scope, Type, VarId};

use super::cycle::{Effect, Start, bits, integer};

/// The variables of a program by scope.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    globals: Vec<VarId>,
    locals: IndexVec<FuncId, Vec<VarId>>,
    sites: Vec<InputSiteId>,
    /// The place of each variable in the list of its scope.
    places: IndexVec<VarId, usize>,
}

impl Scopes {
    pub(super) fn new(program: &Program) -> Scopes {
        let mut scopes = Scopes {
            globals: Vec::new(),
            locals: program.functions.iter().map(|_| Vec::new()).collect(),
            sites: program.inputs.indices().collect(),
            places: IndexVec::with_capacity(program.vars.len()),
        };
        for (id, var) in program.vars.iter_enumerated() {
            let list = match var.scope {
                Scope::Global => &mut scopes.globals,
                Scope::Local(function) => &mut scopes.locals[function],
            };
            scopes.places.push(list.len());
            list.push(id);
        }
        scopes
    }

    /// Number of values in a state of an activation.
    pub(super) fn len(&self, function: FuncId) -> usize {
        let locals = self.locals.get(function).map_or(0, Vec::len);
        self.globals.len() + locals + self.sites.len()
    }

    /// The place of a variable among those that an activation of a function sees.
    fn place(&self, function: FuncId, var: VarId) -> Option<usize> {
        let place = *self.places.get(var)?;
        let is_at = |list: &[VarId]| list.get(place) == Some(&var);
        if is_at(&self.globals) {
            return Some(place);
        }
        let is_local = is_at(self.locals.get(function)?);
        is_local.then(|| self.globals.len() + place)
    }

    fn visible(&self, function: FuncId) -> impl Iterator<Item = VarId> {
        let locals = self.locals.get(function).map_or(&[][..], |vars| vars);
        self.globals.iter().chain(locals).copied()
    }
}

/// A state of a run, as far as cycles are about it: the current activation's variables, the globals, the passages of input sites.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    function: FuncId,
    values: Vec<u128>,
    occurrences: Vec<u64>,
}

impl Snapshot {
    /// The state in which the run stands.
    pub(super) fn take(execution: &Execution<'_, '_>, scopes: &Scopes) -> Snapshot {
        let (function, _) = execution.position();
        let values = scopes.visible(function);
        Snapshot {
            function,
            values: values
                .map(|var| execution.value(var).unwrap_or(0))
                .collect(),
            occurrences: (scopes.sites.iter())
                .map(|&site| execution.occurrences(site))
                .collect(),
        }
    }

    /// The state as the start of a cycle.
    pub(super) fn as_start<'a>(&'a self, scopes: &'a Scopes) -> impl Start + 'a {
        Values {
            scopes,
            snapshot: self,
        }
    }

    /// What was added from this state to a later one of the same activation. Only integers count: a cycle that changes anything else is
    /// refused when it is looked at.
    pub(super) fn effect_until(
        &self,
        later: &Snapshot,
        program: &Program,
        scopes: &Scopes,
    ) -> Effect {
        let mut vars: Vec<(VarId, IBig)> = scopes
            .visible(self.function)
            .zip(self.values.iter().zip(&later.values))
            .filter(|(_, (old, new))| old != new)
            .filter_map(|(var, (&old, &new))| match program.vars[var].ty {
                Type::Int(ty) => Some((var, integer(ty, new) - integer(ty, old))),
                _ => None,
            })
            .collect();
        vars.sort_unstable_by_key(|&(var, _)| var);
        let sites = (scopes.sites.iter())
            .zip(self.occurrences.iter().zip(&later.occurrences))
            .filter(|(_, (old, new))| old != new)
            .map(|(&site, (&old, &new))| (site, IBig::from(new) - IBig::from(old)))
            .collect();
        Effect { vars, sites }
    }

    /// Puts the run into this state plus so many times the effect. Gives false if that is no state, after which the run is worth nothing.
    pub(super) fn restore_plus(
        &self,
        execution: &mut Execution<'_, '_>,
        program: &Program,
        scopes: &Scopes,
        effect: &Effect,
        times: &IBig,
    ) -> bool {
        if execution.position().0 != self.function {
            return false;
        }
        let mut steps = effect.vars.iter().peekable();
        let mut old: Vec<(VarId, u128)> = scopes
            .visible(self.function)
            .zip(self.values.iter().copied())
            .collect();
        old.sort_unstable_by_key(|&(var, _)| var);
        for (var, old) in old {
            let Some((_, step)) = steps.next_if(|&&(changed, _)| changed == var) else {
                continue;
            };
            let Type::Int(ty) = program.vars[var].ty else {
                return false;
            };
            let value = integer(ty, old) + step * times;
            let new = bits(ty, &value);
            if integer(ty, new) != value || !execution.set_value(var, new) {
                return false;
            }
        }
        for (site, step) in &effect.sites {
            let before = self.occurrences.get(site.index()).copied().unwrap_or(0);
            let Ok(now) = u64::try_from(IBig::from(before) + step * times) else {
                return false;
            };
            execution.set_occurrences(*site, now);
        }
        steps.peek().is_none()
    }
}

/// A snapshot whose values can be looked up.
struct Values<'a> {
    scopes: &'a Scopes,
    snapshot: &'a Snapshot,
}

impl Start for Values<'_> {
    fn value(&self, var: VarId) -> Option<u128> {
        let place = self.scopes.place(self.snapshot.function, var)?;
        self.snapshot.values.get(place).copied()
    }

    fn occurrences(&self, site: InputSiteId) -> u64 {
        let occurrences = self.snapshot.occurrences.get(site.index());
        occurrences.copied().unwrap_or(0)
    }
}
