//! The machine: makes the code of a program once and runs it as often as wanted.

use std::sync::OnceLock;

use super::code::{Code, Explain, Operand, Site};
use super::compile::{self, Image, Mode, Source};
use super::executor::{Executor, Stop};
use super::float;
use super::inputs::InputSource;
use super::instr::Instr;
use super::memory::{AccessError, FreeError, InstanceKind, Memory, Stack};
use super::outcome::{
    CallSite, Fault, FaultDetail, ObjectRef, Outcome, Position, Run, RunLimits, UnsupportedReason,
};
use super::pool::Pool;
use super::state::{Caveats, Output, RunState, View, World};
use super::threads::Threads;
use super::values;
use crate::cfa::{EndKind, LocKind, UbKind};
use crate::ids::{EdgeId, FuncId, LocId, ObjectId};
use crate::model::Program;
use crate::types::Type;

/// Watches a run edge by edge.
pub trait Observer {
    /// The edge is taken; its action comes next. (For an assumption: its condition was found to hold.)
    fn edge(&mut self, edge: EdgeId, state: &View<'_>);

    /// Whether the run pauses before this edge is taken (its condition, if it has one, was found to hold). Only an
    /// [`Execution`](super::Execution) asks.
    fn pauses_before(&mut self, edge: EdgeId, state: &View<'_>) -> bool {
        let _ = (edge, state);
        false
    }
}

/// A program, compiled.
pub struct Machine<'p> {
    pub(super) source: Source<'p>,
    pool: Pool,
    image: Image,
    fast: Code,
    traced: OnceLock<Code>,
}

impl<'p> Machine<'p> {
    /// Compiles a program. The cost is linear in its size.
    pub fn compile(program: &'p Program) -> Machine<'p> {
        let source = Source::new(program);
        let mut pool = Pool::new(source.layout.global_words);
        let fast = compile::compile(&source, &mut pool, Mode::Fast);
        let image = Image::new(&source, &mut pool);
        pool.freeze();
        Machine {
            source,
            pool,
            image,
            fast,
            traced: OnceLock::new(),
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.source.program
    }

    /// Runs the program from its start to its end or to a limit.
    pub fn run(&self, inputs: &mut dyn InputSource, limits: &RunLimits) -> Run {
        self.run_in(Mode::Fast, inputs, limits, &mut NoObserver)
    }

    /// As [`Machine::run`], and tells the observer every edge. The result is the same; it takes longer.
    pub fn trace(
        &self,
        inputs: &mut dyn InputSource,
        limits: &RunLimits,
        observer: &mut dyn Observer,
    ) -> Run {
        self.run_in(Mode::Traced, inputs, limits, observer)
    }

    pub(super) fn traced(&self) -> &Code {
        self.traced.get_or_init(|| {
            let mut pool = self.pool.clone();
            compile::compile(&self.source, &mut pool, Mode::Traced)
        })
    }

    fn code(&self, mode: Mode) -> &Code {
        match mode {
            Mode::Fast => &self.fast,
            Mode::Traced => self.traced(),
        }
    }

    fn run_in(
        &self,
        mode: Mode,
        inputs: &mut dyn InputSource,
        limits: &RunLimits,
        observer: &mut dyn Observer,
    ) -> Run {
        let start = self.source.program.start;
        let entry = Position {
            function: start,
            location: self.source.program.functions[start].cfa.entry,
            edge: None,
        };
        let code = self.code(mode);
        let mut executor = self.executor(code, inputs, observer, limits);
        let mut state = match self.begin(&mut executor, limits) {
            Ok(state) => state,
            Err(failed) => return finish(failed.state, failed.outcome, 0, entry, Vec::new()),
        };
        let first = code.functions[start.index()];
        let mut budget = limits.steps;
        let (mut stop, mut pc) = executor.enter(&mut state, first.pc, &mut budget);
        let mut ended_in = code;
        if let Stop::Budget = stop {
            // Fewer steps are left than the block has: go on edge by edge. It ends within this block, before the next call or return.
            let (function, location) = code.block_at(pc).unwrap_or((start, entry.location));
            let traced = self.traced();
            if mode == Mode::Fast
                && let Some(first) = traced.location(function, location)
            {
                executor.code = traced;
                executor.activate(&mut state, traced.functions[function.index()].words);
                (stop, pc) = executor.execute(&mut state, first, &mut budget);
                ended_in = traced;
            }
        }

        let site = ended_in.sites[pc as usize];
        let (outcome, position, unexecuted) = self.end(&stop, ended_in, pc, &state);
        let steps = limits.steps - budget - u64::from(site.pending) - unexecuted;
        let calls = calls(code, &state).collect();
        finish(Some(state), outcome, steps, position, calls)
    }

    /// What executes the code.
    pub(super) fn executor<'a>(
        &'a self,
        code: &'a Code,
        inputs: &'a mut dyn InputSource,
        observer: &'a mut dyn Observer,
        limits: &RunLimits,
    ) -> Executor<'a> {
        Executor {
            program: self.source.program,
            layout: &self.source.layout,
            roots: &self.source.roots,
            image: &self.image,
            code,
            inputs,
            observer,
            depth_limit: limits.depth,
        }
    }

