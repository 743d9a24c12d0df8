//! What calls of functions with contracts ask for and give, on their way.

use std::collections::BTreeMap;

use rhumb_program::{FuncId, Scope, VarId};
use rustc_hash::FxHashMap;

use super::formula::{Names, instance};
use super::values::{Stretch, Values};
use crate::certificate::{Contract, Formula, Name};
use crate::pool::Id;
use crate::unfold::{Activation, Agreed, Var};

/// The contracts of a proof, as the region of one body sees them.
pub(crate) struct Rules<'a> {
    pub(crate) names: &'a Names,
    pub(crate) contracts: &'a BTreeMap<FuncId, Contract>,
    /// Names for values at entries.
    pub(crate) entry: &'a [(Name, VarId)],
    /// Names for parameters of functions.
    pub(crate) params: &'a [(Name, VarId)],
}

impl Rules<'_> {
    /// What a call requires, in the state before it.
    pub(super) fn required(
        &self,
        agreed: &Agreed,
        activation: Activation,
        values: &mut Values<'_, '_>,
        at: Stretch,
    ) -> Id {
        let args = arguments(agreed, activation, values, at);
        let params = self.params.iter();
        let given = params.filter_map(|(name, var)| Some((*name, *args.get(var)?)));
        let given = given.collect();
        let formulas = self.contracts.get(&agreed.callee);
        let formulas = formulas.map_or(&[][..], |contract| &contract.requires);
        self.all(formulas, &given, values, at)
    }

    /// Forgets what a call may set, and gives what then holds.
    pub(super) fn ensured(
        &self,
        agreed: &Agreed,
        activation: Activation,
        values: &mut Values<'_, '_>,
        at: Stretch,
    ) -> Id {
        let program = values.unfolded.program;
        let args = arguments(agreed, activation, values, at);
        let mut given: FxHashMap<Name, Id> = FxHashMap::default();
        for &(name, var) in self.entry {
            let is_global = program
                .vars
                .get(var)
                .is_some_and(|var| var.scope == Scope::Global);
            let value = match args.get(&var) {
                Some(&value) => value,
                None if is_global => {
                    let value = values.get(at, values.unfolded.global_var(var));
                    values.pool.value(value)
                }
                // Of another function: it stands for anything, and not for what it was here.
                None => values.pool.fresh(crate::pool::Sort::Int),
            };
            given.insert(name, value);
        }
        let globals = agreed
            .sets
            .iter()
            .map(|&var| values.unfolded.global_var(var));
        let globals: Vec<Var> = globals.collect();
        for var in globals {
            let value = values.any(values.unfolded.ty(var));
            values.set(at, var, value);
        }
        let Some(contract) = self.contracts.get(&agreed.callee) else {
            return values.pool.bool(true);
        };
        let result = program.functions[agreed.callee].result;
        let result = result.map(|ty| values.any(ty));
        if let (Some(result), Some(name)) = (result, contract.result) {
            let number = values.pool.value(result);
            given.insert(name, number);
        }
        // Where the result goes is set behind all that is ensured: it may be a global of which something is.
        let ensured = self.all(&contract.ensures, &given, values, at);
        if let (Some(result), Some(dst)) = (result, agreed.dst) {
            values.set(at, dst, result);
        }
        ensured
    }

    fn all(
        &self,
        formulas: &[Formula],
        given: &FxHashMap<Name, Id>,
        values: &mut Values<'_, '_>,
        at: Stretch,
    ) -> Id {
        let formulas = formulas.iter();
        let parts: Vec<Id> = formulas
            .map(|formula| instance(&formula.matrix, self.names, given, values, at))
            .collect();
        values.pool.and(parts)
    }
}

/// The values of a call's arguments, by the parameters that get them.
fn arguments(
    agreed: &Agreed,
    activation: Activation,
    values: &mut Values<'_, '_>,
    at: Stretch,
) -> FxHashMap<VarId, Id> {
    let params = &values.unfolded.program.functions[agreed.callee].params;
    let mut given = FxHashMap::default();
    for (&param, &arg) in params.iter().zip(&agreed.args) {
        let value = values.evaluate(arg, activation, at);
        given.insert(param, values.pool.value(value));
    }
    given
}
