//! What is followed in which function, and which calls need not be followed at all.

use rhumb_program::graph::{CallGraph, Graph};
use rhumb_program::{
    Action, Callee, Cfa, ExprId, ExprKind, FuncId, IndexVec, LocId, Program, Scope, Type, VarId,
};
use rustc_hash::FxHashMap;

use super::super::explicit::{Bounds, KnownState, Value, bounds_of};
use super::excluded;
use super::view::Following;

/// A set of followed globals, by their numbers among these.
type Bits = Vec<u64>;

/// What calls do, whatever is followed.
pub(super) struct CallMap {
    /// Functions that a pointer may point to.
    address_taken: Vec<FuncId>,
    /// Who may call whom, with callees of pointers by their types.
    graph: Graph<FuncId>,
    /// Whether a function, or one that it calls, has something that must not be reached.
    is_bad: IndexVec<FuncId, bool>,
    /// The globals that each function itself uses, and whether it sets them.
    globals: IndexVec<FuncId, Vec<(VarId, bool)>>,
    /// Functions that calls through pointers don't go to, by the expressions of these pointers.
    excluded: FxHashMap<ExprId, Vec<FuncId>>,
}

impl CallMap {
    pub(super) fn of(program: &Program) -> CallMap {
        let address_taken = CallGraph::of(program).address_taken().to_vec();
        let mut map = CallMap {
            address_taken,
            graph: Graph::new(0, std::iter::empty()),
            is_bad: IndexVec::new(),
            globals: (program.functions.iter())
                .map(|function| globals_of(program, &function.cfa))
                .collect(),
            excluded: excluded::of(program),
        };
        let mut calls: Vec<(FuncId, FuncId)> = Vec::new();
        for (caller, function) in program.functions.iter_enumerated() {
            let before = calls.len();
            for edge in &function.cfa.edges {
                let callees = map.callees(program, &edge.action);
                calls.extend(callees.into_iter().map(|callee| (caller, callee)));
            }
            calls[before..].sort_unstable();
        }
        calls.dedup();
        map.graph = Graph::new(program.functions.len(), calls.iter().copied());
        let own = program.functions.iter_enumerated().filter(|(_, function)| {
            let mut locations = function.cfa.locations.iter();
            locations.any(|location| location.kind.is_bad())
        });
        map.is_bad = map.graph.reaching(own.map(|(id, _)| id));
        map
    }

    /// The functions of the program that an action may enter.
    pub(super) fn callees(&self, program: &Program, action: &Action) -> Vec<FuncId> {
        let Action::Call { dst, callee, args } = action else {
            return Vec::new();
        };
        let types = args.iter().map(|&arg| program.exprs.ty(arg));
        let result = dst.map(|dst| program.vars[dst].ty);
        let fits = |function: &FuncId| program.takes(*function, types.clone(), result);
        match *callee {
            Callee::Builtin(_) => Vec::new(),
            Callee::Function(function) => Some(function).into_iter().filter(fits).collect(),
            Callee::Pointer(ptr) => match program.exprs[ptr].kind {
                ExprKind::FuncAddr(function) => Some(function).into_iter().filter(fits).collect(),
                _ => {
                    let excluded = self.excluded.get(&ptr).map_or(&[][..], Vec::as_slice);
                    let taken = self.address_taken.iter().copied().filter(fits);
                    taken
                        .filter(|function| !excluded.contains(function))
                        .collect()
                }
            },
        }
    }
}

fn globals_of(program: &Program, cfa: &Cfa) -> Vec<(VarId, bool)> {
    let mut globals = Vec::new();
    for edge in &cfa.edges {
        edge.action.for_each_expr(|expr| {
            (program.exprs).for_each_var(expr, &mut |var| globals.push((var, false)));
        });
        globals.extend(edge.action.defined_var().map(|var| (var, true)));
    }
    globals.retain(|(var, _)| program.vars[*var].scope == Scope::Global);
    globals.sort_unstable();
    globals.dedup();
    globals
}

/// The variables that a function's states have values for.
pub(super) struct Frame {
    /// Its own, in increasing order; then globals that it or its callees use, in increasing order; then its result.
    pub(super) vars: Vec<VarId>,
    locals: usize,
    /// The bounds of their types, and of the result's.
    pub(super) types: Vec<Bounds>,
    /// The globals that it or its callees may set: their slots here, and they themselves.
    pub(super) sets: Vec<(usize, VarId)>,
    /// Slots whose values are told apart only up to this distance from zero.
    coarse: Vec<(usize, u32)>,
    /// Whether several edges lead to a location.
    pub(super) is_join: IndexVec<LocId, bool>,
    /// Whether the next thing at a location is a call that is followed.
    pub(super) is_call: IndexVec<LocId, bool>,
    /// For each location the own variables whose values may still be looked at.
    live: Vec<u64>,
    words: usize,
}

