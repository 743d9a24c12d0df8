//! The execution of a path in all iterations at once.

use std::cell::OnceCell;

use dashu_int::IBig;
use rhumb_program::interp::{KeyedInputs, input_value};
use rhumb_program::{
    Action, AllocKind, Callee, EdgeId, FuncId, InputSiteId, LocId, LocKind, Program, Scope, Type,
    VarId,
};
use rustc_hash::FxHashMap;

use super::form::Form;
use super::limit::{Cycle, Limit};
use super::region::{Effect as Change, Region};
use super::state::{Activation, CycleState, step};
use super::value::{Environment, Evaluator, Value};
use super::{CyclePlace, Effect, Item, Obstacle, Repeated, Start};

/// No jump takes an input site beyond so many passages, so that what comes behind it can still be counted.
const MAX_PASSAGES: u64 = 1 << 63;

/// A path under way.
pub(super) struct Walk<'a> {
    program: &'a Program,
    inputs: &'a KeyedInputs,
    operations: &'a mut u64,
    region: Region,
    /// Whether floating-point arithmetic may round in other directions than to nearest, once somebody asked.
    rounding: OnceCell<bool>,
    state: CycleState<'a>,
    location: LocId,
    /// Number of activations at the start of the innermost cycle under way: what lies below is not touched by it, so it
    /// must not return there.
    floor: usize,
    /// The edge that comes next or is under way.
    edge: Option<(FuncId, EdgeId)>,
    /// What made the limit stricter last, and where.
    obstacle: Option<(Obstacle, FuncId, EdgeId)>,
}

/// What a cycle started with.
struct Before {
    place: CyclePlace,
    depth: usize,
    globals: FxHashMap<VarId, Value>,
    locals: FxHashMap<VarId, Value>,
    occurrences: FxHashMap<InputSiteId, Form>,
}

static NOTHING: Effect = Effect {
    vars: Vec::new(),
    sites: Vec::new(),
};

