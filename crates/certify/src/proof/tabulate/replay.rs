//! A way, executed with all variables followed, and nothing lost from function to function: whether it can be gone, and with which inputs.

use std::sync::Arc;

use rhumb_logic::{Budget, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Action, ExprId, FuncId, IndexVec, InputSiteId, Program, Scope, Type, VarId};

use super::super::explicit::{KnownState, Slots, Value, bits, bounds_of, set_globals};
use super::answers::{all_answers, answers};
use super::layout::{CallMap, Layout};
use super::view::Following;
use super::way::{CallingWay, WayStep};

/// A run with more symbols than this gets no new ones.
const MAX_SYMBOLS: usize = 200;

/// So many runs along the way are followed at a time: answers to questions that the way leaves open tell them apart.
const MAX_RUNS: usize = 12;

/// Steps between two looks at the budget, and symbols that make a unit of work.
const STEPS_PER_LOOK: usize = 64;
const SYMBOLS_PER_WORK: usize = 8;

/// What a way comes to.
pub(super) enum Gone {
    /// It can be gone, as far as is known, with these inputs.
    Through(KeyedInputs),
    /// It can't be gone beyond this step.
    Blocked(usize),
    /// The budget is spent.
    Spent,
}

/// A function that is being executed.
#[derive(Clone)]
struct Activation {
    function: FuncId,
    /// The slot of its first variable.
    base: usize,
    /// The value that it returns, once it has.
    result: Value,
}

/// Where the variables are that are followed.
#[derive(Clone, Copy)]
struct Seating<'a> {
    program: &'a Program,
    /// Slots of globals, and of locals counted from the first of their function.
    places: &'a IndexVec<VarId, usize>,
    base: usize,
}

impl Slots for Seating<'_> {
    fn slot(&self, var: VarId) -> Option<usize> {
        let info = &self.program.vars[var];
        bounds_of(self.program, info.ty)?;
        Some(match info.scope {
            Scope::Global => self.places[var],
            Scope::Local(_) => self.base + self.places[var],
        })
    }

    fn named(&mut self, _: usize, _: Value) {}

    fn max_symbols(&self) -> usize {
        MAX_SYMBOLS
    }
}

/// What is known of all variables of a program: their slots, by function, and which of them calls may set.
pub(super) struct Places {
    calls: Arc<CallMap>,
    everything: Layout,
    places: IndexVec<VarId, usize>,
    globals: usize,
    locals: IndexVec<FuncId, usize>,
}

impl Places {
    pub(super) fn of(program: &Program, calls: Arc<CallMap>) -> Places {
        let all: Vec<VarId> = program.vars.indices().collect();
        let everything = Layout::new(program, &calls, &Following::exactly(all));
        let mut globals = 0;
        let mut locals = IndexVec::from_vec(vec![0; program.functions.len()]);
        let places = program.vars.iter().map(|var| {
            let count = match var.scope {
                Scope::Global => &mut globals,
                Scope::Local(function) => &mut locals[function],
            };
            *count += 1;
            *count - 1
        });
        Places {
            calls,
            everything,
            places: places.collect(),
            globals,
            locals,
        }
    }

    /// The variables that an action sets; if it is a call that is not entered, in the functions that it calls, too.
    pub(super) fn set_by(&self, program: &Program, action: &Action) -> Vec<VarId> {
        let callees = self.calls.callees(program, action);
        let globals = callees
            .iter()
            .flat_map(|&callee| self.everything.set_by(callee));
        globals.chain(action.defined_var()).collect()
    }
}

/// A way that is executed.
#[derive(Clone)]
struct Replay<'a> {
    program: &'a Program,
    places: &'a Places,
    state: KnownState,
    stack: Vec<Activation>,
    inputs: Vec<(InputSiteId, Type, Value)>,
    /// Slots that have the value of an input of which nothing is known so far, and the number of the input.
    untouched: Vec<(usize, usize)>,
}

/// Executes a way with all variables followed.
pub(super) fn go(program: &Program, places: &Places, way: &CallingWay, budget: &Budget) -> Gone {
    let mut replay = Replay {
        program,
        places,
        state: KnownState::any(places.globals),
        stack: Vec::new(),
        inputs: Vec::new(),
        untouched: Vec::new(),
    };
    replay.push(program.start);
    let mut state = std::mem::replace(&mut replay.state, KnownState::any(0));
    set_globals(program, replay.seating(), &mut state);
    replay.state = state;
    let mut runs = vec![replay];
    for (number, &step) in way.steps.iter().enumerate() {
        if number.is_multiple_of(STEPS_PER_LOOK) {
            let symbols = runs
                .iter()
                .map(|run| 1 + run.state.zone.len() / SYMBOLS_PER_WORK);
            Work::units((STEPS_PER_LOOK * symbols.sum::<usize>()) as u64).count();
            if budget.is_spent() {
                return Gone::Spent;
            }
        }
        let mut next = Vec::new();
        for run in runs {
            run.step(step, &mut next);
        }
        next.truncate(MAX_RUNS);
        if next.is_empty() {
            return Gone::Blocked(number);
        }
        runs = next;
    }
    match runs.iter().find_map(Replay::inputs) {
        Some(inputs) => Gone::Through(inputs),
        None => Gone::Blocked(way.steps.len().saturating_sub(1)),
    }
}

