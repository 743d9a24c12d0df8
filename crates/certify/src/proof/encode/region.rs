//! Regions: all that can happen between one cut point and the next ones.

use rhumb_logic::Term;
use rhumb_program::graph::{CallEffects, CallGraph};
use rhumb_program::{
    Action, Callee, Cfa, EdgeId, ExprId, ExprKind, FuncId, IndexVec, LocId, LocKind, Program, Span,
    TargetId, Type, UnsupportedId, VarId,
};
use rustc_hash::FxHashMap;

use super::expr::{Encoder, Value};
use super::path::Paths;
use super::state::SymbolicState;

/// Why a program can't be encoded: it breaks a rule of the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    /// A location with other edges than the model allows.
    #[error("a location has neither one edge nor the two of a branch")]
    Shape(Span),
    /// A cycle without a cut point.
    #[error("a cycle goes through no cut point")]
    Uncut,
}

/// What an execution that leaves a region has reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum GoalKind {
    /// A cut point.
    Cut(LocId),
    /// A target.
    Target(LocId, TargetId),
    /// Something that the model can't express.
    Unsupported(LocId, UnsupportedId),
    /// A call that was not inlined: of something that is not known to be harmless, or of a function of which something is said.
    Call(EdgeId),
    /// A return of a function of which something is said.
    Return(EdgeId),
}

impl GoalKind {
    /// The location, if it is one.
    pub(crate) fn location(self) -> Option<LocId> {
        match self {
            GoalKind::Cut(at) | GoalKind::Target(at, _) | GoalKind::Unsupported(at, _) => Some(at),
            GoalKind::Call(_) | GoalKind::Return(_) => None,
        }
    }
}

/// One end of a region, and the state there.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    pub(crate) kind: GoalKind,
    pub(crate) state: SymbolicState,
}

/// The automaton in which regions are explored.
pub(crate) struct Region<'p> {
    pub(crate) cfa: &'p Cfa,
    pub(crate) calls: &'p Calls,
    /// What is known of calls; where something is said of a function, its body is checked for the returns, too.
    pub(crate) agreed: Option<Agreement<'p>>,
    /// Whether an execution stops at a location.
    pub(crate) is_cut: &'p dyn Fn(LocId) -> bool,
    /// Whether anything that matters can be reached from a location. Executions that come to others are not followed.
    pub(crate) matters: &'p IndexVec<LocId, bool>,
}

/// What a proof by contracts makes of calls and returns.
#[derive(Clone, Copy)]
pub(crate) struct Agreement<'p> {
    /// What is said of callees.
    pub(crate) callees: &'p dyn Agreed,
    /// Whether the automaton is that of a function that is called, so that its returns are goals.
    pub(crate) returns: bool,
}

/// What is known of functions that may still be called.
pub(crate) struct Calls {
    /// The functions whose calls reach no target and nothing unsupported.
    harmless: Vec<bool>,
    /// Whether all functions are harmless that a pointer may point to.
    pointers: bool,
    /// What calls can set.
    effects: CallEffects,
    /// The functions that a run may be in: the start first.
    entered: Vec<FuncId>,
}

/// What a proof says of functions whose calls stay.
pub(crate) trait Agreed {
    /// Whether something is said of what the action calls, and the call is one that the function takes.
    fn covers(&self, program: &Program, action: &Action) -> bool;

    /// What holds when such a call returns, if all that the function asks for held before it: over the state before,
    /// the one that it leaves behind, and its result.
    fn ensured(
        &self,
        action: &Action,
        before: &SymbolicState,
        after: &SymbolicState,
        result: Option<&Value>,
        encoder: &mut Encoder<'_>,
    ) -> Term;

    /// The type of what it returns.
    fn result(&self, program: &Program, action: &Action) -> Option<Type>;
}

impl Calls {
    pub(crate) fn of(program: &Program) -> Calls {
        let graph = CallGraph::of(program);
        let is_bad = |function: FuncId| {
            let locations = &program.functions[function].cfa.locations;
            locations.iter().any(|location| location.kind.is_bad())
        };
        // Callees come before callers, and what can call each other comes together.
        let mut harmless = vec![false; program.functions.len()];
        for component in graph.components().iter() {
            let is_fine = component.iter().all(|&function| {
                let mut callees = graph.callees(function).iter();
                !is_bad(function)
                    && callees.all(|callee| harmless[callee.index()] || component.contains(callee))
            });
            for function in component {
                harmless[function.index()] = is_fine;
            }
        }
        let pointers = graph
            .address_taken()
            .iter()
            .all(|function| harmless[function.index()]);
        let reachable = graph.reachable(program.start);
        let mut entered = vec![program.start];
        let others = program.functions.indices();
        entered.extend(others.filter(|&id| reachable[id] && id != program.start));
        Calls {
            harmless,
            pointers,
            effects: CallEffects::of_callers(program, &entered),
            entered,
        }
    }

    /// The functions that a run may be in, as far as the calls say: the start first.
    pub(crate) fn entered(&self) -> &[FuncId] {
        &self.entered
    }

