//! Proofs by tabulation: each function explored once for every way in which it is entered, as far as some variables tell; what it returns
//! with goes to all who called it so.
//!
//! Right for large programs of many functions in which few numbers matter. The proof says which variables to follow, and of which only
//! small numbers are told apart; everything else may be anything, memory above all. Where the walk comes to an error that may be its own
//! fault: then it has no opinion. No solver is asked, nothing is inlined, and recursion needs nothing special.

mod frames;

use std::collections::VecDeque;

use rhumb_program::{Action, EdgeId, ExprId, FuncId, LocId, LocKind, Program};
use rustc_hash::FxHashMap;

use self::frames::{Frame, Frames};
use crate::check::Opinion;
use crate::decide::OpinionLimits;
use crate::states::{Eval, Facts, KnownState, Range, Shape, Value, covers};

/// What all states together may weigh, in values.
const MAX_WEIGHT: usize = 60_000_000;

/// Steps between two looks at the clock.
const STRIDE: u32 = 1024;

/// What a tabulation is to look at: variables by their numbers, and of some the distance from zero beyond which values are not told apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Following {
    pub(crate) vars: Vec<u32>,
    pub(crate) coarse: Vec<(u32, u32)>,
}

/// A function that is entered in one way.
struct Context {
    function: FuncId,
    /// Calls that wait for it: the context, the edge, and the state before it.
    callers: Vec<(usize, EdgeId, KnownState)>,
    exits: Vec<KnownState>,
}

type Seen = FxHashMap<Shape, Vec<Facts>>;

struct Tables<'p> {
    program: &'p Program,
    frames: Frames<'p>,
    contexts: Vec<Context>,
    entries: FxHashMap<(FuncId, Shape), Vec<(Facts, usize)>>,
    seen: FxHashMap<(usize, LocId), Seen>,
    open: VecDeque<(usize, LocId, KnownState)>,
    weight: usize,
}

/// Walks through all functions, and looks whether something bad is in one.
pub(crate) fn check(
    following: &Following,
    program: &Program,
    limits: &OpinionLimits<'_>,
) -> Opinion {
    let undecided = |why: &str| Opinion::Undecided(why.to_owned());
    if program.schedule().is_some() {
        return undecided("the program has threads");
    }
    let mut tables = Tables {
        program,
        frames: Frames::new(program, following),
        contexts: Vec::new(),
        entries: FxHashMap::default(),
        seen: FxHashMap::default(),
        open: VecDeque::new(),
        weight: 0,
    };
    tables.begin();
    let mut steps = 0_u32;
    while let Some((context, at, state)) = tables.open.pop_front() {
        let mut flights = vec![(at, state, false)];
        while let Some((at, state, has_left)) = flights.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STRIDE) && limits.is_over() {
                return undecided("out of time");
            }
            if tables.weight > MAX_WEIGHT {
                return undecided("there are too many states to be tabulated here");
            }
            if let Err(why) = tables.step(context, at, state, has_left, &mut flights) {
                return Opinion::Undecided(why);
            }
        }
    }
    Opinion::Valid
}