impl Frame {
    /// The slot of the result.
    pub(super) fn result(&self) -> usize {
        self.vars.len()
    }

    /// The slot of a variable.
    pub(super) fn slot(&self, var: VarId) -> Option<usize> {
        let (locals, globals) = self.vars.split_at(self.locals);
        match locals.binary_search(&var) {
            Ok(slot) => Some(slot),
            Err(_) => Some(self.locals + globals.binary_search(&var).ok()?),
        }
    }

    /// The slots of own variables whose values nobody looks at any more.
    pub(super) fn dead(&self, at: LocId) -> impl Iterator<Item = usize> + '_ {
        let live = &self.live[at.index() * self.words..];
        (0..self.locals).filter(move |slot| live[slot / 64] >> (slot % 64) & 1 == 0)
    }

    /// The same states and more: of coarse variables, numbers far from zero are any that are.
    pub(super) fn coarsened(&self, mut state: KnownState) -> KnownState {
        for &(slot, bound) in &self.coarse {
            let Some((least, most)) = state.bounds(state.values[slot]) else {
                continue;
            };
            let (bound, (min, max)) = (i128::from(bound), self.types[slot]);
            let lower = match least {
                least if least < -bound => min,
                least => least.min(bound + 1),
            };
            let upper = match most {
                most if most > bound => max,
                most => most.max(-bound - 1),
            };
            if (lower, upper) != (least, most) {
                state.values[slot] = Value::Symbol(state.zone.add(lower, upper), 0);
            }
        }
        state
    }

    fn find_live(&mut self, program: &Program, cfa: &Cfa) {
        let incoming = cfa.incoming();
        let mut waiting: Vec<LocId> = cfa.locations.indices().collect();
        let mut is_waiting = IndexVec::from_vec(vec![true; cfa.locations.len()]);
        while let Some(at) = waiting.pop() {
            is_waiting[at] = false;
            let mut row = vec![0; self.words];
            for &edge in cfa.outgoing(at) {
                let edge = &cfa.edges[edge];
                let start = edge.target.index() * self.words;
                let mut after = self.live[start..start + self.words].to_vec();
                let own = |var: VarId| self.vars[..self.locals].binary_search(&var).ok();
                if let Some(slot) = edge.action.defined_var().and_then(own) {
                    after[slot / 64] &= !(1 << (slot % 64));
                }
                edge.action.for_each_expr(|expr| {
                    program.exprs.for_each_var(expr, &mut |var| {
                        if let Some(slot) = own(var) {
                            after[slot / 64] |= 1 << (slot % 64);
                        }
                    });
                });
                row.iter_mut()
                    .zip(after)
                    .for_each(|(all, more)| *all |= more);
            }
            let here = at.index() * self.words;
            if self.live[here..here + self.words] != row {
                self.live[here..here + self.words].copy_from_slice(&row);
                for &edge in &incoming[at] {
                    let source = cfa.edges[edge].source;
                    if !std::mem::replace(&mut is_waiting[source], true) {
                        waiting.push(source);
                    }
                }
            }
        }
    }
}

/// What is followed, worked out.
pub(super) struct Layout {
    frames: IndexVec<FuncId, Option<Box<Frame>>>,
    is_followed: IndexVec<VarId, bool>,
    coarse: FxHashMap<VarId, u32>,
    globals: Vec<VarId>,
    locals: IndexVec<FuncId, Vec<VarId>>,
    uses: IndexVec<FuncId, Bits>,
    sets: IndexVec<FuncId, Bits>,
}

impl Layout {
    pub(super) fn new(program: &Program, calls: &CallMap, following: &Following) -> Layout {
        let mut is_followed = IndexVec::from_vec(vec![false; program.vars.len()]);
        let mut globals = Vec::new();
        let mut locals: IndexVec<FuncId, Vec<VarId>> =
            (0..program.functions.len()).map(|_| Vec::new()).collect();
        let mut sorted = following.vars.clone();
        sorted.sort_unstable();
        sorted.dedup();
        for var in sorted {
            let Some(info) = program.vars.get(var) else {
                continue;
            };
            if bounds_of(program, info.ty).is_none() {
                continue;
            }
            is_followed[var] = true;
            match info.scope {
                Scope::Global => globals.push(var),
                Scope::Local(function) => locals[function].push(var),
            }
        }
        let words = globals.len().div_ceil(64);
        let empty: IndexVec<FuncId, Bits> = (0..program.functions.len())
            .map(|_| vec![0; words])
            .collect();
        let mut layout = Layout {
            frames: (0..program.functions.len()).map(|_| None).collect(),
            is_followed,
            coarse: following.coarse.iter().copied().collect(),
            globals,
            locals,
            uses: empty.clone(),
            sets: empty,
        };
        layout.find_globals(calls);
        layout
    }