    /// The variables that an action sets in a body that it runs.
    pub(crate) fn set_by(&self, program: &Program, action: &Action) -> &[VarId] {
        self.effects.set_by(program, action)
    }

    /// Whether a call reaches no target and nothing unsupported.
    pub(crate) fn is_harmless(&self, program: &Program, callee: Callee) -> bool {
        match callee {
            Callee::Function(function) => self.harmless[function.index()],
            Callee::Builtin(_) => true,
            Callee::Pointer(pointer) => match program.exprs[pointer].kind {
                ExprKind::FuncAddr(function) => self.harmless[function.index()],
                _ => self.pointers,
            },
        }
    }
}

impl Region<'_> {
    /// Executes all that leads from a location to the next cut points and other ends, joining what meets. The size of what it makes
    /// is linear in the region, but for variables that are set on branches that meet.
    pub(crate) fn explore(
        &self,
        encoder: &mut Encoder<'_>,
        paths: &mut Paths,
        starts: Vec<(LocId, SymbolicState)>,
    ) -> Result<Vec<Goal>, Malformed> {
        let order = self.order(starts.iter().map(|start| start.0))?;
        let mut waiting: FxHashMap<LocId, Vec<SymbolicState>> = FxHashMap::default();
        let mut goals: Vec<(GoalKind, Vec<SymbolicState>)> = Vec::new();
        let mut places: FxHashMap<GoalKind, usize> = FxHashMap::default();
        let mut reach = |kind: GoalKind, state: SymbolicState| {
            let place = *places.entry(kind).or_insert_with(|| {
                goals.push((kind, Vec::new()));
                goals.len() - 1
            });
            goals[place].1.push(state);
        };
        let mut first: FxHashMap<LocId, SymbolicState> = starts.into_iter().collect();
        for location in order {
            let start = first.remove(&location);
            // What comes back to a start has reached a cut point and is not here.
            let states = waiting.remove(&location).unwrap_or_default();
            let Some(state) = join(encoder, paths, start.into_iter().chain(states)) else {
                continue;
            };
            for (target, state) in self.step(location, state, encoder, paths, &mut reach)? {
                match self.cfa.locations[target].kind {
                    LocKind::Target(id) => reach(GoalKind::Target(target, id), state),
                    LocKind::Unsupported(id) => {
                        reach(GoalKind::Unsupported(target, id), state);
                    }
                    // Returns are goals, where they are wanted, and nothing else leads there.
                    LocKind::Exit if self.agreed.is_some_and(|agreed| agreed.returns) => {
                        return Err(Malformed::Shape(
                            self.cfa.edges[self.cfa.outgoing(location)[0]].span,
                        ));
                    }
                    LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => {}
                    LocKind::Plain if !self.matters[target] => {}
                    LocKind::Plain if (self.is_cut)(target) => reach(GoalKind::Cut(target), state),
                    LocKind::Plain => waiting.entry(target).or_default().push(state),
                }
            }
        }
        let joined = goals.into_iter().filter_map(|(kind, states)| {
            let state = join(encoder, paths, states)?;
            Some(Goal { kind, state })
        });
        Ok(joined.collect())
    }

    /// The locations of the region, each after those that lead to it.
    fn order(&self, starts: impl Iterator<Item = LocId>) -> Result<Vec<LocId>, Malformed> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            Open,
            Done,
        }
        let mut marks: FxHashMap<LocId, Mark> = FxHashMap::default();
        let mut order = Vec::new();
        for start in starts {
            if marks.contains_key(&start) {
                continue;
            }
            marks.insert(start, Mark::Open);
            let mut stack = vec![(start, 0usize)];
            while let Some((location, next)) = stack.last_mut() {
                let location = *location;
                let Some(&edge) = self.cfa.outgoing(location).get(*next) else {
                    stack.pop();
                    marks.insert(location, Mark::Done);
                    order.push(location);
                    continue;
                };
                *next += 1;
                let target = self.cfa.edges[edge].target;
                let is_inner = self.matters[target]
                    && self.cfa.locations[target].kind == LocKind::Plain
                    && !(self.is_cut)(target);
                if !is_inner {
                    continue;
                }
                match marks.get(&target) {
                    Some(Mark::Done) => {}
                    Some(Mark::Open) => return Err(Malformed::Uncut),
                    None => {
                        marks.insert(target, Mark::Open);
                        stack.push((target, 0));
                    }
                }
            }
        }
        order.reverse();
        Ok(order)
    }

    /// The edges of one location.
    fn step(
        &self,
        location: LocId,
        mut state: SymbolicState,
        encoder: &mut Encoder<'_>,
        paths: &mut Paths,
        reach: &mut dyn FnMut(GoalKind, SymbolicState),
    ) -> Result<Vec<(LocId, SymbolicState)>, Malformed> {
        match *self.cfa.outgoing(location) {
            [] => Ok(Vec::new()),
            [id] => {
                let edge = &self.cfa.edges[id];
                if let Some(agreement) = self.agreed {
                    if agreement.callees.covers(encoder.program, &edge.action) {
                        reach(GoalKind::Call(id), state.clone());
                        let behind = self.call(&edge.action, agreement, state, encoder, paths);
                        return Ok(behind
                            .map(|state| (edge.target, state))
                            .into_iter()
                            .collect());
                    }
                    if agreement.returns && self.cfa.locations[edge.target].kind == LocKind::Exit {
                        let Action::Return { .. } = edge.action else {
                            return Err(Malformed::Shape(edge.span));
                        };
                        reach(GoalKind::Return(id), state);
                        return Ok(Vec::new());
                    }
                }
                if let Action::Call { callee, .. } = edge.action
                    && !self.calls.is_harmless(encoder.program, callee)
                {
                    reach(GoalKind::Call(id), state);
                    return Ok(Vec::new());
                }
                if let Action::Assume { .. } = edge.action {
                    return Err(Malformed::Shape(edge.span));
                }
                apply(&edge.action, &mut state, encoder, &self.calls.effects);
                Ok(vec![(edge.target, state)])
            }
            [first, second] => {
                let (first, second) = (&self.cfa.edges[first], &self.cfa.edges[second]);
                let (condition, holds) = match (&first.action, &second.action) {
                    (
                        Action::Assume { cond: a, holds },
                        Action::Assume {
                            cond: b,
                            holds: other,
                        },
                    ) if a == b && holds != other => (*a, *holds),
                    _ => return Err(Malformed::Shape(first.span)),
                };
                let targets = match holds {
                    true => [first.target, second.target],
                    false => [second.target, first.target],
                };
                Ok(branch(condition, targets, state, encoder, paths))
            }
            [first, ..] => Err(Malformed::Shape(self.cfa.edges[first].span)),
        }
    }

    /// The state behind a call of a function of which something is said; none if it doesn't return.
    fn call(
        &self,
        action: &Action,
        agreement: Agreement<'_>,
        before: SymbolicState,
        encoder: &mut Encoder<'_>,
        paths: &mut Paths,
    ) -> Option<SymbolicState> {
        let mut after = before.clone();
        forget(action, &mut after, encoder, &self.calls.effects);
        let ty = agreement.callees.result(encoder.program, action);
        let result = ty.map(|ty| encoder.unknown("result", ty));
        let ensured =
            (agreement.callees).ensured(action, &before, &after, result.as_ref(), encoder);
        // As if the call went on only with what the function ensures: it does nothing else.
        let path = paths.extend(encoder.terms, after.path, ensured)?;
        // Last, since the variable may be a global one that the function has left with another value.
        if let (Some(dst), Some(result)) = (action.defined_var(), result) {
            after.set(dst, result);
        }
        Some(after.on(path))
    }
}

