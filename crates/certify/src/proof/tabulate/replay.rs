//! A way, executed with all variables followed, and nothing lost from function to function: whether it can be gone, and with which inputs.

use std::sync::Arc;

use rhumb_logic::{Budget, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Action, FuncId, IndexVec, InputSiteId, Program, Scope, Type, VarId};

use super::super::explicit::{Evaluation, Open, Slots, State, Value, bits, bounds_of, set_globals};
use super::layout::{CallMap, Layout};
use super::way::{CallingWay, WayStep};

/// A run with more symbols than this gets no new ones.
const MAX_SYMBOLS: usize = 200;

/// Steps between two looks at the budget, and symbols that make a unit of work.
const STEPS_PER_LOOK: usize = 64;
const SYMBOLS_PER_WORK: usize = 8;

/// What a way comes to.
pub(super) enum Gone {
    /// It can be gone, as far as is known, with these inputs.
    Through(KeyedInputs),
    /// It can't be gone.
    Blocked,
    /// The budget is spent.
    Spent,
}

/// A function that is being executed.
struct Activation {
    function: FuncId,
    /// The slot of its first variable.
    base: usize,
    /// The value that it returns, once it has.
    result: Value,
}

/// Where the variables are that are followed.
struct Seating<'a> {
    program: &'a Program,
    /// Slots of globals, and of locals counted from the first of their function.
    places: &'a IndexVec<VarId, usize>,
    base: usize,
}

impl Slots for Seating<'_> {
    fn slot(&self, var: VarId) -> Option<usize> {
        let info = &self.program.vars[var];
        bounds_of(info.ty)?;
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
        let everything = Layout::new(program, &calls, &all);
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
struct Replay<'a> {
    program: &'a Program,
    places: &'a Places,
    state: State,
    stack: Vec<Activation>,
    inputs: Vec<(InputSiteId, Type, Value)>,
}

/// Executes a way with all variables followed.
pub(super) fn go(program: &Program, places: &Places, way: &CallingWay, budget: &Budget) -> Gone {
    let mut replay = Replay {
        program,
        places,
        state: State::any(places.globals),
        stack: Vec::new(),
        inputs: Vec::new(),
    };
    replay.push(program.start);
    let mut state = std::mem::replace(&mut replay.state, State::any(0));
    set_globals(program, replay.seating(), &mut state);
    replay.state = state;
    for (number, &step) in way.steps.iter().enumerate() {
        if number.is_multiple_of(STEPS_PER_LOOK) {
            let symbols = replay.state.zone.len() / SYMBOLS_PER_WORK;
            Work::units((STEPS_PER_LOOK * (1 + symbols)) as u64).count();
            if budget.is_spent() {
                return Gone::Spent;
            }
        }
        if replay.step(step).is_none() {
            return Gone::Blocked;
        }
    }
    match replay.inputs() {
        Some(inputs) => Gone::Through(inputs),
        None => Gone::Blocked,
    }
}

impl Replay<'_> {
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

    fn seating(&self) -> Seating<'_> {
        Seating {
            program: self.program,
            places: &self.places.places,
            base: self.stack.last().map_or(0, |top| top.base),
        }
    }

    fn evaluate<T>(
        &mut self,
        mut ask: impl FnMut(&mut Evaluation<'_, Seating<'_>>) -> Result<T, Open>,
        answer: impl Fn(&State, Open) -> bool,
    ) -> Option<T> {
        loop {
            let mut state = std::mem::replace(&mut self.state, State::any(0));
            let asked = ask(&mut Evaluation {
                program: self.program,
                slots: self.seating(),
                state: &mut state,
            });
            match asked {
                Ok(value) => {
                    self.state = state;
                    return Some(value);
                }
                Err(open) => {
                    let first = answer(&state, open);
                    let learned = state.clone().learned(open.0, first);
                    self.state = learned.or_else(|| state.learned(open.0, !first))?;
                }
            }
        }
    }

    /// The value of an expression. Where there is a question to be answered first, the way doesn't say which; one that is possible is taken.
    fn value(&mut self, expr: rhumb_program::ExprId) -> Option<Value> {
        self.evaluate(|evaluation| evaluation.value(expr), |_, _| true)
    }

    fn set(&mut self, var: VarId, value: Value) {
        if let Some(slot) = self.seating().slot(var) {
            self.state.values[slot] = value;
        }
    }

    /// None if the step can't be gone.
    fn step(&mut self, step: WayStep) -> Option<()> {
        let top = self.stack.last()?;
        let cfa = &self.program.functions[top.function].cfa;
        match step {
            WayStep::Edge(edge) => self.edge(&cfa.edges[edge].action),
            WayStep::Enter(edge, callee) => {
                let Action::Call { args, .. } = &cfa.edges[edge].action else {
                    return None;
                };
                let mut values = Vec::with_capacity(args.len());
                for &arg in args {
                    values.push(self.value(arg)?);
                }
                self.push(callee);
                for (&param, value) in self.program.functions[callee].params.iter().zip(values) {
                    self.set(param, value);
                }
                Some(())
            }
            WayStep::Leave(edge) => {
                let top = self.stack.pop()?;
                self.state.values.truncate(top.base);
                let caller = self.stack.last()?.function;
                let action = &self.program.functions[caller].cfa.edges[edge].action;
                if let Some(dst) = action.defined_var() {
                    self.set(dst, top.result);
                }
                Some(())
            }
        }
    }

    fn edge(&mut self, action: &Action) -> Option<()> {
        match *action {
            Action::Assume { cond, holds } => {
                // The way says how it must come out: a question is answered so that it does, if there is such an answer.
                let before = self.state.clone();
                for first in [holds, !holds] {
                    self.state = before.clone();
                    let outcome = self.evaluate(|e| e.holds(cond), |_, _| first);
                    if outcome.is_some_and(|outcome| outcome.is_none_or(|known| known == holds)) {
                        return Some(());
                    }
                }
                None
            }
            Action::Assign { dst, value } => {
                let value = self.value(value)?;
                self.set(dst, value);
                Some(())
            }
            Action::Return { value } => {
                let result = match value {
                    Some(value) => self.value(value)?,
                    None => Value::Any,
                };
                self.stack.last_mut()?.result = result;
                Some(())
            }
            Action::Input { dst, site } => {
                let ty = self.program.vars[dst].ty;
                let mut value = Value::Any;
                if let Some((least, most)) = bounds_of(ty)
                    && self.seating().slot(dst).is_some()
                    && self.state.zone.len() < MAX_SYMBOLS
                {
                    value = Value::Symbol(self.state.zone.add(least, most), 0);
                }
                self.inputs.push((site, ty, value));
                self.set(dst, value);
                Some(())
            }
            _ => {
                for var in self.places.set_by(self.program, action) {
                    self.set(var, Value::Any);
                }
                Some(())
            }
        }
    }

    /// Inputs for all that was read.
    fn inputs(&self) -> Option<KeyedInputs> {
        let model = self.state.zone.model()?;
        let mut inputs = KeyedInputs::new();
        for &(site, ty, value) in &self.inputs {
            let number = State::parts(value)
                .and_then(|(symbol, number)| i64::try_from(model[symbol as usize] + number).ok());
            let bits = number.and_then(|number| bits(ty, number));
            inputs.push_value(site, bits.unwrap_or(0), 1);
        }
        Some(inputs)
    }
}