impl Tables<'_> {
    /// Enters the start function with the first values of globals.
    fn begin(&mut self) {
        let start = self.program.start;
        let program = self.program;
        let frame = self.frames.of(start);
        let mut state = KnownState::new(frame.vars.len() + 1);
        for slot in 0..frame.vars.len() {
            let var = frame.vars[slot];
            if !frame.is_global(slot) {
                continue;
            }
            let value = match program.vars[var].init {
                None => Value::Number(0),
                Some(init) => {
                    let eval = Eval {
                        program,
                        slots: &*frame,
                    };
                    match eval.values(state.clone(), init).pop() {
                        Some((after, value)) => {
                            state = after;
                            value
                        }
                        None => Value::Any,
                    }
                }
            };
            state.set(slot, value);
        }
        self.enter(start, state);
    }

    /// The context of a function that is entered in some state.
    fn enter(&mut self, function: FuncId, state: KnownState) -> usize {
        let frame = self.frames.of(function);
        let (shape, facts) = frame.coarsened(state).normal(&frame.types);
        let known = self.entries.entry((function, shape.clone())).or_default();
        if let Some((_, context)) = known.iter().find(|(large, _)| covers(large, &facts)) {
            return *context;
        }
        let context = self.contexts.len();
        known.push((facts.clone(), context));
        self.contexts.push(Context {
            function,
            callers: Vec::new(),
            exits: Vec::new(),
        });
        let entry = self.program.functions[function].cfa.entry;
        self.arrive(context, entry, KnownState::of(&shape, &facts));
        context
    }

    /// Notes a state at a location, unless one that contains it was there.
    fn arrive(&mut self, context: usize, at: LocId, mut state: KnownState) {
        let frame = self.frames.of(self.contexts[context].function);
        for slot in frame.dead(at) {
            state.set(slot, Value::Any);
        }
        let (shape, facts) = frame.coarsened(state).normal(&frame.types);
        let known = self.seen.entry((context, at)).or_default();
        let known = known.entry(shape.clone()).or_default();
        if known.iter().any(|large| covers(large, &facts)) {
            return;
        }
        known.push(facts.clone());
        self.weight += 8 + shape.len() + 4 * facts.len();
        let state = KnownState::of(&shape, &facts);
        self.open.push_back((context, at, state));
    }

    /// Follows a state by one location.
    fn step(
        &mut self,
        context: usize,
        at: LocId,
        mut state: KnownState,
        has_left: bool,
        flights: &mut Vec<(LocId, KnownState, bool)>,
    ) -> Result<(), String> {
        let program = self.program;
        let function = self.contexts[context].function;
        let cfa = &program.functions[function].cfa;
        let frame = self.frames.of(function);
        match cfa.locations[at].kind {
            LocKind::Target(_) | LocKind::Unsupported(_) => {
                let name = &program.functions[function].name;
                return Err(format!(
                    "as far as a plain tabulation tells, an error in `{name}` can be reached"
                ));
            }
            LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => return Ok(()),
            LocKind::Exit | LocKind::Plain => {}
        }
        if has_left && frame.is_stop[at.index()] {
            self.arrive(context, at, state);
            return Ok(());
        }
        if cfa.locations[at].kind == LocKind::Exit {
            self.leave(context, state);
            return Ok(());
        }
        let eval = Eval {
            program,
            slots: &*frame,
        };
        match *cfa.outgoing(at) {
            [] => {}
            [id] => {
                let edge = &cfa.edges[id];
                let go = |state: KnownState| (edge.target, state, true);
                let (slot, value) = match &edge.action {
                    Action::Assume { .. } => {
                        return Err("the program breaks a rule of the model".to_owned());
                    }
                    Action::Exit { .. } => return Ok(()),
                    Action::Call { dst, args, .. } if frame.is_call[at.index()] => {
                        let dst = *dst;
                        return self.call(context, id, dst, args, state, flights);
                    }
                    Action::Assign { dst, value } => (frame.slot(*dst), Some(*value)),
                    Action::Return { value } => (Some(frame.result()), *value),
                    Action::Alloc { dst, .. } => {
                        if let (Some(slot), Some(all)) = (frame.slot(*dst), frame.range(*dst)) {
                            let address = state.symbol(Range::new(1, all.most));
                            state.set(slot, address);
                        }
                        (None, None)
                    }
                    // What comes from memory, from outside, or from the library may be anything.
                    action => (action.defined_var().and_then(|var| frame.slot(var)), None),
                };
                match (slot, value) {
                    (None, _) => flights.push(go(state)),
                    (Some(slot), None) => {
                        state.set(slot, Value::Any);
                        flights.push(go(state));
                    }
                    (Some(slot), Some(value)) => {
                        for (mut state, value) in eval.values(state, value) {
                            state.set(slot, value);
                            flights.push(go(state));
                        }
                    }
                }
            }
            [first, second] => {
                let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
                let (
                    Action::Assume { cond, holds },
                    Action::Assume {
                        cond: again,
                        holds: other,
                    },
                ) = (&first.action, &second.action)
                else {
                    return Err("the program breaks a rule of the model".to_owned());
                };
                if cond != again || holds == other {
                    return Err("the program breaks a rule of the model".to_owned());
                }
                for (state, outcome) in eval.outcomes(state, *cond) {
                    let target = match outcome == *holds {
                        true => first.target,
                        false => second.target,
                    };
                    flights.push((target, state, true));
                }
            }
            _ => return Err("the program breaks a rule of the model".to_owned()),
        }
        Ok(())
    }

    /// A call: what it leads to is entered, and goes on behind it when that returns.
    fn call(
        &mut self,
        context: usize,
        edge: EdgeId,
        dst: Option<rhumb_program::VarId>,
        args: &[ExprId],
        state: KnownState,
        flights: &mut Vec<(LocId, KnownState, bool)>,
    ) -> Result<(), String> {
        let program = self.program;
        let function = self.contexts[context].function;
        let action = &program.functions[function].cfa.edges[edge];
        let here = self.frames.of(function);
        for callee in self.frames.callees(&action.action) {
            if !self.frames.must_enter(callee, dst) {
                flights.push((action.target, state.clone(), true));
                continue;
            }
            let there = self.frames.of(callee);
            // Arguments, one after the other, in slots behind those of the caller.
            let params = &program.functions[callee].params;
            let wanted = params.iter().zip(args);
            let wanted: Vec<(usize, ExprId)> = wanted
                .filter_map(|(&param, &arg)| Some((there.slot(param)?, arg)))
                .collect();
            let mut cases = vec![(state.clone(), Vec::new())];
            for &(_, arg) in &wanted {
                let eval = Eval {
                    program,
                    slots: &*here,
                };
                let mut next = Vec::new();
                for (state, given) in cases {
                    for (state, value) in eval.values(state, arg) {
                        let mut given: Vec<Value> = given.clone();
                        given.push(value);
                        next.push((state, given));
                    }
                }
                cases = next;
            }
            for (state, given) in cases {
                let mut entry = KnownState::new(there.vars.len() + 1);
                let mut source = state.clone();
                let from = source.extend(&given);
                let globals = there
                    .globals()
                    .filter_map(|(slot, var)| Some((here.slot(var)?, slot)));
                let params = wanted.iter().enumerate();
                let params = params.map(|(number, &(slot, _))| (from + number, slot));
                entry.take(&source, globals.chain(params));
                let entered = self.enter(callee, entry);
                self.contexts[entered]
                    .callers
                    .push((context, edge, state.clone()));
                for exit in self.contexts[entered].exits.clone() {
                    self.resume((context, edge, &state), callee, &exit);
                }
            }
        }
        Ok(())
    }

    /// A function returns.
    fn leave(&mut self, context: usize, state: KnownState) {
        let callee = self.contexts[context].function;
        for (caller, edge, before) in self.contexts[context].callers.clone() {
            self.resume((caller, edge, &before), callee, &state);
        }
        self.contexts[context].exits.push(state);
    }

    /// Goes on behind a call: what the callee may have set is as it left it, the rest as it was.
    fn resume(
        &mut self,
        (caller, edge, before): (usize, EdgeId, &KnownState),
        callee: FuncId,
        exit: &KnownState,
    ) {
        let function = self.contexts[caller].function;
        let edge = &self.program.functions[function].cfa.edges[edge];
        let (here, there) = (self.frames.of(function), self.frames.of(callee));
        let result = edge.action.defined_var().and_then(|dst| here.slot(dst));
        let result = result.map(|slot| (there.result(), slot));
        let sets = self.frames.sets(callee);
        let globals = sets.filter_map(|var| Some((there.slot(var)?, here.slot(var)?)));
        let mut state = before.clone();
        state.take(exit, globals.chain(result));
        self.arrive(caller, edge.target, state);
    }
}

impl crate::states::Slots for &Frame {
    fn slot(&self, var: rhumb_program::VarId) -> Option<usize> {
        Frame::slot(self, var)
    }
}