impl<'a> Walk<'a> {
    pub(super) fn new(
        program: &'a Program,
        start: &'a dyn Start,
        inputs: &'a KeyedInputs,
        operations: &'a mut u64,
        place: CyclePlace,
    ) -> Walk<'a> {
        Walk {
            program,
            inputs,
            operations,
            region: Region::new(),
            rounding: OnceCell::new(),
            state: CycleState {
                program,
                start,
                effect: &NOTHING,
                globals: FxHashMap::default(),
                activations: vec![Activation {
                    function: place.function,
                    locals: FxHashMap::default(),
                    caller: None,
                }],
                occurrences: FxHashMap::default(),
            },
            location: place.location,
            floor: 1,
            edge: None,
            obstacle: None,
        }
    }

    /// How often the cycle can be taken.
    pub(super) fn limit(mut self, cycle: &Cycle<'a>) -> Limit {
        self.state.effect = cycle.effect;
        let before = self.before();
        let walked = self
            .path(cycle.body)
            .and_then(|()| self.closed(&before))
            .and_then(|()| self.has_effect(&before, cycle.effect, 0));
        match walked {
            Ok(()) => Limit {
                count: self.region.limit().cloned(),
                obstacle: self.obstacle,
                period: self.region.period().cloned(),
            },
            Err(obstacle) => Limit {
                count: Some(IBig::ZERO),
                obstacle: self.edge.map(|(function, edge)| (obstacle, function, edge)),
                period: self.region.period().cloned(),
            },
        }
    }

    /// What the path adds when it is taken once. Nothing is proved.
    pub(super) fn effect(mut self, body: &[Item]) -> Option<Effect> {
        let before = self.before();
        self.path(body).ok()?;
        self.closed(&before).ok()?;
        let mut effect = Effect::default();
        let outermost = self.state.activations.first()?;
        for (&var, now) in self.state.globals.iter().chain(&outermost.locals) {
            let Value::Int(now) = now else {
                continue;
            };
            let Value::Int(was) = self.state.initial(var).ok()? else {
                return None;
            };
            let step = &now.constant - was.constant;
            if !step.is_zero() {
                effect.vars.push((var, step));
            }
        }
        for (&site, now) in &self.state.occurrences {
            let step = &now.constant - self.state.initial_occurrences(site).constant;
            if !step.is_zero() {
                effect.sites.push((site, step));
            }
        }
        effect.vars.sort_unstable_by_key(|&(var, _)| var);
        effect.sites.sort_unstable_by_key(|&(site, _)| site);
        Some(effect)
    }

    fn here(&self) -> CyclePlace {
        CyclePlace {
            function: self.function(),
            location: self.location,
        }
    }

    fn function(&self) -> FuncId {
        let current = self.state.activations.last();
        current.map_or(self.program.start, |activation| activation.function)
    }

    fn before(&self) -> Before {
        let locals = self.state.activations.last();
        Before {
            place: self.here(),
            depth: self.state.activations.len(),
            globals: self.state.globals.clone(),
            locals: locals.map_or_else(FxHashMap::default, |current| current.locals.clone()),
            occurrences: self.state.occurrences.clone(),
        }
    }

    fn path(&mut self, items: &[Item]) -> Result<(), Obstacle> {
        for item in items {
            match item {
                &Item::Edge(function, edge) => self.step(function, edge)?,
                Item::Jump(jump) => self.jump(jump)?,
            }
        }
        Ok(())
    }

    /// Notes what a requirement did to the limit.
    fn note(&mut self, change: Change, obstacle: Obstacle) {
        if let (Change::Stricter, Some((function, edge))) = (change, self.edge) {
            self.obstacle = Some((obstacle, function, edge));
        }
    }

    // --- Inner cycles ---

    fn jump(&mut self, jump: &Repeated) -> Result<(), Obstacle> {
        let level = self.region.levels();
        let count = self.count(jump);
        let change = self
            .region
            .require_not_negative(count.clone().shifted(&IBig::NEG_ONE));
        self.note(change, Obstacle::Count);
        // Whoever is changed must be known as it was before.
        for &(var, _) in &jump.effect.vars {
            self.state.read(var)?;
        }
        for &(site, _) in &jump.effect.sites {
            self.state.occurrences_of(site);
        }
        let before = self.before();
        self.add_effect(&jump.effect, &|form, step| form.add_slope(level, step))?;
        self.region.push(count.clone());
        let floor = std::mem::replace(&mut self.floor, before.depth);
        self.path(&jump.body)?;
        self.floor = floor;
        self.closed(&before)?;
        self.has_effect(&before, &jump.effect, level)?;
        self.region.pop();
        // All that was written has its old value plus so many times its step.
        self.restore(before);
        self.add_effect(&jump.effect, &|form, step| {
            *form = form.plus(&count.times(step));
        })
    }

    /// How often an inner cycle is taken, by the iterations of those around it.
    fn count(&self, jump: &Repeated) -> Form {
        let mut count = Form::constant(IBig::from(jump.count.first.clone()));
        let levels = (0..self.region.levels()).rev();
        for (level, growth) in levels.zip(&jump.count.growth) {
            count.add_slope(level, growth);
        }
        count
    }

    fn add_effect(
        &mut self,
        effect: &Effect,
        add: &dyn Fn(&mut Form, &IBig),
    ) -> Result<(), Obstacle> {
        for (var, step) in &effect.vars {
            let Value::Int(mut form) = self.state.read(*var)? else {
                return Err(Obstacle::Effect);
            };
            add(&mut form, step);
            self.state.values_of(*var)?.insert(*var, Value::Int(form));
        }
        for (site, step) in &effect.sites {
            let mut form = self.state.occurrences_of(*site);
            add(&mut form, step);
            self.state.occurrences.insert(*site, form);
        }
        Ok(())
    }

    /// The path is back where it began.
    fn closed(&self, before: &Before) -> Result<(), Obstacle> {
        if self.here() == before.place && self.state.activations.len() == before.depth {
            Ok(())
        } else {
            Err(Obstacle::NotClosed)
        }
    }

    /// Everything is what it was before, plus the effect once for this iteration and for all before it.
    fn has_effect(&self, before: &Before, effect: &Effect, level: usize) -> Result<(), Obstacle> {
        let CycleState {
            globals,
            activations,
            occurrences,
            ..
        } = &self.state;
        let locals = activations.last().ok_or(Obstacle::NotClosed)?;
        // At the outermost level what was before is the initial value; so it is for what only the cycle itself has touched. Neither needs
        // the slope of this level: the initial value of the outermost level has it already.
        for (&var, now) in globals.iter().chain(&locals.locals) {
            let known = before.globals.get(&var).or(before.locals.get(&var));
            let mut was = match known {
                Some(value) => value.clone(),
                None => self.state.initial(var)?,
            };
            if let Some(step) = step(&effect.vars, var) {
                let Value::Int(form) = &mut was else {
                    return Err(Obstacle::Effect);
                };
                if level > 0 {
                    form.add_slope(level, step);
                }
                form.constant += step;
            }
            if was != *now {
                return Err(Obstacle::Effect);
            }
        }
        for (&site, now) in occurrences {
            let known = before.occurrences.get(&site).cloned();
            let mut was = known.unwrap_or_else(|| self.state.initial_occurrences(site));
            if let Some(step) = step(&effect.sites, site) {
                if level > 0 {
                    was.add_slope(level, step);
                }
                was.constant += step;
            }
            if was != *now {
                return Err(Obstacle::Effect);
            }
        }
        // What was never touched is not changed.
        let touched = |var: &VarId| globals.contains_key(var) || locals.locals.contains_key(var);
        let complete = effect.vars.iter().all(|(var, _)| touched(var))
            && (effect.sites.iter()).all(|(site, _)| occurrences.contains_key(site));
        if complete {
            Ok(())
        } else {
            Err(Obstacle::Effect)
        }
    }

    fn restore(&mut self, before: Before) {
        self.state.globals = before.globals;
        if let Some(current) = self.state.activations.last_mut() {
            current.locals = before.locals;
        }
        self.state.occurrences = before.occurrences;
    }

    // --- Edges ---

    fn step(&mut self, function: FuncId, id: EdgeId) -> Result<(), Obstacle> {
        self.edge = Some((function, id));
        let program = self.program;
        let cfa = &program.functions[function].cfa;
        let edge = &cfa.edges[id];
        if self.function() != function || self.location != edge.source {
            return Err(Obstacle::NotClosed);
        }
        self.location = edge.target;
        match &edge.action {
            Action::Skip => self.spend()?,
            &Action::Assume { cond, holds } => {
                let outcome = self.evaluate(|evaluator| evaluator.condition(cond))?;
                if outcome != holds {
                    return Err(Obstacle::Condition);
                }
            }
            &Action::Assign { dst, value } => {
                let value = self.evaluate(|evaluator| evaluator.value(value))?;
                self.state.write(dst, value)?;
            }
            &Action::Input { dst, site } => self.input(dst, site)?,
            Action::Call { dst, callee, args } => {
                let &Callee::Function(callee) = callee else {
                    return Err(Obstacle::Call);
                };
                return self.call(callee, args, edge.target, *dst);
            }
            &Action::Return { value } => {
                let wanted = program.functions[function].result;
                let result = match value {
                    Some(value) if wanted == Some(program.exprs.ty(value)) => {
                        Some(self.evaluate(|evaluator| evaluator.value(value))?)
                    }
                    _ => None,
                };
                return self.leave(result);
            }
            Action::Approximate { .. } => return Err(Obstacle::Approximation),
            Action::InputBytes { .. }
            | Action::Load { .. }
            | Action::Store { .. }
            | Action::Copy { .. }
            | Action::Fill { .. }
            | Action::Enter(_)
            | Action::Leave(_)
            | Action::Alloc { .. }
            | Action::Free { .. } => return Err(Obstacle::Memory),
            Action::Exit { .. } => return Err(Obstacle::NotClosed),
        }
        if cfa.locations[edge.target].kind == LocKind::Exit {
            return self.leave(None);
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<(), Obstacle> {
        *self.operations = self.operations.checked_sub(1).ok_or(Obstacle::Operations)?;
        Ok(())
    }

    fn evaluate<T>(
        &mut self,
        f: impl FnOnce(&mut Evaluator<'_>) -> Result<T, Obstacle>,
    ) -> Result<T, Obstacle> {
        let mut obstacle = None;
        let mut evaluator = Evaluator {
            program: self.program,
            region: &mut self.region,
            rounding: &self.rounding,
            environment: &mut self.state,
            operations: self.operations,
            obstacle: &mut obstacle,
        };
        let result = f(&mut evaluator);
        if let (Some(obstacle), Some((function, edge))) = (obstacle, self.edge) {
            self.obstacle = Some((obstacle, function, edge));
        }
        result
    }

    fn input(&mut self, dst: VarId, site: InputSiteId) -> Result<(), Obstacle> {
        self.spend()?;
        let ty = self.program.vars[dst].ty;
        if ty == Type::Ptr {
            return Err(Obstacle::Pointer);
        }
        let passage = self.state.occurrences_of(site);
        let first = u64::try_from(&passage.constant).map_err(|_| Obstacle::Input)?;
        let end = self.inputs.end_of_value_run(site, first).min(MAX_PASSAGES);
        // All passages lie in the run of equal inputs that the first one is in.
        let behind = passage.clone().shifted(&-IBig::from(first));
        let change = self.region.require_not_negative(behind);
        self.note(change, Obstacle::Input);
        let room = passage.negated().shifted(&(IBig::from(end) - IBig::ONE));
        let change = self.region.require_not_negative(room);
        self.note(change, Obstacle::Input);
        let next = passage.shifted(&IBig::ONE);
        self.state.occurrences.insert(site, next);
        let bits = input_value(ty, self.inputs.value_at(site, first));
        self.state.write(dst, Value::from_bits(ty, bits))
    }

    fn call(
        &mut self,
        callee: FuncId,
        args: &[rhumb_program::ExprId],
        back: LocId,
        dst: Option<VarId>,
    ) -> Result<(), Obstacle> {
        let program = self.program;
        if has_local_memory(program, callee) {
            return Err(Obstacle::Call);
        }
        let function = &program.functions[callee];
        if args.len() < function.params.len() {
            return Err(Obstacle::Call);
        }
        let mut locals = FxHashMap::default();
        for (index, &arg) in args.iter().enumerate() {
            let value = self.evaluate(|evaluator| evaluator.value(arg))?;
            if let Some(&param) = function.params.get(index) {
                if program.vars[param].ty != program.exprs.ty(arg) {
                    return Err(Obstacle::Call);
                }
                locals.insert(param, value);
            }
        }
        self.state.activations.push(Activation {
            function: callee,
            locals,
            caller: Some((back, dst)),
        });
        self.location = function.cfa.entry;
        Ok(())
    }

    fn leave(&mut self, result: Option<Value>) -> Result<(), Obstacle> {
        if self.state.activations.len() <= self.floor {
            return Err(Obstacle::NotClosed);
        }
        let left = self.state.activations.pop();
        let (back, dst) = left
            .and_then(|left| left.caller)
            .ok_or(Obstacle::NotClosed)?;
        self.location = back;
        match (dst, result) {
            (Some(dst), Some(value)) => self.state.write(dst, value),
            _ => Ok(()),
        }
    }
}

/// Whether activations of the function have objects or allocations of their own.
fn has_local_memory(program: &Program, function: FuncId) -> bool {
    let owns = Scope::Local(function);
    program.objects.iter().any(|object| object.scope == owns)
        || program.functions[function].cfa.edges.iter().any(|edge| {
            matches!(
                edge.action,
                Action::Alloc {
                    kind: AllocKind::Stack,
                    ..
                }
            )
        })
}