    /// The state before the first step. The executor has the code of the run.
    pub(super) fn begin<'a>(
        &'a self,
        executor: &mut Executor<'a>,
        limits: &RunLimits,
    ) -> Result<RunState, Box<FailedStart>> {
        let Some(mut state) = self.initial_state(limits) else {
            return Err(FailedStart::boxed(None, Outcome::MemoryLimit));
        };
        let code = std::mem::replace(&mut executor.code, &self.image.code);
        executor.activate(&mut state, self.image.code.functions[0].words);
        let (stop, pc) = executor.execute(&mut state, 0, &mut { u64::MAX });
        if !matches!(stop, Stop::Begun) {
            let outcome = match self.end(&stop, &self.image.code, pc, &state).0 {
                // The initialisers of a valid program compute nothing that can fail.
                Outcome::MemoryLimit => Outcome::MemoryLimit,
                _ => Outcome::Unsupported(UnsupportedReason::Other(
                    "an initialiser that is not constant",
                )),
            };
            return Err(FailedStart::boxed(Some(state), outcome));
        }
        executor.code = code;
        let start = self.source.program.start;
        executor.activate(&mut state, code.functions[start.index()].words);
        let RunState {
            registers,
            base,
            world,
            ..
        } = &mut state;
        if executor.open_scope(world, registers, *base, start).is_err() {
            return Err(FailedStart::boxed(Some(state), Outcome::MemoryLimit));
        }
        Ok(state)
    }

    fn initial_state(&self, limits: &RunLimits) -> Option<RunState> {
        let mut memory = Memory::new(
            self.source.layout.space,
            self.source.program.functions.len() as u32,
            &self.source.layout.globals,
            self.source.layout.globals_end,
            self.source.program.objects.len(),
            self.source.layout.others.is_some(),
            limits.memory,
        )
        .ok()?;
        for (address, bytes) in &self.image.contents {
            memory.initialise(*address, bytes);
        }
        let registers = self.pool.registers().to_vec();
        Some(RunState {
            base: registers.len(),
            threads: Threads::new(registers.len()),
            registers,
            frames: Vec::new(),
            world: World {
                memory,
                stack: Stack::default(),
                scopes: Vec::new(),
                allocations: Vec::new(),
                occurrences: vec![0; self.source.program.inputs.len()],
                output: Output {
                    limit: limits.output,
                    ..Output::default()
                },
                caveats: Caveats::default(),
                rounding: float::NEAREST,
            },
        })
    }

    /// What a stop means: the outcome, the place, and how many edges less were executed than the site says.
    pub(super) fn end(
        &self,
        stop: &Stop,
        code: &Code,
        pc: u32,
        state: &RunState,
    ) -> (Outcome, Position, u64) {
        let function = code.function_of(pc);
        let cfa = &self.source.program.functions[function].cfa;
        let site = code.sites[pc as usize];
        let at = |edge: EdgeId| Position {
            function,
            location: cfa.edges[edge].source,
            edge: Some(edge),
        };
        let into = |edge: EdgeId| Position {
            function,
            location: cfa.edges[edge].target,
            edge: Some(edge),
        };
        let limit = |outcome| {
            let location = match code.instrs[pc as usize] {
                Instr::Edge { edge } => cfa.edges[edge].source,
                _ => code
                    .block_at(pc)
                    .map_or(cfa.entry, |(_, location)| location),
            };
            let position = Position {
                function,
                location,
                edge: None,
            };
            (outcome, position, 0)
        };
        match stop {
            Stop::Begun => (Outcome::Exit(0), at(site.edge), 0),
            Stop::Budget | Stop::Paused => limit(Outcome::StepLimit),
            // Nobody sees the first one: it is done, and execution goes on.
            Stop::Thread | Stop::Deadlock => (Outcome::Deadlock, at(site.edge), 0),
            Stop::Exit(status) => (Outcome::Exit(*status), into(site.edge), 0),
            Stop::Memory => (Outcome::MemoryLimit, at(site.edge), 0),
            Stop::Stack => (Outcome::StackLimit, at(site.edge), 0),
            Stop::Sink(index) => self.end_in_sink(code, *index, site, function, state),
            Stop::Unsupported(reason) => (Outcome::Unsupported(reason.clone()), at(site.edge), 0),
            Stop::Fault(kind, detail) => {
                let fault = Fault {
                    kind: *kind,
                    detail: detail.clone(),
                    function,
                    edge: site.edge,
                };
                (Outcome::Undefined(fault), at(site.edge), 0)
            }
            Stop::Free(error) => match self.free_detail(*error) {
                Ok(detail) => {
                    let fault = Fault {
                        kind: UbKind::BadFree,
                        detail,
                        function,
                        edge: site.edge,
                    };
                    (Outcome::Undefined(fault), at(site.edge), 0)
                }
                Err(reason) => (Outcome::Unsupported(reason), at(site.edge), 0),
            },
            Stop::Access { error, size, write } => {
                self.end_by_access(*error, *size, *write, site, function)
            }
        }
    }

    fn end_by_access(
        &self,
        error: AccessError,
        size: u64,
        write: bool,
        site: Site,
        function: FuncId,
    ) -> (Outcome, Position, u64) {
        let cfa = &self.source.program.functions[function].cfa;
        let position = |edge: EdgeId, location: LocId| Position {
            function,
            location,
            edge: Some(edge),
        };
        let source = |edge: EdgeId| cfa.edges[edge].source;
        let own = position(site.edge, source(site.edge));
        if error == AccessError::Memory {
            return (Outcome::MemoryLimit, own, 0);
        }
        if let AccessError::Wild(what) = error {
            let reason = UnsupportedReason::WildPointer(what);
            // An access that stands for its check fails when the check's condition is evaluated, before either of its edges is taken.
            return match site.check {
                Some(check) => {
                    let first = cfa.outgoing(source(check))[0];
                    let position = position(first, source(check));
                    (Outcome::Unsupported(reason), position, 2)
                }
                None => (Outcome::Unsupported(reason), own, 0),
            };
        }
        let (edge, position, unexecuted) = match site.check {
            Some(check) => (check, position(check, cfa.edges[check].target), 1),
            None => (site.edge, own, 0),
        };
        let kind = match cfa.locations[cfa.edges[edge].target].kind {
            LocKind::Target(target) => return (Outcome::Target(target), position, unexecuted),
            LocKind::Ub(kind) => kind,
            _ if write => UbKind::BadWrite,
            _ => UbKind::BadRead,
        };
        let fault = Fault {
            kind,
            detail: self.access_detail(error, size),
            function,
            edge,
        };
        (Outcome::Undefined(fault), position, unexecuted)
    }

    fn end_in_sink(
        &self,
        code: &Code,
        index: u32,
        site: Site,
        function: FuncId,
        state: &RunState,
    ) -> (Outcome, Position, u64) {
        let sink = &code.sinks[index as usize];
        let cfa = &self.source.program.functions[function].cfa;
        let position = Position {
            function,
            location: sink.location,
            edge: Some(site.edge),
        };
        let outcome = match cfa.locations[sink.location].kind {
            LocKind::Target(id) => match self.source.program.undefined_target(id) {
                Some(kind) => match self.explain(kind, sink.explain, state) {
                    Ok(_) => Outcome::Target(id),
                    Err(reason) => Outcome::Unsupported(reason),
                },
                None => Outcome::Target(id),
            },
            LocKind::End(EndKind::Exit) => Outcome::Exit(0),
            LocKind::End(EndKind::Abort) => Outcome::Abort,
            LocKind::End(EndKind::AssumptionFailed) => Outcome::AssumptionFailed,
            LocKind::End(EndKind::WaitsForever) => Outcome::Deadlock,
            LocKind::Unsupported(id) => Outcome::Unsupported(UnsupportedReason::Construct(id)),
            LocKind::Pruned => Outcome::Unsupported(UnsupportedReason::Other(
                "a part of the program that a pass has cut off",
            )),
            LocKind::Ub(kind) => match self.explain(kind, sink.explain, state) {
                Ok(detail) => Outcome::Undefined(Fault {
                    kind,
                    detail,
                    function,
                    edge: site.edge,
                }),
                Err(reason) => Outcome::Unsupported(reason),
            },
            LocKind::Plain | LocKind::Exit => match cfa.outgoing(sink.location).len() {
                // Nothing leads on from here: an assumption without an alternative.
                0 | 1 => Outcome::AssumptionFailed,
                _ => Outcome::Unsupported(UnsupportedReason::Other(
                    "a branch that is not on one condition",
                )),
            },
        };
        (outcome, position, 0)
    }

    fn explain(
        &self,
        kind: UbKind,
        explain: Explain,
        state: &RunState,
    ) -> Result<FaultDetail, UnsupportedReason> {
        let value = |operand: Operand| values::read(&state.registers, state.base, operand);
        let memory = &state.world.memory;
        Ok(match explain {
            Explain::Overflow { op, a, b } => match (a.ty, b.ty) {
                (Type::Int(ty), Type::Int(rhs_ty)) => FaultDetail::Overflow {
                    op,
                    ty,
                    lhs: value(a),
                    rhs_ty,
                    rhs: value(b),
                },
                _ => FaultDetail::Unspecified,
            },
            Explain::Access { ptr, size, write } => {
                let pointer = state.pointer(ptr);
                let size = state.word(size);
                match memory.check(pointer, size, write) {
                    Ok(()) => FaultDetail::Unspecified,
                    Err(error) => self.access_detail(error, size),
                }
            }
            Explain::Free { ptr } => {
                match memory.check_free(state.pointer(ptr), InstanceKind::Heap) {
                    Ok(()) => FaultDetail::Unspecified,
                    Err(error) => self.free_detail(error)?,
                }
            }
            Explain::FloatToInt { a, to } => match a.ty {
                Type::Float(from) => FaultDetail::FloatToInt {
                    from,
                    bits: value(a),
                    to,
                },
                _ => FaultDetail::Unspecified,
            },
            Explain::Compared(operand) => match (kind, operand.ty) {
                (UbKind::DivisionByZero, _) => FaultDetail::ZeroDivisor,
                (UbKind::BadShift, Type::Int(ty)) => FaultDetail::ShiftAmount {
                    ty,
                    amount: value(operand),
                },
                (UbKind::BadArraySize, Type::Int(ty)) => FaultDetail::ArraySize {
                    ty,
                    size: value(operand),
                },
                _ => FaultDetail::Unspecified,
            },
            Explain::Nothing => FaultDetail::Unspecified,
        })
    }

    fn object_ref(&self, kind: InstanceKind, origin: u32) -> ObjectRef {
        match kind {
            InstanceKind::Heap | InstanceKind::Stack => {
                let (function, edge) = self.source.layout.edge_numbered(origin);
                ObjectRef::Allocated { function, edge }
            }
            InstanceKind::Other => ObjectRef::Other(origin),
            _ => ObjectRef::Declared(ObjectId::from_raw(origin)),
        }
    }

    fn access_detail(&self, error: AccessError, access_size: u64) -> FaultDetail {
        match error {
            AccessError::Null { address } => FaultDetail::NullDereference { address },
            AccessError::NoObject { address } => FaultDetail::NoObject { address },
            AccessError::Function(id) => FaultDetail::FunctionAccess(id),
            AccessError::Dead(id) => FaultDetail::LifetimeEnded(id),
            AccessError::Freed => FaultDetail::UseAfterFree,
            AccessError::OutOfBounds {
                kind,
                origin,
                size,
                offset,
            } => FaultDetail::OutOfBounds {
                object: self.object_ref(kind, origin),
                object_size: size,
                offset,
                access_size,
            },
            AccessError::ReadOnly { kind, origin } => {
                FaultDetail::ReadOnly(self.object_ref(kind, origin))
            }
            AccessError::Wild(_) | AccessError::Memory => FaultDetail::Unspecified,
        }
    }

    fn free_detail(&self, error: FreeError) -> Result<FaultDetail, UnsupportedReason> {
        match error {
            FreeError::Wild(what) => Err(UnsupportedReason::WildPointer(what)),
            FreeError::AlreadyFreed => Ok(FaultDetail::DoubleFree),
            FreeError::Invalid { object, offset } => Ok(FaultDetail::InvalidFree {
                object: object.map(|(kind, origin)| self.object_ref(kind, origin)),
                offset,
            }),
        }
    }
}

