//! States of a program, and the steps between them.

use index_vec::IndexVec;
use rhumb_program::passes::{EdgeRef, LocRef};
use rhumb_program::{
    Action, Callee, Edge, ExprId, FuncId, InputSiteId, LocId, Program, Scope, VarId,
};

use super::live::live_locals;
use super::value::{Need, Reader, Value, all, bits_of, bounds};
use super::{Failure, Snapshot};

/// Calls under way at the same time, at most.
const DEPTH: usize = 64;

/// An interval is taken apart into single values if it has at most so many.
const SINGLES: i128 = 1 << 10;

/// A state: the values of all variables that matter, and where each call under way stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ExploredState {
    globals: Box<[Value]>,
    frames: Vec<Frame>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Frame {
    function: FuncId,
    /// The edge that called it; none for the start.
    call: Option<EdgeRef>,
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

/// What an edge does, with everything evaluated.
enum Effect {
    Nothing,
    Set(VarId, u128),
    Input(VarId, InputSiteId, Value),
    Call {
        dst: Option<VarId>,
        callee: FuncId,
        args: Box<[u128]>,
    },
    Return(Option<u128>),
    End,
}

/// What follows a state.
pub(super) enum Next {
    /// These states, each with what happened to inputs on the way.
    States(Vec<(ExploredState, Option<Event>)>),
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
    /// The slots of the locals that don't matter at a location.
    dead: IndexVec<FuncId, IndexVec<LocId, Vec<usize>>>,
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
        let joins = program.functions.iter().map(|function| {
            let incoming = function.cfa.incoming();
            incoming.iter().map(|edges| edges.len() > 1).collect()
        });
        let dead = program.functions.iter_enumerated().map(|(id, function)| {
            let live = live_locals(program, function);
            let dead = live.iter().map(|live| {
                let vars = locals[id].iter().enumerate();
                let vars = vars.filter(|(_, var)| !live.contains(var));
                vars.map(|(slot, _)| slot).collect()
            });
            dead.collect()
        });
        Space {
            program,
            slots,
            dead: dead.collect(),
            joins: joins.collect(),
            locals,
            globals,
        }
    }

    /// The state in which a run begins.
    pub(super) fn first(&self) -> Result<ExploredState, Failure> {
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
        Ok(ExploredState {
            globals: globals.collect::<Result<_, _>>()?,
            frames: vec![self.frame(self.program.start, None)],
        })
    }

    fn frame(&self, function: FuncId, call: Option<EdgeRef>) -> Frame {
        Frame {
            function,
            call,
            at: self.program.functions[function].cfa.entry,
            locals: self.locals[function]
                .iter()
                .map(|_| Value::One(0))
                .collect(),
            result: None,
        }
    }

    /// Where the innermost call stands.
    pub(super) fn position(&self, state: &ExploredState) -> Option<(FuncId, LocId)> {
        let frame = state.frames.last()?;
        Some((frame.function, frame.at))
    }

    /// Whether the state is one to remember: every cycle of a program has one of these.
    pub(super) fn is_join(&self, state: &ExploredState) -> bool {
        self.position(state)
            .is_some_and(|(function, at)| self.joins[function][at])
    }

    /// What a state says of the variables that matter in it.
    pub(super) fn snapshot(&self, state: &ExploredState) -> Option<Snapshot> {
        let (function, location) = self.position(state)?;
        let number = |var: VarId, value: Value| bounds(self.program.vars[var].ty, value);
        let mut values: Vec<(usize, VarId, (i128, i128))> = Vec::new();
        for (&var, &value) in self.globals.iter().zip(&state.globals) {
            values.push((0, var, number(var, value)));
        }
        for (depth, frame) in state.frames.iter().enumerate() {
            let vars = self.locals[frame.function].iter().enumerate();
            let dead = &self.dead[frame.function][frame.at];
            // Where a result is to go there is no value that counts.
            let vars =
                vars.filter(|(slot, var)| !dead.contains(slot) && frame.result != Some(**var));
            values.extend(vars.map(|(slot, &var)| (depth, var, number(var, frame.locals[slot]))));
        }
        Some(Snapshot {
            calls: state.frames.iter().filter_map(|frame| frame.call).collect(),
            location: LocRef { function, location },
            values,
        })
    }

    fn is_local(&self, var: VarId) -> bool {
        self.program.vars[var].scope != Scope::Global
    }

    /// Where a variable that can be seen lives: at a depth, globals at 0.
    fn holder(&self, state: &ExploredState, var: VarId) -> Holder {
        let depth = match self.is_local(var) {
            true => state.frames.len(),
            false => 0,
        };
        (depth, var)
    }

    fn read(&self, state: &ExploredState, var: VarId) -> Value {
        let slot = self.slots[var];
        match (self.program.vars[var].scope, state.frames.last()) {
            (Scope::Local(_), Some(frame)) => frame.locals[slot],
            _ => state.globals[slot],
        }
    }

    fn write(&self, state: &mut ExploredState, var: VarId, value: Value) {
        let slot = self.slots[var];
        match (self.program.vars[var].scope, state.frames.last_mut()) {
            (Scope::Local(_), Some(frame)) => frame.locals[slot] = value,
            _ => state.globals[slot] = value,
        }
    }

    /// Moves the innermost call on, and forgets the locals that don't matter any more.
    fn go(&self, state: &mut ExploredState, to: LocId) {
        if let Some(frame) = state.frames.last_mut() {
            frame.at = to;
            for &slot in &self.dead[frame.function][to] {
                frame.locals[slot] = Value::One(0);
            }
        }
    }

    /// The bits of an expression.
    fn bits(&self, state: &ExploredState, expr: ExprId) -> Result<u128, Need> {
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
        state: ExploredState,
        called: &mut dyn FnMut(FuncId, &[u128]),
    ) -> Result<Next, Failure> {
        let Some((function, at)) = self.position(&state) else {
            return Ok(Next::Nothing);
        };
        let cfa = &self.program.functions[function].cfa;
        for &id in cfa.outgoing(at) {
            let edge = &cfa.edges[id];
            let effect = match self.effect(&state, edge) {
                Ok(None) => continue,
                Ok(Some(effect)) => effect,
                Err(Need::More(failure)) => return Err(failure),
                // More is known then, and the edges are tried again.
                Err(Need::Side(var, number)) => return self.split(&state, var, number),
                Err(Need::Exactly(var)) => return self.singles(&state, var),
            };
            if let Effect::Call { callee, args, .. } = &effect {
                called(*callee, args);
            }
            // Of several edges only one can be taken.
            let next = self.apply(state, EdgeRef { function, edge: id }, effect);
            return Ok(next.map_or(Next::Nothing, |next| Next::States(vec![next])));
        }
        Ok(Next::Nothing)
    }

    /// What an edge does in a state, if it can be taken.
    fn effect(&self, state: &ExploredState, edge: &Edge) -> Result<Option<Effect>, Need> {
        Ok(Some(match &edge.action {
            Action::Skip => Effect::Nothing,
            Action::Assume { cond, holds } => {
                if (self.bits(state, *cond)? != 0) != *holds {
                    return Ok(None);
                }
                Effect::Nothing
            }
            Action::Assign { dst, value } => Effect::Set(*dst, self.bits(state, *value)?),
            Action::Input { dst, site } => {
                let values = all(self.program.vars[*dst].ty).map_err(Need::More)?;
                Effect::Input(*dst, *site, values)
            }
            Action::Call {
                dst,
                callee: Callee::Function(callee),
                args,
            } => {
                let args = args.iter().map(|&arg| self.bits(state, arg));
                let args = args.collect::<Result<_, _>>()?;
                if state.frames.len() >= DEPTH {
                    return Err(Need::More(Failure::TooLarge));
                }
                Effect::Call {
                    dst: *dst,
                    callee: *callee,
                    args,
                }
            }
            Action::Return { value } => {
                let bits = value.map(|value| self.bits(state, value)).transpose()?;
                Effect::Return(bits)
            }
            Action::Exit { .. } => Effect::End,
            other => return Err(Need::More(Failure::NotHere(format!("{other:?}")))),
        }))
    }

    fn apply(
        &self,
        mut state: ExploredState,
        edge: EdgeRef,
        effect: Effect,
    ) -> Option<(ExploredState, Option<Event>)> {
        let target = self.program.functions[edge.function].cfa.edges[edge.edge].target;
        let mut event = None;
        match effect {
            Effect::End => return None,
            Effect::Nothing => self.go(&mut state, target),
            Effect::Set(dst, bits) => {
                self.write(&mut state, dst, Value::One(bits));
                self.go(&mut state, target);
            }
            Effect::Input(dst, site, values) => {
                self.write(&mut state, dst, values);
                self.go(&mut state, target);
                event = Some(Event::Read {
                    site,
                    holder: self.holder(&state, dst),
                    // It may not matter at all: then it is as good as any other value.
                    value: self.read(&state, dst),
                });
            }
            Effect::Call { dst, callee, args } => {
                self.go(&mut state, target);
                if let Some(frame) = state.frames.last_mut() {
                    frame.result = dst;
                }
                // What a local has until the result comes makes no difference.
                if let Some(dst) = dst.filter(|&dst| self.is_local(dst)) {
                    self.write(&mut state, dst, Value::One(0));
                }
                state.frames.push(self.frame(callee, Some(edge)));
                let function = &self.program.functions[callee];
                for (&param, &bits) in function.params.iter().zip(&args) {
                    self.write(&mut state, param, Value::One(bits));
                }
                self.go(&mut state, function.cfa.entry);
            }
            Effect::Return(bits) => {
                state.frames.pop();
                let result = state.frames.last_mut().and_then(|f| f.result.take());
                if let (Some(dst), Some(bits)) = (result, bits) {
                    self.write(&mut state, dst, Value::One(bits));
                }
                if let Some((_, at)) = self.position(&state) {
                    self.go(&mut state, at);
                }
            }
        }
        Some((state, event))
    }

    /// The same state twice: with the variable below the number, and not below.
    fn split(&self, state: &ExploredState, var: VarId, number: i128) -> Result<Next, Failure> {
        let Value::Any(low, high) = self.read(state, var) else {
            return Err(Failure::NotHere("a split of a single value".to_owned()));
        };
        let parts = [(low, number - 1), (number, high)];
        let parts = parts.into_iter().filter(|(low, high)| low <= high);
        let parts = parts.map(|(low, high)| self.with(state, var, low, high));
        Ok(Next::States(parts.collect()))
    }

    /// The same state with each value of the variable.
    fn singles(&self, state: &ExploredState, var: VarId) -> Result<Next, Failure> {
        match self.read(state, var) {
            Value::Any(low, high) if high - low < SINGLES => Ok(Next::States(
                (low..=high)
                    .map(|value| self.with(state, var, value, value))
                    .collect(),
            )),
            _ => Err(Failure::TooLarge),
        }
    }

    fn with(
        &self,
        state: &ExploredState,
        var: VarId,
        low: i128,
        high: i128,
    ) -> (ExploredState, Option<Event>) {
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
