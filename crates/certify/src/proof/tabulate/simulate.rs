//! A way as a tabulation sees it that follows some variables.

use rhumb_logic::{Budget, Work};
use rhumb_program::{Action, ExprId, FuncId, Program, VarId};

use super::super::explicit::{Evaluation, Open, State, Value};
use super::frames::{self, Seats};
use super::layout::{CallMap, Frame, Layout};
use super::walk::first_states;
use super::way::{CallingWay, WayStep};

/// Steps between two looks at the budget, and the work that they are.
const STEPS_PER_LOOK: usize = 64;
const WORK_PER_LOOK: Work = Work::units(64);

/// The step beyond which a tabulation sees that a way can't be gone. None if it doesn't see that, or the budget is spent.
pub(super) fn blocked(
    program: &Program,
    calls: &CallMap,
    followed: &[VarId],
    way: &CallingWay,
    budget: &Budget,
) -> Option<usize> {
    let mut layout = Layout::new(program, calls, followed);
    layout.prepare(program, calls, program.start);
    let mut stack = vec![(
        program.start,
        first_states(program, layout.frame(program.start)?),
    )];
    for (number, &step) in way.steps.iter().enumerate() {
        if number.is_multiple_of(STEPS_PER_LOOK) {
            WORK_PER_LOOK.count();
            if budget.is_spent() {
                return None;
            }
        }
        let (function, state) = stack.last_mut()?;
        let function = *function;
        let cfa = &program.functions[function].cfa;
        let can_be_gone = match step {
            WayStep::Edge(edge) => {
                let action = &cfa.edges[edge].action;
                edge_taken(program, calls, &layout, function, action, state)
            }
            WayStep::Enter(edge, callee) => {
                layout.prepare(program, calls, callee);
                let (here, there) = (layout.frame(function)?, layout.frame(callee)?);
                let Action::Call { args, .. } = &cfa.edges[edge].action else {
                    return None;
                };
                let mut taken = state.clone();
                let values: Option<Vec<Value>> = args
                    .iter()
                    .map(|&arg| value(program, here, &mut taken, arg))
                    .collect();
                *state = taken;
                let entered = values
                    .map(|values| frames::entered(program, (here, there), callee, state, &values));
                let is_possible = entered.is_some();
                stack.extend(entered.map(|entered| (callee, entered)));
                is_possible
            }
            WayStep::Leave(edge) => {
                let (callee, exit) = stack.pop()?;
                let (function, state) = stack.last_mut()?;
                let frames = (layout.frame(*function)?, layout.frame(callee)?);
                let dst = program.functions[*function].cfa.edges[edge]
                    .action
                    .defined_var();
                let before = std::mem::replace(state, State::any(0));
                *state = frames::returned(frames, dst, before, &exit);
                true
            }
        };
        if !can_be_gone {
            return Some(number);
        }
    }
    None
}

/// The value of an expression. A question is answered in a way that is possible; none if there is no such way.
fn value(program: &Program, frame: &Frame, state: &mut State, expr: ExprId) -> Option<Value> {
    answered(program, frame, state, true, |evaluation| {
        evaluation.value(expr)
    })
}

fn answered<T>(
    program: &Program,
    frame: &Frame,
    state: &mut State,
    first: bool,
    ask: impl Fn(&mut Evaluation<'_, Seats<'_>>) -> Result<T, Open>,
) -> Option<T> {
    loop {
        let asked = ask(&mut Evaluation {
            program,
            slots: Seats(frame),
            state,
        });
        match asked {
            Ok(answer) => return Some(answer),
            Err(Open(atom)) => {
                let learned = state.clone().learned(atom, first);
                *state = learned.or_else(|| state.clone().learned(atom, !first))?;
            }
        }
    }
}

/// Takes an edge. Says whether it can be.
fn edge_taken(
    program: &Program,
    calls: &CallMap,
    layout: &Layout,
    function: FuncId,
    action: &Action,
    state: &mut State,
) -> bool {
    let Some(frame) = layout.frame(function) else {
        return true;
    };
    let (slot, expr) = match *action {
        Action::Assume { cond, holds } => {
            let outcome = |first: bool| {
                let mut state = state.clone();
                let outcome = answered(program, frame, &mut state, first, |e| e.holds(cond))?;
                outcome.is_none_or(|known| known == holds).then_some(state)
            };
            let taken = outcome(holds).or_else(|| outcome(!holds));
            let is_possible = taken.is_some();
            if let Some(taken) = taken {
                *state = taken;
            }
            return is_possible;
        }
        Action::Assign { dst, value } => (frame.slot(dst), Some(value)),
        Action::Return { value } => (Some(frame.result()), value),
        ref action => {
            for callee in calls.callees(program, action) {
                for slot in layout.set_by(callee).filter_map(|var| frame.slot(var)) {
                    state.values[slot] = Value::Any;
                }
            }
            (action.defined_var().and_then(|var| frame.slot(var)), None)
        }
    };
    if let Some(slot) = slot {
        let value = match expr {
            Some(expr) => value(program, frame, state, expr),
            None => Some(Value::Any),
        };
        match value {
            Some(value) => state.values[slot] = value,
            None => return false,
        }
    }
    true
}