impl<'a> Replay<'a> {
    fn push(&mut self, function: FuncId) {
        let base = self.state.values.len();
        let len = base + self.places.locals[function];
        self.state.values.resize(len, Value::Any);
        self.stack.push(Activation {
            function,
            base,
            result: Value::Any,
        });
    }

    fn seating(&self) -> Seating<'a> {
        Seating {
            program: self.program,
            places: &self.places.places,
            base: self.stack.last().map_or(0, |top| top.base),
        }
    }

    /// The same run in a state in which more is known: what was asked about an input is that input's.
    fn knowing(&self, state: KnownState) -> Replay<'a> {
        let mut run = Replay {
            state,
            ..self.clone()
        };
        let (values, inputs) = (&run.state.values, &mut run.inputs);
        run.untouched.retain(|&(slot, input)| {
            inputs[input].2 = values[slot];
            values[slot] == Value::Any
        });
        run
    }

    /// The runs in which an expression has a value. Where there is a question to be answered first, the way doesn't say
    /// which; all answers that are possible are taken.
    fn valued(mut self, expr: ExprId) -> impl Iterator<Item = (Replay<'a>, Value)> {
        let state = std::mem::replace(&mut self.state, KnownState::any(0));
        let seating = self.seating();
        let found = answers(self.program, || seating, state, true, |e| e.value(expr));
        let run = move |(state, value)| (self.knowing(state), value);
        found.into_iter().map(run)
    }

    fn set(&mut self, var: VarId, value: Value) {
        if let Some(slot) = self.seating().slot(var) {
            self.state.values[slot] = value;
            self.untouched.retain(|entry| entry.0 != slot);
        }
    }

    /// Adds the runs behind a step; none if it can't be gone.
    fn step(mut self, step: WayStep, next: &mut Vec<Self>) {
        let Some(top) = self.stack.last() else {
            return;
        };
        let program = self.program;
        let cfa = &program.functions[top.function].cfa;
        match step {
            WayStep::Edge(edge) => self.edge(&cfa.edges[edge].action, next),
            WayStep::Enter(edge, callee) => {
                let Action::Call { args, .. } = &cfa.edges[edge].action else {
                    return;
                };
                let state = std::mem::replace(&mut self.state, KnownState::any(0));
                let seating = self.seating();
                let found = all_answers(program, || seating, state, args, |e, arg| e.value(arg));
                for (state, values) in found {
                    let mut run = self.knowing(state);
                    run.push(callee);
                    for (&param, value) in program.functions[callee].params.iter().zip(values) {
                        run.set(param, value);
                    }
                    next.push(run);
                }
            }
            WayStep::Leave(edge) => {
                let Some(top) = self.stack.pop() else {
                    return;
                };
                self.state.values.truncate(top.base);
                self.untouched.retain(|entry| entry.0 < top.base);
                if let Some(caller) = self.stack.last() {
                    let action = &program.functions[caller.function].cfa.edges[edge].action;
                    if let Some(dst) = action.defined_var() {
                        self.set(dst, top.result);
                    }
                    next.push(self);
                }
            }
        }
    }

    fn edge(mut self, action: &Action, next: &mut Vec<Self>) {
        match *action {
            Action::Assume { cond, holds } => {
                // The way says how it must come out: answers for which it does come first.
                let state = std::mem::replace(&mut self.state, KnownState::any(0));
                let seating = self.seating();
                let found = answers(self.program, || seating, state, holds, |e| e.holds(cond));
                for (state, outcome) in found {
                    if outcome.is_none_or(|known| known == holds) {
                        next.push(self.knowing(state));
                    }
                }
            }
            Action::Assign { dst, value } => {
                next.extend(self.valued(value).map(|(mut run, value)| {
                    run.set(dst, value);
                    run
                }));
            }
            Action::Return { value: Some(value) } => {
                next.extend(self.valued(value).map(|(mut run, value)| {
                    if let Some(top) = run.stack.last_mut() {
                        top.result = value;
                    }
                    run
                }));
            }
            Action::Input { dst, site } => {
                let ty = self.program.vars[dst].ty;
                self.set(dst, Value::Any);
                let slot = self.seating().slot(dst);
                let number = self.inputs.len();
                self.untouched.extend(slot.map(|slot| (slot, number)));
                self.inputs.push((site, ty, Value::Any));
                next.push(self);
            }
            _ => {
                for var in self.places.set_by(self.program, action) {
                    self.set(var, Value::Any);
                }
                next.push(self);
            }
        }
    }

    /// Inputs for all that was read.
    fn inputs(&self) -> Option<KeyedInputs> {
        let model = self.state.zone.model()?;
        let mut inputs = KeyedInputs::new();
        for &(site, ty, value) in &self.inputs {
            let number = KnownState::parts(value)
                .and_then(|(symbol, number)| i64::try_from(model[symbol as usize] + number).ok());
            let bits = number.and_then(|number| bits(ty, number));
            inputs.push_value(site, bits.unwrap_or(0), 1);
        }
        Some(inputs)
    }
}
