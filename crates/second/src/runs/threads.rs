//! Threads: who goes on, where another one may.

use rhumb_program::{ExprId, IntType, LocId, ThreadOp, Type, VarId};

use super::state::{Base, Halt, PathState, Thread};
use super::step::{Flow, end_all};
use super::{MAX_SEEN, Runs};
use crate::pool::Node;

/// Threads that there may be.
const MAX_THREADS: usize = 64;

impl Runs<'_> {
    /// What starts and coordinates threads.
    pub(super) fn thread(
        &mut self,
        state: &mut PathState,
        op: ThreadOp,
        dst: Option<VarId>,
        args: &[ExprId],
        target: LocId,
    ) -> Result<Flow, Halt> {
        let current = state.current;
        let result = match op {
            ThreadOp::Yield => {
                state.frame_mut()?.at = target;
                if state.threads[current].atomic > 0 {
                    return Ok(Flow::On);
                }
                let mut ways = others(state);
                if ways.is_empty() {
                    return Ok(Flow::On);
                }
                wake(state);
                ways.push(current);
                return self.go_on_with(state, &ways);
            }
            ThreadOp::MayWait => None,
            ThreadOp::Races { .. } => {
                return Err(Halt::undecided("accesses that are asked about"));
            }
            ThreadOp::AtomicBegin => {
                state.threads[current].atomic += 1;
                None
            }
            ThreadOp::AtomicEnd => {
                let thread = &mut state.threads[current];
                thread.atomic = thread.atomic.saturating_sub(1);
                wake(state);
                None
            }
            ThreadOp::Block => {
                state.frame_mut()?.at = target;
                state.threads[current].waits = true;
                if state.threads[current].atomic > 1 {
                    return Ok(Flow::End);
                }
                let ways = others(state);
                return self.go_on_with(state, &ways);
            }
            ThreadOp::End => {
                let result = args.first().map(|&arg| self.evaluate(state, arg));
                let result = result.transpose()?;
                let thread = &mut state.threads[current];
                (thread.is_done, thread.result, thread.atomic) = (true, result, 0);
                for frame in std::mem::take(&mut thread.frames) {
                    end_all(state, &frame);
                }
                wake(state);
                let ways = others(state);
                return self.go_on_with(state, &ways);
            }
            ThreadOp::Spawn => {
                let [body, args @ ..] = args else {
                    return Err(Halt::undecided("a thread without a function"));
                };
                let pointer = self.pointer(state, *body)?;
                let types = args.iter().map(|&arg| self.program.exprs.ty(arg));
                let function = match pointer.base {
                    Base::Function(function) if self.program.takes(function, types, None) => {
                        function
                    }
                    _ => return Err(Halt::undecided("a thread without a function")),
                };
                let frame = self.activation(state, function, None, args)?;
                let number = state.threads.len();
                if number >= MAX_THREADS {
                    return Err(Halt::undecided("there are too many threads"));
                }
                state.threads.push(Thread {
                    frames: vec![frame],
                    ..Thread::default()
                });
                Some(number as u128)
            }
            ThreadOp::Current => Some(current as u128),
            ThreadOp::IsDone => {
                let thread = self.thread_of(state, args)?;
                Some(state.threads[thread].is_done.into())
            }
            ThreadOp::Result => {
                let thread = self.thread_of(state, args)?;
                let null = self.zero(Type::Ptr);
                let result = state.threads[thread].result.unwrap_or(null);
                if let Some(dst) = dst {
                    self.assign(state, dst, result)?;
                }
                None
            }
        };
        if let (Some(dst), Some(bits)) = (dst, result) {
            let value = self.bits(self.program.vars[dst].ty, bits);
            self.assign(state, dst, value)?;
        }
        state.frame_mut()?.at = target;
        Ok(Flow::On)
    }

    /// One of these threads goes on, unless all of that has been seen. With none the run ends: all are done, or wait for ever.
    fn go_on_with(&mut self, state: &PathState, ways: &[usize]) -> Result<Flow, Halt> {
        if self.joins {
            return Ok(self.choose_thread(state, ways));
        }
        let mut states = Vec::new();
        for &way in ways {
            let mut state = state.clone();
            state.current = way;
            self.order.forget_dead(&mut state);
            if self.seen.insert(state.fingerprint()) {
                states.push(state);
            }
        }
        if self.seen.len() > MAX_SEEN {
            return Err(Halt::undecided(
                "there are too many schedules to follow them all",
            ));
        }
        Ok(Flow::Fork(states))
    }

    fn thread_of(&mut self, state: &PathState, args: &[ExprId]) -> Result<usize, Halt> {
        let none = || Halt::undecided("a thread that there is not");
        let id = self.scalar(state, *args.first().ok_or_else(none)?)?;
        let number = match *self.pool.node(id) {
            Node::Const(_, bits) => bits,
            _ => {
                let size = self.pool.cast(id, IntType::unsigned(64));
                self.number(state, size)?.into()
            }
        };
        let thread = usize::try_from(number).map_err(|_| none())?;
        match thread < state.threads.len() {
            true => Ok(thread),
            false => Err(none()),
        }
    }
}

/// The threads beside this one that can do something.
fn others(state: &PathState) -> Vec<usize> {
    let can = |&number: &usize| {
        let thread = &state.threads[number];
        number != state.current && !thread.is_done && !thread.waits
    };
    (0..state.threads.len()).filter(can).collect()
}

/// Something was done that others may have waited for.
fn wake(state: &mut PathState) {
    for thread in &mut state.threads {
        thread.waits = false;
    }
}
