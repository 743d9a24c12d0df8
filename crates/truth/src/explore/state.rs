//! States of a program, and the steps between them.

use index_vec::IndexVec;
use rhumb_program::{
    Action, Callee, EdgeId, ExprId, FuncId, InputSiteId, LocId, Program, Scope, VarId,
};
use rustc_hash::FxHashSet;

use super::Failure;
use super::live::live_locals;
use super::value::{Need, Reader, Value, all, bits_of};

/// Calls under way at the same time, at most.
const DEPTH: usize = 64;

/// An interval is taken apart into single values if it has at most so many.
const SINGLES: i128 = 1 << 10;

/// A state: the values of all variables that matter, and where each call under way stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    globals: Box<[Value]>,
    frames: Vec<Frame>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Frame {
    function: FuncId,
    at: LocId,
    locals: Box<[Value]>,
    /// Where the result of a call under way goes.
    result: Option<VarId>,
}

/// A variable of the call at a depth.
pub(super) type Holder = (usize, VarId);

/// What a step has to do with inputs.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A value came in, into this variable of the call at this depth.
    Read {
        site: InputSiteId,
        holder: Holder,
        value: Value,
    },
    /// The value in this variable turned out to be among these.
    Narrowed { holder: Holder, value: Value },
}

/// What follows a state.
pub(super) enum Next {
    /// These states, each with what happened to inputs on the way.
    States(Vec<(State, Option<Event>)>),
    /// Nothing: the run is over.
    Nothing,
}

/// A program, prepared for exploration.
pub(super) struct Space<'p> {
    pub(super) program: &'p Program,
    /// Where a variable's value stands among the globals, or among the locals of its function.
    slots: IndexVec<VarId, usize>,
    /// The variables of each function, by slot.
    locals: IndexVec<FuncId, Vec<VarId>>,
    globals: Vec<VarId>,
    live: IndexVec<FuncId, IndexVec<LocId, FxHashSet<VarId>>>,
    /// Whether several edges lead to a location.
    joins: IndexVec<FuncId, IndexVec<LocId, bool>>,
}

