//! Regions: all that can happen between one cut point and the next ones.

use rhumb_program::graph::{CallEffects, CallGraph};
use rhumb_program::{
    Action, Callee, Cfa, EdgeId, ExprId, ExprKind, FuncId, IndexVec, LocId, LocKind, Program, Span,
    TargetId, UnsupportedId, VarId,
};
use rustc_hash::FxHashMap;

use super::expr::{Encoder, Value};
use super::path::Paths;
use super::state::State;

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
    /// A call that was not inlined, of something that is not known to be harmless.
    Call(EdgeId),
}

impl GoalKind {
    /// The location, if it is one.
    pub(crate) fn location(self) -> Option<LocId> {
        match self {
            GoalKind::Cut(at) | GoalKind::Target(at, _) | GoalKind::Unsupported(at, _) => Some(at),
            GoalKind::Call(_) => None,
        }
    }
}

/// One end of a region, and the state there.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    pub(crate) kind: GoalKind,
    pub(crate) state: State,
}

/// The automaton in which regions are explored.
pub(crate) struct Region<'p> {
    pub(crate) cfa: &'p Cfa,
    pub(crate) calls: &'p Calls,
    /// Whether an execution stops at a location.
    pub(crate) is_cut: &'p dyn Fn(LocId) -> bool,
    /// Whether anything that matters can be reached from a location. Executions that come to others are not followed.
    pub(crate) matters: &'p IndexVec<LocId, bool>,
}

/// What is known of functions that may still be called.
pub(crate) struct Calls {
    /// The functions whose calls reach no target and nothing unsupported.
    harmless: Vec<bool>,
    /// Whether all functions are harmless that a pointer may point to.
    pointers: bool,
    /// What calls can set.
    effects: CallEffects,
}

impl Calls {
    pub(crate) fn of(program: &Program) -> Calls {
        let graph = CallGraph::of(program);
        let is_bad = |function: FuncId| {
            let locations = &program.functions[function].cfa.locations;
            locations.iter().any(|location| {
                matches!(location.kind, LocKind::Target(_) | LocKind::Unsupported(_))
            })
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
        Calls {
            harmless,
            pointers,
            effects: CallEffects::of(program, program.start),
        }
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
        starts: Vec<(LocId, State)>,
    ) -> Result<Vec<Goal>, Malformed> {
        let order = self.order(starts.iter().map(|start| start.0))?;
        let mut waiting: FxHashMap<LocId, Vec<State>> = FxHashMap::default();
        let mut goals: Vec<(GoalKind, Vec<State>)> = Vec::new();
        let mut places: FxHashMap<GoalKind, usize> = FxHashMap::default();
        let mut reach = |kind: GoalKind, state: State| {
            let place = *places.entry(kind).or_insert_with(|| {
                goals.push((kind, Vec::new()));
                goals.len() - 1
            });
            goals[place].1.push(state);
        };
        let mut first: FxHashMap<LocId, State> = starts.into_iter().collect();
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
        mut state: State,
        encoder: &mut Encoder<'_>,
        paths: &mut Paths,
        reach: &mut dyn FnMut(GoalKind, State),
    ) -> Result<Vec<(LocId, State)>, Malformed> {
        match *self.cfa.outgoing(location) {
            [] => Ok(Vec::new()),
            [id] => {
                let edge = &self.cfa.edges[id];
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
}

/// Both ways of a branch: first the one on which the condition holds.
fn branch(
    condition: ExprId,
    [holds, fails]: [LocId; 2],
    state: State,
    encoder: &mut Encoder<'_>,
    paths: &mut Paths,
) -> Vec<(LocId, State)> {
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
fn apply(action: &Action, state: &mut State, encoder: &mut Encoder<'_>, effects: &CallEffects) {
    let program = encoder.program;
    let value = match *action {
        Action::Assign { value, .. } => Some(encoder.value(value, state)),
        Action::Alloc { .. } => Some(Value::Number(encoder.address("allocated"))),
        _ => None,
    };
    for &var in effects.set_by(program, action) {
        let declared = &program.vars[var];
        let any = encoder.unknown(&declared.decl.name, declared.ty);
        state.set(var, any);
    }
    if let Some(var) = action.defined_var() {
        let declared = &program.vars[var];
        let value = value.unwrap_or_else(|| encoder.unknown(&declared.decl.name, declared.ty));
        state.set(var, value);
    }
}

/// All states that come to one place as one; none if no run comes.
fn join(
    encoder: &mut Encoder<'_>,
    paths: &mut Paths,
    states: impl IntoIterator<Item = State>,
) -> Option<State> {
    let mut joined: Option<State> = None;
    for next in states {
        joined = match joined {
            None => Some(next),
            Some(all) => all.join(next, encoder, paths),
        };
    }
    joined
}