/// Both ways of a branch: first the one on which the condition holds.
fn branch(
    condition: ExprId,
    [holds, fails]: [LocId; 2],
    state: SymbolicState,
    encoder: &mut Encoder<'_>,
    paths: &mut Paths,
) -> Vec<(LocId, SymbolicState)> {
    let terms = encoder.terms;
    let literal = encoder.truth(condition, &state);
    let mut next = Vec::with_capacity(2);
    if let Some(path) = paths.extend(terms, state.path, literal) {
        next.push((holds, state.clone().on(path)));
    }
    if let Some(path) = paths.extend(terms, state.path, terms.not(literal)) {
        let checked = encoder.checked(condition, &state);
        let mut state = state.on(path);
        if let Some(checked) = checked {
            state.note_fits(checked);
        }
        next.push((fails, state));
    }
    next
}

/// The effect of an action that is no branch.
fn apply(
    action: &Action,
    state: &mut SymbolicState,
    encoder: &mut Encoder<'_>,
    effects: &CallEffects,
) {
    let program = encoder.program;
    let value = match *action {
        Action::Assign { value, .. } => Some(encoder.value(value, state)),
        Action::Alloc { .. } => Some(Value::Number(encoder.address("allocated"))),
        Action::Load { dst, access, .. } if program.vars[dst].ty == access.ty => {
            Some(encoder.read_by(&program.vars[dst].decl.name, access))
        }
        _ => None,
    };
    forget(action, state, encoder, effects);
    if let Some(var) = action.defined_var() {
        let declared = &program.vars[var];
        let value = value.unwrap_or_else(|| encoder.unknown(&declared.decl.name, declared.ty));
        state.set(var, value);
    }
}

/// What a call may set has any value.
fn forget(
    action: &Action,
    state: &mut SymbolicState,
    encoder: &mut Encoder<'_>,
    effects: &CallEffects,
) {
    let program = encoder.program;
    for &var in effects.set_by(program, action) {
        let declared = &program.vars[var];
        let any = encoder.unknown(&declared.decl.name, declared.ty);
        state.set(var, any);
    }
}

/// All states that come to one place as one; none if no run comes.
fn join(
    encoder: &mut Encoder<'_>,
    paths: &mut Paths,
    states: impl IntoIterator<Item = SymbolicState>,
) -> Option<SymbolicState> {
    let mut joined: Option<SymbolicState> = None;
    for next in states {
        joined = match joined {
            None => Some(next),
            Some(all) => all.join(next, encoder, paths),
        };
    }
    joined
}
