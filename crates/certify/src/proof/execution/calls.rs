//! Calls in a run whose inputs are left open, and what comes back from them.

use std::sync::Arc;

use rhumb_logic::Int;
use rhumb_program::{Builtin, Callee, ExprId, FuncId, Type, VarId};

use super::eval::Machine;
use super::state::{Frame, PathState};
use super::step::Done;
use super::value::{Base, Value, WILD};
use super::{Gap, Halt};

/// Calls that may be under way at one time.
const MAX_DEPTH: usize = 100_000;

impl Machine<'_> {
    pub(super) fn call(
        &mut self,
        state: &mut PathState,
        dst: Option<VarId>,
        callee: Callee,
        args: &[ExprId],
    ) -> Result<Done, Halt> {
        let function = match callee {
            Callee::Function(function) => function,
            Callee::Builtin(Builtin::Thread(op)) => return self.thread_op(state, dst, op, args),
            Callee::Builtin(builtin) => return self.builtin(state, dst, builtin, args),
            Callee::Pointer(ptr) => match self.pointer(state, ptr)? {
                Value::Pointer(pointer) => {
                    let offset = self.constant(state, &pointer.offset)?;
                    match pointer.base {
                        Base::Function(function)
                            if offset == Int::ZERO && self.accepts(function, dst, args) =>
                        {
                            function
                        }
                        _ => return Ok(Done::Ends),
                    }
                }
                Value::NULL => return Ok(Done::Ends),
                _ => return Err(Halt::Gap(WILD)),
            },
        };
        if state.frames.len() >= MAX_DEPTH {
            return Err(Halt::Gap(Gap("many calls under way at one time")));
        }
        let called = &self.program.functions[function];
        let mut frame = Frame::new(function, called.cfa.entry, dst);
        for (&param, &arg) in called.params.iter().zip(args) {
            let value = self.value(state, arg)?;
            frame.variables.insert(param, value);
        }
        state.frames.push(Arc::new(frame));
        Ok(Done::Moved)
    }

    /// Whether a function that is called through a pointer takes what the call gives, and gives what it wants.
    fn accepts(&self, function: FuncId, dst: Option<VarId>, args: &[ExprId]) -> bool {
        let program = self.program;
        let args = args.iter().map(|&arg| program.exprs.ty(arg));
        program.takes(function, args, dst.map(|dst| program.vars[dst].ty))
    }

    /// A function of the library: its result may be anything, unless it is arithmetic. That it may end a run (a wrong
    /// format, say) is left out: more runs are looked at then.
    fn builtin(
        &mut self,
        state: &mut PathState,
        dst: Option<VarId>,
        builtin: Builtin,
        args: &[ExprId],
    ) -> Result<Done, Halt> {
        match builtin {
            Builtin::Printf | Builtin::Puts | Builtin::Putchar | Builtin::Unseen(_) => {}
            Builtin::Math(..) | Builtin::Math2(..) | Builtin::Classify(..) => {
                let values = args.iter().map(|&arg| self.value(state, arg));
                let values = values.collect::<Result<Vec<Value>, Halt>>()?;
                if let Some(dst) = dst
                    && let Some(value) = self.float_function(builtin, &values)?
                {
                    self.set(state, dst, value);
                    return Ok(Done::Next);
                }
            }
            Builtin::Thread(_) => return Err(Halt::Gap(Gap("threads"))),
            Builtin::Leaks(leak) => {
                let leaks = self.leaks(state, leak);
                let value = leaks.map(|leaks| Value::Known(leaks.into()));
                if let Some(dst) = dst {
                    let value = value.unwrap_or_else(|| self.unknown(Type::Bool));
                    self.set(state, dst, value);
                }
                return Ok(Done::Next);
            }
            // What a single run sees of it are inputs that follow.
            Builtin::Outside if self.others.is_some() => return Ok(Done::Next),
            Builtin::Outside => return Err(Halt::Gap(Gap("a call that may change memory"))),
            Builtin::SetRounding | Builtin::GetRounding => {
                return Err(Halt::Gap(Gap("a direction of rounding")));
            }
        }
        if let Some(dst) = dst {
            let value = self.unknown(self.program.vars[dst].ty);
            self.set(state, dst, value);
        }
        Ok(Done::Next)
    }

    pub(super) fn give_back(
        &mut self,
        state: &mut PathState,
        value: Option<ExprId>,
    ) -> Result<Done, Halt> {
        let value = match value {
            Some(value) => Some(self.value(state, value)?),
            None => None,
        };
        self.touch_locals(state);
        let Some(frame) = state.leave() else {
            return Ok(Done::Ends);
        };
        if state.frames.is_empty() {
            return Ok(Done::Ends);
        }
        if let Some(dst) = frame.result {
            let value = value.ok_or(Gap("a call without a result"))?;
            self.set(state, dst, value);
        }
        // The caller waits before the edge of its call, whose end it goes to.
        let caller = state.frame_mut();
        let cfa = &self.program.functions[caller.function].cfa;
        let edge = cfa.locations[caller.location].outgoing[0];
        caller.location = cfa.edges[edge].target;
        Ok(Done::Moved)
    }
}
