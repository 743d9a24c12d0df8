//! What is followed in which function, and which calls have to be entered.

use std::cell::RefCell;
use std::rc::Rc;

use rhumb_program::{Action, Callee, Cfa, ExprKind, FuncId, LocId, LocKind, Program, Scope, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Following;
use crate::calls::address_taken;
use crate::states::{KnownState, Range};

/// The variables that states of a function have values for: its own that are followed, then globals that it or its callees use, then its
/// result.
pub(super) struct Frame {
    pub(super) vars: Vec<VarId>,
    /// Their ranges, and any for the result.
    pub(super) types: Vec<Option<Range>>,
    slots: FxHashMap<VarId, usize>,
    locals: usize,
    coarse: Vec<(usize, i128)>,
    /// Where states are compared: where ways meet, at calls that are entered, at the exit.
    pub(super) is_stop: Vec<bool>,
    pub(super) is_call: Vec<bool>,
    /// The own variables that may still be looked at, location by location: so many words each.
    live: Vec<u64>,
    words: usize,
}

impl Frame {
    pub(super) fn slot(&self, var: VarId) -> Option<usize> {
        self.slots.get(&var).copied()
    }

    pub(super) fn range(&self, var: VarId) -> Option<&Range> {
        self.types[self.slot(var)?].as_ref()
    }

    pub(super) fn result(&self) -> usize {
        self.vars.len()
    }

    pub(super) fn is_global(&self, slot: usize) -> bool {
        slot >= self.locals
    }

    pub(super) fn globals(&self) -> impl Iterator<Item = (usize, VarId)> + '_ {
        (self.locals..self.vars.len()).map(|slot| (slot, self.vars[slot]))
    }

    /// The own variables that nobody looks at any more.
    pub(super) fn dead(&self, at: LocId) -> impl Iterator<Item = usize> + '_ {
        let live = &self.live[at.index() * self.words..(at.index() + 1) * self.words];
        (0..self.locals).filter(move |slot| live[slot / 64] >> (slot % 64) & 1 == 0)
    }

    /// The same states and more: numbers of coarse variables that are far from zero are not told apart.
    pub(super) fn coarsened(&self, mut state: KnownState) -> KnownState {
        for &(slot, bound) in &self.coarse {
            let value = state.get(slot);
            let (Some(range), Some(all)) = (state.range(value), &self.types[slot]) else {
                continue;
            };
            let least = match range.least < -bound {
                true => all.least,
                false => range.least.min(bound + 1),
            };
            let most = match range.most > bound {
                true => all.most,
                false => range.most.max(-bound - 1),
            };
            if (least, most) != (range.least, range.most) {
                let value = state.symbol(Range::new(least, most));
                state.set(slot, value);
            }
        }
        state
    }

    fn find_live(&mut self, program: &Program, cfa: &Cfa) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); cfa.locations.len()];
        for edge in &cfa.edges {
            before[edge.target.index()].push(edge.source.index());
        }
        let mut todo: Vec<usize> = (0..before.len()).collect();
        let mut is_waiting = vec![true; before.len()];
        while let Some(at) = todo.pop() {
            is_waiting[at] = false;
            let mut row = vec![0; self.words];
            for &edge in cfa.outgoing(LocId::from_raw(at as u32)) {
                let edge = &cfa.edges[edge];
                let next = edge.target.index() * self.words;
                let mut after = self.live[next..next + self.words].to_vec();
                let own = |var: VarId| self.slot(var).filter(|&slot| slot < self.locals);
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
            let here = at * self.words;
            if self.live[here..here + self.words] != row {
                self.live[here..here + self.words].copy_from_slice(&row);
                for &source in &before[at] {
                    if !std::mem::replace(&mut is_waiting[source], true) {
                        todo.push(source);
                    }
                }
            }
        }
    }
}

/// The frames of all functions, made when they are entered.
pub(super) struct Frames<'p> {
    program: &'p Program,
    taken: Vec<FuncId>,
    /// Followed variables of each function.
    locals: Vec<Vec<VarId>>,
    /// Followed globals that each function, or what it calls, uses or sets; and those that it sets.
    uses: Vec<Vec<VarId>>,
    sets: Vec<FxHashSet<VarId>>,
    /// Whether something bad is in a function or in what it calls.
    is_bad: Vec<bool>,
    coarse: FxHashMap<VarId, u32>,
    follows: FxHashSet<VarId>,
    made: RefCell<FxHashMap<FuncId, Rc<Frame>>>,
}

