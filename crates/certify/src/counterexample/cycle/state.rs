//! The values of everything on a path, in all iterations at once.

use dashu_int::IBig;
use rhumb_program::{FuncId, InputSiteId, LocId, Program, Scope, VarId};
use rustc_hash::FxHashMap;

use super::form::Form;
use super::value::{Environment, Value};
use super::{Effect, Obstacle, Start};

/// The values of everything, as linear forms in the iteration numbers.
pub(super) struct CycleState<'a> {
    pub(super) program: &'a Program,
    pub(super) start: &'a dyn Start,
    /// What each iteration of the outermost cycle adds.
    pub(super) effect: &'a Effect,
    pub(super) globals: FxHashMap<VarId, Value>,
    /// The activation of the outermost cycle, then the calls made on the path.
    pub(super) activations: Vec<Activation>,
    pub(super) occurrences: FxHashMap<InputSiteId, Form>,
}

/// A call under way.
#[derive(Clone)]
pub(super) struct Activation {
    pub(super) function: FuncId,
    pub(super) locals: FxHashMap<VarId, Value>,
    /// Where its call goes on, and the variable for its result. `None` for the activation of the outermost cycle.
    pub(super) caller: Option<(LocId, Option<VarId>)>,
}

impl<'a> CycleState<'a> {
    fn is_outermost(&self) -> bool {
        self.activations.len() == 1
    }

    /// The value of a variable that the path has not touched yet.
    pub(super) fn initial(&self, var: VarId) -> Result<Value, Obstacle> {
        let info = &self.program.vars[var];
        if info.scope != Scope::Global && !self.is_outermost() {
            // A call starts with all its registers clear.
            return Ok(Value::from_bits(info.ty, 0));
        }
        let bits = self.start.value(var).ok_or(Obstacle::Operator)?;
        let mut value = Value::from_bits(info.ty, bits);
        if let Some(step) = step(&self.effect.vars, var) {
            match &mut value {
                Value::Int(form) => form.add_slope(0, step),
                _ => return Err(Obstacle::Effect),
            }
        }
        Ok(value)
    }

    pub(super) fn initial_occurrences(&self, site: InputSiteId) -> Form {
        let mut form = Form::constant(self.start.occurrences(site));
        if let Some(step) = step(&self.effect.sites, site) {
            form.add_slope(0, step);
        }
        form
    }

    /// The variables of the scope that this one belongs to.
    pub(super) fn values_of(
        &mut self,
        var: VarId,
    ) -> Result<&mut FxHashMap<VarId, Value>, Obstacle> {
        match self.program.vars[var].scope {
            Scope::Global => Ok(&mut self.globals),
            Scope::Local(owner) => match self.activations.last_mut() {
                Some(activation) if activation.function == owner => Ok(&mut activation.locals),
                _ => Err(Obstacle::Operator),
            },
        }
    }

    pub(super) fn occurrences_of(&mut self, site: InputSiteId) -> Form {
        let initial = self.initial_occurrences(site);
        self.occurrences.entry(site).or_insert(initial).clone()
    }

    pub(super) fn write(&mut self, var: VarId, value: Value) -> Result<(), Obstacle> {
        let local = self.program.vars[var].scope != Scope::Global && !self.is_outermost();
        if value == Value::Pointer && !local {
            return Err(Obstacle::Pointer);
        }
        // So that it is known later what it was.
        self.read(var)?;
        self.values_of(var)?.insert(var, value);
        Ok(())
    }
}

impl Environment for CycleState<'_> {
    fn read(&mut self, var: VarId) -> Result<Value, Obstacle> {
        if let Some(value) = self.values_of(var)?.get(&var) {
            return Ok(value.clone());
        }
        let value = self.initial(var)?;
        self.values_of(var)?.insert(var, value.clone());
        Ok(value)
    }
}

/// What an effect adds to one thing.
pub(super) fn step<Id: Ord + Copy>(steps: &[(Id, IBig)], of: Id) -> Option<&IBig> {
    let index = steps.binary_search_by_key(&of, |&(id, _)| id).ok()?;
    Some(&steps[index].1)
}