/// A run that ended before its first step.
pub(super) struct FailedStart {
    pub(super) state: Option<RunState>,
    pub(super) outcome: Outcome,
}

impl FailedStart {
    fn boxed(state: Option<RunState>, outcome: Outcome) -> Box<FailedStart> {
        Box::new(FailedStart { state, outcome })
    }
}

/// The calls under way, outermost first. The code is the one that made them.
pub(super) fn calls(code: &Code, state: &RunState) -> impl Iterator<Item = CallSite> {
    state.frames.iter().map(|frame| CallSite {
        function: code.function_of(frame.return_pc - 1),
        edge: code.sites[frame.return_pc as usize - 1].edge,
    })
}

pub(super) fn finish(
    state: Option<RunState>,
    outcome: Outcome,
    steps: u64,
    end: Position,
    calls: Vec<CallSite>,
) -> Run {
    let (output, caveats) = state.map_or_else(Default::default, |state| {
        (state.world.output, state.world.caveats.list)
    });
    Run {
        outcome,
        steps,
        end,
        calls,
        output: output.bytes,
        output_truncated: output.truncated,
        caveats,
    }
}

/// Sees nothing.
pub(super) struct NoObserver;

impl Observer for NoObserver {
    fn edge(&mut self, _: EdgeId, _: &View<'_>) {}
}