impl<'p> Frames<'p> {
    pub(super) fn new(program: &'p Program, following: &Following) -> Frames<'p> {
        let count = program.functions.len();
        let taken = address_taken(program);
        let var = |&number: &u32| {
            let var = VarId::from_raw(number);
            let declared = program.vars.get(var)?;
            Range::of(program, declared.ty).map(|_| var)
        };
        let mut vars: Vec<VarId> = following.vars.iter().filter_map(var).collect();
        vars.sort_unstable();
        vars.dedup();
        let coarse = following.coarse.iter();
        let coarse = coarse.filter_map(|(number, bound)| Some((var(number)?, *bound)));
        let mut frames = Frames {
            program,
            taken: taken.iter().map(|&f| FuncId::from_raw(f as u32)).collect(),
            locals: vec![Vec::new(); count],
            uses: vec![Vec::new(); count],
            sets: vec![FxHashSet::default(); count],
            is_bad: vec![false; count],
            coarse: coarse.collect(),
            follows: vars.iter().copied().collect(),
            made: RefCell::default(),
        };
        let mut globals = Vec::new();
        for var in vars {
            match program.vars[var].scope {
                Scope::Global => globals.push(var),
                Scope::Local(function) => frames.locals[function.index()].push(var),
            }
        }
        frames.find_globals(&globals);
        frames
    }

    /// Which globals functions use and set, and which are bad: what holds of a function holds of all that may call it.
    fn find_globals(&mut self, globals: &[VarId]) {
        let program = self.program;
        let count = program.functions.len();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut uses: FxHashMap<VarId, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
        let mut bad = Vec::new();
        for (id, function) in program.functions.iter_enumerated() {
            let locations = function.cfa.locations.iter();
            let kinds = locations.map(|location| location.kind);
            if { kinds }.any(|kind| matches!(kind, LocKind::Target(_) | LocKind::Unsupported(_))) {
                bad.push(id.index());
            }
            for edge in &function.cfa.edges {
                for callee in self.callees(&edge.action) {
                    callers[callee.index()].push(id.index());
                }
                edge.action.for_each_expr(|expr| {
                    program.exprs.for_each_var(expr, &mut |var| {
                        if program.vars[var].scope == Scope::Global && self.follows.contains(&var) {
                            uses.entry(var).or_default().0.push(id.index());
                        }
                    });
                });
                if let Some(var) = edge.action.defined_var() {
                    uses.entry(var).or_default().1.push(id.index());
                }
            }
        }
        for list in &mut callers {
            list.sort_unstable();
            list.dedup();
        }
        let spread = |mut todo: Vec<usize>| {
            let mut mark = vec![false; count];
            while let Some(function) = todo.pop() {
                if !std::mem::replace(&mut mark[function], true) {
                    todo.extend(&callers[function]);
                }
            }
            mark
        };
        self.is_bad = spread(bad);
        for &var in globals {
            let (mut users, setters) = uses.remove(&var).unwrap_or_default();
            users.extend(&setters);
            for (function, _) in spread(users).iter().enumerate().filter(|(_, used)| **used) {
                self.uses[function].push(var);
            }
            for (function, _) in spread(setters).iter().enumerate().filter(|(_, set)| **set) {
                self.sets[function].insert(var);
            }
        }
    }

    /// The functions that an action may enter. A call with other arguments than a function takes ends the run.
    pub(super) fn callees(&self, action: &Action) -> Vec<FuncId> {
        let program = self.program;
        let Action::Call { dst, callee, args } = action else {
            return Vec::new();
        };
        let types = args.iter().map(|&arg| program.exprs.ty(arg));
        let result = dst.map(|dst| program.vars[dst].ty);
        let fits = |function: &FuncId| program.takes(*function, types.clone(), result);
        let named = match *callee {
            Callee::Builtin(_) => return Vec::new(),
            Callee::Function(function) => Some(function),
            Callee::Pointer(pointer) => match program.exprs[pointer].kind {
                ExprKind::FuncAddr(function) => Some(function),
                _ => None,
            },
        };
        match named {
            Some(function) => Some(function).into_iter().filter(fits).collect(),
            None => self.taken.iter().copied().filter(fits).collect(),
        }
    }

    /// Whether a call matters: it may do something bad, or change what is followed.
    pub(super) fn must_enter(&self, callee: FuncId, dst: Option<VarId>) -> bool {
        self.is_bad[callee.index()]
            || !self.sets[callee.index()].is_empty()
            || dst.is_some_and(|dst| self.follows.contains(&dst))
    }

    /// The followed globals that a function may set.
    pub(super) fn sets(&self, function: FuncId) -> impl Iterator<Item = VarId> + '_ {
        self.sets[function.index()].iter().copied()
    }

    pub(super) fn of(&self, function: FuncId) -> Rc<Frame> {
        if let Some(frame) = self.made.borrow().get(&function) {
            return frame.clone();
        }
        let frame = Rc::new(self.make(function));
        self.made.borrow_mut().insert(function, frame.clone());
        frame
    }

    fn make(&self, function: FuncId) -> Frame {
        let program = self.program;
        let cfa = &program.functions[function].cfa;
        let own = &self.locals[function.index()];
        let vars: Vec<VarId> = own
            .iter()
            .chain(&self.uses[function.index()])
            .copied()
            .collect();
        let slots: FxHashMap<VarId, usize> = vars
            .iter()
            .enumerate()
            .map(|(slot, &var)| (var, slot))
            .collect();
        let types = vars
            .iter()
            .map(|&var| Range::of(program, program.vars[var].ty));
        let result = program.functions[function].result;
        let result = result.and_then(|ty| Range::of(program, ty));
        let coarse = vars
            .iter()
            .enumerate()
            .filter_map(|(slot, var)| Some((slot, i128::from(*self.coarse.get(var)?))));
        let mut incoming = vec![0_u32; cfa.locations.len()];
        for edge in &cfa.edges {
            incoming[edge.target.index()] += 1;
        }
        let is_call = cfa.locations.indices().map(|at| match *cfa.outgoing(at) {
            [edge] => match &cfa.edges[edge].action {
                Action::Call {
                    callee: Callee::Builtin(_),
                    ..
                } => false,
                action @ Action::Call { dst, .. } => {
                    let callees = self.callees(action);
                    callees.is_empty() || callees.iter().any(|&f| self.must_enter(f, *dst))
                }
                _ => false,
            },
            _ => false,
        });
        let is_call: Vec<bool> = is_call.collect();
        let stops = cfa.locations.iter_enumerated().map(|(at, location)| {
            incoming[at.index()] > 1 || is_call[at.index()] || location.kind == LocKind::Exit
        });
        let words = own.len().div_ceil(64);
        let mut frame = Frame {
            types: types.chain([result]).collect(),
            coarse: coarse.collect(),
            locals: own.len(),
            is_stop: stops.collect(),
            live: vec![0; words * cfa.locations.len()],
            words,
            is_call,
            slots,
            vars,
        };
        frame.find_live(program, cfa);
        frame
    }
}
