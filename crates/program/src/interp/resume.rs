//! Runs in pieces: an [`Execution`] stops where it is told to, lets its state be looked at and replaced, and goes on.
//!
//! It executes traced code, in which every location can be jumped to and every edge is counted on its own.

use super::code::{Code, Operand};
use super::executor::Stop;
use super::inputs::InputSource;
use super::machine::{Machine, NoObserver, Observer, calls, finish};
use super::outcome::{CallSite, Caveat, Outcome, Position, Run, RunLimits};
use super::state::{RunState, View};
use super::values;
use crate::ids::{EdgeId, FuncId, InputSiteId, LocId, VarId};
use crate::model::Scope;
use crate::types::Type;

/// A run that can be stopped before any edge and resumed.
pub struct Execution<'m, 'p> {
    machine: &'m Machine<'p>,
    limits: RunLimits,
    /// Steps that the limit leaves.
    steps_left: u64,
    /// `None` after the end.
    state: Option<RunState>,
    /// The instruction to go on at.
    pc: u32,
    function: FuncId,
    location: LocId,
}

/// How far a piece of a run went.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// It stopped where it was told to, before an edge.
    Paused,
    /// The run has ended; a limit on all its steps counts as an end. The steps are those of all pieces.
    Ended(Run),
}

impl<'p> Machine<'p> {
    /// A run that stands before its first step. The limits hold for all of its pieces together.
    pub fn start(&self, limits: &RunLimits) -> Execution<'_, 'p> {
        let start = self.program().start;
        let code = self.traced();
        let mut nothing = super::inputs::KeyedInputs::new();
        let mut observer = NoObserver;
        let mut executor = self.executor(code, &mut nothing, &mut observer, limits);
        Execution {
            machine: self,
            limits: *limits,
            steps_left: limits.steps,
            // The only reason of a program as lowered is the limit on memory; the first piece says so.
            state: self.begin(&mut executor, limits).ok(),
            pc: code.functions[start.index()].pc,
            function: start,
            location: self.program().functions[start].cfa.entry,
        }
    }
}

impl<'m> Execution<'m, '_> {
    /// Executes up to so many edges.
    pub fn advance(&mut self, inputs: &mut dyn InputSource, steps: u64) -> Progress {
        self.observe(inputs, steps, &mut NoObserver)
    }

    /// Executes until the edge is about to be taken for the `passage`-th time from now (from 1), or up to so many edges; whether it was
    /// the edge that stopped it can be seen at the [position](Execution::position) and from the steps.
    pub fn advance_to(
        &mut self,
        inputs: &mut dyn InputSource,
        steps: u64,
        function: FuncId,
        edge: EdgeId,
        passage: u64,
    ) -> Progress {
        let mut observer = Passages {
            function,
            edge,
            left: passage,
        };
        self.observe(inputs, steps, &mut observer)
    }

    /// Executes up to so many edges, or until the observer wants a pause.
    pub fn observe(
        &mut self,
        inputs: &mut dyn InputSource,
        steps: u64,
        observer: &mut dyn Observer,
    ) -> Progress {
        let Some(mut state) = self.state.take() else {
            return self.ended(None, Outcome::MemoryLimit, self.here(), Vec::new());
        };
        let code = self.code();
        let mut executor = self.machine.executor(code, inputs, observer, &self.limits);
        let granted = steps.min(self.steps_left);
        let mut left = granted;
        let (stop, pc) = executor.execute(&mut state, self.pc, &mut left);
        let (outcome, position, unexecuted) = self.machine.end(&stop, code, pc, &state);
        let executed = (granted - left).saturating_sub(unexecuted);
        self.steps_left -= executed;
        let over_limit = steps > granted && matches!(stop, Stop::Budget);
        if matches!(stop, Stop::Budget | Stop::Paused) && !over_limit {
            self.pc = pc;
            self.function = position.function;
            self.location = position.location;
            self.state = Some(state);
            return Progress::Paused;
        }
        let under_way = calls(code, &state).collect();
        self.ended(Some(state), outcome, position, under_way)
    }

    fn ended(
        &self,
        state: Option<RunState>,
        outcome: Outcome,
        position: Position,
        calls: Vec<CallSite>,
    ) -> Progress {
        Progress::Ended(finish(state, outcome, self.steps(), position, calls))
    }

    fn code(&self) -> &'m Code {
        self.machine.traced()
    }

    fn here(&self) -> Position {
        Position {
            function: self.function,
            location: self.location,
            edge: None,
        }
    }

    /// Number of edges that were executed.
    pub fn steps(&self) -> u64 {
        self.limits.steps - self.steps_left
    }

    /// The function and location at which the run stands.
    pub fn position(&self) -> (FuncId, LocId) {
        (self.function, self.location)
    }

    /// The calls under way, outermost first.
    pub fn calls(&self) -> Vec<CallSite> {
        self.state
            .iter()
            .flat_map(|state| calls(self.code(), state))
            .collect()
    }

    /// Number of calls under way.
    pub fn depth(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.frames.len())
    }

    /// What the run rests on so far beside its inputs.
    pub fn caveats(&self) -> &[Caveat] {
        self.state
            .as_ref()
            .map_or(&[], |state| &state.world.caveats.list)
    }

    /// The value of a variable in the current activation, by its bits (a pointer: its address). `None` for a local of another function and
    /// after the end.
    pub fn value(&self, var: VarId) -> Option<u128> {
        let state = self.state.as_ref()?;
        let view = View {
            program: self.machine.program(),
            layout: &self.machine.source.layout,
            registers: &state.registers,
            base: state.base,
            function: self.function,
            depth: state.frames.len(),
        };
        view.value(var)
    }

    /// Replaces the value of a variable in the current activation. Gives false, and does nothing, for what has no value by
    /// [`Execution::value`] and for pointers, which are more than their bits.
    pub fn set_value(&mut self, var: VarId, bits: u128) -> bool {
        let program = self.machine.program();
        let Some(info) = program.vars.get(var) else {
            return false;
        };
        let foreign = matches!(info.scope, Scope::Local(owner) if owner != self.function);
        let restart = self.code().location(self.function, self.location);
        let (Some(state), Some(restart), false) = (&mut self.state, restart, foreign) else {
            return false;
        };
        if info.ty == Type::Ptr {
            return false;
        }
        let operand = Operand {
            slot: self.machine.source.layout.vars[var],
            ty: info.ty,
        };
        values::write(&mut state.registers, state.base, operand, bits);
        // A condition may have been evaluated already.
        self.pc = restart;
        true
    }

    /// How often an input site was passed.
    pub fn occurrences(&self, site: InputSiteId) -> u64 {
        let state = self.state.as_ref();
        state
            .and_then(|state| state.world.occurrences.get(site.index()))
            .map_or(0, |&count| count)
    }

    /// Says how often an input site was passed.
    pub fn set_occurrences(&mut self, site: InputSiteId, count: u64) {
        let state = self.state.as_mut();
        if let Some(slot) = state.and_then(|state| state.world.occurrences.get_mut(site.index())) {
            *slot = count;
        }
    }
}

/// Pauses before a passage of an edge.
struct Passages {
    function: FuncId,
    edge: EdgeId,
    left: u64,
}

impl Observer for Passages {
    fn edge(&mut self, _: EdgeId, _: &View<'_>) {}

    fn pauses_before(&mut self, edge: EdgeId, state: &View<'_>) -> bool {
        if (state.function(), edge) != (self.function, self.edge) {
            return false;
        }
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }
}