    /// Finds out which globals functions and their callees use and set.
    fn find_globals(&mut self, calls: &CallMap) {
        if self.globals.is_empty() {
            return;
        }
        for (id, globals) in calls.globals.iter_enumerated() {
            for (var, is_set) in globals {
                if let Ok(bit) = self.globals.binary_search(var) {
                    self.uses[id][bit / 64] |= 1 << (bit % 64);
                    self.sets[id][bit / 64] |= u64::from(*is_set) << (bit % 64);
                }
            }
        }
        // Callees come before callers, and what can call each other comes together.
        for component in calls.graph.components().iter() {
            for table in [&mut self.uses, &mut self.sets] {
                let mut all = vec![0; self.globals.len().div_ceil(64)];
                for &function in component {
                    let callees = calls.graph.successors(function).iter();
                    for from in callees.chain([&function]) {
                        let more = &table[*from];
                        all.iter_mut()
                            .zip(more)
                            .for_each(|(all, more)| *all |= more);
                    }
                }
                for &function in component {
                    table[function].clone_from(&all);
                }
            }
        }
    }

    fn named<'a>(&'a self, bits: &'a Bits) -> impl Iterator<Item = VarId> + 'a {
        let globals = self.globals.iter().enumerate();
        let members = globals.filter(|(bit, _)| bits[bit / 64] >> (bit % 64) & 1 == 1);
        members.map(|(_, &var)| var)
    }

    /// Makes the frame of a function, unless it is there, with what a walk through all of it needs.
    pub(super) fn prepare(&mut self, program: &Program, calls: &CallMap, function: FuncId) {
        if self.frames[function].is_some() {
            return;
        }
        let cfa = &program.functions[function].cfa;
        let mut frame = self.outlined(program, function);
        frame.is_join = (cfa.incoming().iter())
            .map(|edges| edges.len() > 1)
            .collect();
        let is_call = cfa
            .locations
            .iter()
            .map(|location| match *location.outgoing {
                [edge] => self.is_followed_call(program, calls, &cfa.edges[edge].action),
                _ => false,
            });
        frame.is_call = is_call.collect();
        frame.words = frame.locals.div_ceil(64);
        frame.live = vec![0; frame.words * cfa.locations.len()];
        frame.find_live(program, cfa);
        self.frames[function] = Some(Box::new(frame));
    }

    /// Makes the frame of a function, unless it is there, with what is needed to go one way.
    pub(super) fn outline(&mut self, program: &Program, function: FuncId) {
        if self.frames[function].is_none() {
            self.frames[function] = Some(Box::new(self.outlined(program, function)));
        }
    }

    fn outlined(&self, program: &Program, function: FuncId) -> Frame {
        let mut vars = self.locals[function].clone();
        let locals = vars.len();
        vars.extend(self.named(&self.uses[function]));
        let bounds = |ty: Type| bounds_of(program, ty).unwrap_or((0, 0));
        let mut types: Vec<Bounds> = vars
            .iter()
            .map(|&var| bounds(program.vars[var].ty))
            .collect();
        types.push(program.functions[function].result.map_or((0, 0), bounds));
        let coarse = vars.iter().enumerate();
        let coarse = coarse.filter_map(|(slot, var)| Some((slot, *self.coarse.get(var)?)));
        let mut frame = Frame {
            locals,
            types,
            coarse: coarse.collect(),
            sets: Vec::new(),
            is_join: IndexVec::new(),
            is_call: IndexVec::new(),
            live: Vec::new(),
            words: 0,
            vars,
        };
        let sets = self.named(&self.sets[function]);
        frame.sets = sets
            .filter_map(|var| Some((frame.slot(var)?, var)))
            .collect();
        frame
    }

    /// Whether a variable is followed.
    pub(super) fn follows(&self, var: VarId) -> bool {
        self.is_followed[var]
    }

    /// The frame of a function that was prepared.
    pub(super) fn frame(&self, function: FuncId) -> Option<&Frame> {
        self.frames[function].as_deref()
    }

    /// Whether a function must be entered by a call: it has something that must not be reached, sets what is followed,
    /// or its result is followed.
    pub(super) fn must_enter(&self, calls: &CallMap, function: FuncId, dst: Option<VarId>) -> bool {
        calls.is_bad[function]
            || self.sets[function].iter().any(|&word| word != 0)
            || dst.is_some_and(|dst| self.is_followed[dst])
    }

    /// The followed globals that a function or its callees may set.
    pub(super) fn set_by(&self, function: FuncId) -> impl Iterator<Item = VarId> + '_ {
        self.named(&self.sets[function])
    }

    /// Whether an action is a call that must be followed into one of its callees.
    fn is_followed_call(&self, program: &Program, calls: &CallMap, action: &Action) -> bool {
        let dst = action.defined_var();
        let callees = calls.callees(program, action);
        callees
            .iter()
            .any(|&callee| self.must_enter(calls, callee, dst))
    }
}
