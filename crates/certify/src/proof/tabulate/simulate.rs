//! A way as a tabulation sees it that follows some variables.

use rhumb_logic::{Budget, Work};
use rhumb_program::{Action, FuncId, Program};

use super::super::explicit::{KnownState, Value};
use super::answers::{all_answers, answers};
use super::frames::{self, Seats};
use super::layout::{CallMap, Frame, Layout};
use super::view::Following;
use super::walk::first_states;
use super::way::{CallingWay, WayStep};

/// Steps between two looks at the budget, and the work that they are.
const STEPS_PER_LOOK: usize = 64;
const WORK_PER_LOOK: Work = Work::units(64);

/// So many alternatives are followed at a time.
const MAX_STACKS: usize = 12;

/// A state with more symbols than this is looked through for those that no variable has any more.
const MANY_SYMBOLS: usize = 48;

/// The calls under way, with their states.
type Stack = Vec<(FuncId, KnownState)>;

/// The step beyond which a tabulation sees that a way can't be gone. None if it doesn't see that, or the budget is spent.
pub(super) fn blocked(
    program: &Program,
    calls: &CallMap,
    following: &Following,
    way: &CallingWay,
    budget: &Budget,
) -> Option<usize> {
    let mut layout = Layout::new(program, calls, following);
    layout.outline(program, program.start);
    let first = first_states(program, layout.frame(program.start)?);
    let mut stacks: Vec<Stack> = vec![vec![(program.start, first)]];
    for (number, &step) in way.steps.iter().enumerate() {
        if number.is_multiple_of(STEPS_PER_LOOK) {
            WORK_PER_LOOK.count();
            if budget.is_spent() {
                return None;
            }
        }
        if let WayStep::Enter(_, callee) = step {
            layout.outline(program, callee);
        }
        let mut next = Vec::new();
        for stack in stacks {
            follow(program, calls, &layout, stack, step, &mut next)?;
        }
        next.truncate(MAX_STACKS);
        if next.is_empty() {
            return Some(number);
        }
        stacks = next;
    }
    None
}

/// Adds what a stack becomes by a step; nothing if the step can't be gone. None if the way is none of this program.
fn follow(
    program: &Program,
    calls: &CallMap,
    layout: &Layout,
    mut stack: Stack,
    step: WayStep,
    next: &mut Vec<Stack>,
) -> Option<()> {
    let (function, state) = stack.pop()?;
    let cfa = &program.functions[function].cfa;
    let here = layout.frame(function)?;
    match step {
        WayStep::Edge(edge) => {
            let action = &cfa.edges[edge].action;
            for mut state in edge_taken(program, calls, layout, here, action, state) {
                if state.zone.len() > MANY_SYMBOLS {
                    state = state.normal(&here.types);
                }
                let mut stack = stack.clone();
                stack.push((function, state));
                next.push(stack);
            }
        }
        WayStep::Enter(edge, callee) => {
            let there = layout.frame(callee)?;
            let Action::Call { args, .. } = &cfa.edges[edge].action else {
                return None;
            };
            let found = all_answers(program, || Seats(here), state, args, |e, arg| e.value(arg));
            for (state, values) in found {
                let entered = frames::entered(program, (here, there), callee, &state, &values);
                let mut stack = stack.clone();
                stack.push((function, state));
                stack.push((callee, entered));
                next.push(stack);
            }
        }
        WayStep::Leave(edge) => {
            let (callee, exit) = (function, state);
            let (function, state) = stack.pop()?;
            let frames = (layout.frame(function)?, layout.frame(callee)?);
            let action = &program.functions[function].cfa.edges[edge].action;
            let state = frames::returned(frames, action.defined_var(), state, &exit);
            stack.push((function, state));
            next.push(stack);
        }
    }
    Some(())
}

/// The states behind an edge.
fn edge_taken(
    program: &Program,
    calls: &CallMap,
    layout: &Layout,
    frame: &Frame,
    action: &Action,
    mut state: KnownState,
) -> Vec<KnownState> {
    let (slot, expr) = match *action {
        Action::Assume { cond, holds } => {
            let found = answers(program, || Seats(frame), state, holds, |e| e.holds(cond));
            let goes_on = |outcome: Option<bool>| outcome.is_none_or(|known| known == holds);
            let found = found.into_iter().filter(|(_, outcome)| goes_on(*outcome));
            return found.map(|(state, _)| state).collect();
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
    let (Some(slot), Some(expr)) = (slot, expr) else {
        if let Some(slot) = slot {
            state.values[slot] = Value::Any;
        }
        return vec![state];
    };
    let found = answers(program, || Seats(frame), state, true, |e| e.value(expr));
    let set = |(mut state, value): (KnownState, Value)| {
        state.values[slot] = value;
        state
    };
    found.into_iter().map(set).collect()
}