impl<'p> Space<'p> {
    pub(super) fn new(program: &'p Program) -> Space<'p> {
        let mut locals: IndexVec<FuncId, Vec<VarId>> =
            program.functions.iter().map(|_| Vec::new()).collect();
        let mut globals = Vec::new();
        let slots = program.vars.iter_enumerated().map(|(var, info)| {
            let owner = match info.scope {
                Scope::Global => &mut globals,
                Scope::Local(function) => &mut locals[function],
            };
            owner.push(var);
            owner.len() - 1
        });
        let slots = slots.collect();
        let functions = program.functions.iter();
        let joins = functions.clone().map(|function| {
            let incoming = function.cfa.incoming();
            incoming.iter().map(|edges| edges.len() > 1).collect()
        });
        Space {
            program,
            slots,
            live: functions.map(|f| live_locals(program, f)).collect(),
            joins: joins.collect(),
            locals,
            globals,
        }
    }

    /// The state in which a run begins.
    pub(super) fn first(&self) -> Result<State, Failure> {
        let zero = |_: VarId| Value::One(0);
        let reader = Reader {
            program: self.program,
            read: &zero,
        };
        let globals = self.globals.iter().map(|&var| {
            let init = self.program.vars[var].init;
            let bits = init.map_or(Ok(0), |init| reader.bits(init));
            bits.map(Value::One).map_err(|need| match need {
                Need::More(failure) => failure,
                _ => Failure::NotHere("a first value that is not constant".to_owned()),
            })
        });
        Ok(State {
            globals: globals.collect::<Result<_, _>>()?,
            frames: vec![self.frame(self.program.start)],
        })
    }

    fn frame(&self, function: FuncId) -> Frame {
        Frame {
            function,
            at: self.program.functions[function].cfa.entry,
            locals: self.locals[function]
                .iter()
                .map(|_| Value::One(0))
                .collect(),
            result: None,
        }
    }

    /// Where the innermost call stands.
    pub(super) fn position(&self, state: &State) -> Option<(FuncId, LocId)> {
        let frame = state.frames.last()?;
        Some((frame.function, frame.at))
    }

    /// Whether the state is one to remember: every cycle of a program has one of these.
    pub(super) fn is_join(&self, state: &State) -> bool {
        self.position(state)
            .is_some_and(|(function, at)| self.joins[function][at])
    }

    fn is_local(&self, var: VarId) -> bool {
        self.program.vars[var].scope != Scope::Global
    }

    /// Where a variable that can be seen lives: at a depth, globals at 0.
    fn holder(&self, state: &State, var: VarId) -> Holder {
        let depth = match self.is_local(var) {
            true => state.frames.len(),
            false => 0,
        };
        (depth, var)
    }

    fn read(&self, state: &State, var: VarId) -> Value {
        let slot = self.slots[var];
        match (self.program.vars[var].scope, state.frames.last()) {
            (Scope::Local(_), Some(frame)) => frame.locals[slot],
            _ => state.globals[slot],
        }
    }

    fn write(&self, state: &mut State, var: VarId, value: Value) {
        let slot = self.slots[var];
        match (self.program.vars[var].scope, state.frames.last_mut()) {
            (Scope::Local(_), Some(frame)) => frame.locals[slot] = value,
            _ => state.globals[slot] = value,
        }
    }

    /// Moves the innermost call on, and forgets the locals that don't matter any more.
    fn go(&self, state: &mut State, to: LocId) {
        if let Some(frame) = state.frames.last_mut() {
            frame.at = to;
            let live = &self.live[frame.function][to];
            for (slot, var) in self.locals[frame.function].iter().enumerate() {
                if !live.contains(var) {
                    frame.locals[slot] = Value::One(0);
                }
            }
        }
    }

    /// The bits of an expression.
    fn bits(&self, state: &State, expr: ExprId) -> Result<u128, Need> {
        let read = |var| self.read(state, var);
        let program = self.program;
        Reader {
            program,
            read: &read,
        }
        .bits(expr)
    }

    /// What follows a state. `called` hears of every call, with the bits of its arguments.
    pub(super) fn next(
        &self,
        state: State,
        called: &mut dyn FnMut(FuncId, &[u128]),
    ) -> Result<Next, Failure> {
        let Some((function, at)) = self.position(&state) else {
            return Ok(Next::Nothing);
        };
        let cfa = &self.program.functions[function].cfa;
        let mut states = Vec::new();
        for &edge in cfa.outgoing(at) {
            match self.take(&state, function, edge, called) {
                Ok(None) => {}
                Ok(Some(next)) => states.push(next),
                Err(Need::More(failure)) => return Err(failure),
                // Whatever edge wants to know more, they will all be tried again.
                Err(Need::Side(var, number)) => return self.split(&state, var, number),
                Err(Need::Exactly(var)) => return self.singles(&state, var),
            }
        }
        Ok(match states.is_empty() {
            true => Next::Nothing,
            false => Next::States(states),
        })
    }

    fn take(
        &self,
        state: &State,
        function: FuncId,
        edge: EdgeId,
        called: &mut dyn FnMut(FuncId, &[u128]),
    ) -> Result<Option<(State, Option<Event>)>, Need> {
        let edge = &self.program.functions[function].cfa.edges[edge];
        let mut after = state.clone();
        let mut event = None;
        match &edge.action {
            Action::Skip => {}
            Action::Assume { cond, holds } => {
                if (self.bits(state, *cond)? != 0) != *holds {
                    return Ok(None);
                }
            }
            Action::Assign { dst, value } => {
                let bits = self.bits(state, *value)?;
                self.write(&mut after, *dst, Value::One(bits));
            }
            Action::Input { dst, site } => {
                let info = &self.program.vars[*dst];
                let matters =
                    !self.is_local(*dst) || self.live[function][edge.target].contains(dst);
                let value = match matters {
                    true => all(info.ty).map_err(Need::More)?,
                    false => Value::One(0),
                };
                self.write(&mut after, *dst, value);
                event = Some(Event::Read {
                    site: *site,
                    holder: self.holder(state, *dst),
                    value,
                });
            }
            Action::Call {
                dst,
                callee: Callee::Function(callee),
                args,
            } => {
                let args = args.iter().map(|&arg| self.bits(state, arg));
                let args: Vec<u128> = args.collect::<Result<_, _>>()?;
                if state.frames.len() >= DEPTH {
                    return Err(Need::More(Failure::TooLarge));
                }
                called(*callee, &args);
                self.go(&mut after, edge.target);
                if let Some(frame) = after.frames.last_mut() {
                    frame.result = *dst;
                }
                // What a local has until the result comes makes no difference.
                if let Some(dst) = dst.filter(|&dst| self.is_local(dst)) {
                    self.write(&mut after, dst, Value::One(0));
                }
                after.frames.push(self.frame(*callee));
                for (&param, &bits) in self.program.functions[*callee].params.iter().zip(&args) {
                    self.write(&mut after, param, Value::One(bits));
                }
                let entry = self.program.functions[*callee].cfa.entry;
                self.go(&mut after, entry);
                return Ok(Some((after, None)));
            }
            Action::Return { value } => {
                let bits = value.map(|value| self.bits(state, value)).transpose()?;
                after.frames.pop();
                let result = after.frames.last_mut().and_then(|f| f.result.take());
                if let (Some(dst), Some(bits)) = (result, bits) {
                    self.write(&mut after, dst, Value::One(bits));
                }
                if let Some((_, at)) = self.position(&after) {
                    self.go(&mut after, at);
                }
                return Ok(Some((after, None)));
            }
            Action::Exit { .. } => return Ok(None),
            other => {
                return Err(Need::More(Failure::NotHere(format!("{other:?}"))));
            }
        }
        self.go(&mut after, edge.target);
        Ok(Some((after, event)))
    }

    /// The same state twice: with the variable below the number, and not below.
    fn split(&self, state: &State, var: VarId, number: i128) -> Result<Next, Failure> {
        let Value::Any(low, high) = self.read(state, var) else {
            return Err(Failure::NotHere("a split of a single value".to_owned()));
        };
        let parts = [(low, number - 1), (number, high)];
        let parts = parts.into_iter().filter(|(low, high)| low <= high);
        let parts = parts.map(|(low, high)| self.with(state, var, low, high));
        Ok(Next::States(parts.collect()))
    }

    /// The same state with each value of the variable.
    fn singles(&self, state: &State, var: VarId) -> Result<Next, Failure> {
        match self.read(state, var) {
            Value::Any(low, high) if high - low < SINGLES => Ok(Next::States(
                (low..=high)
                    .map(|value| self.with(state, var, value, value))
                    .collect(),
            )),
            _ => Err(Failure::TooLarge),
        }
    }

    fn with(&self, state: &State, var: VarId, low: i128, high: i128) -> (State, Option<Event>) {
        let value = match low == high {
            true => Value::One(bits_of(self.program.vars[var].ty, low)),
            false => Value::Any(low, high),
        };
        let mut narrower = state.clone();
        self.write(&mut narrower, var, value);
        let event = Event::Narrowed {
            holder: self.holder(state, var),
            value,
        };
        (narrower, Some(event))
    }
}
