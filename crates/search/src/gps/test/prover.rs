//! How often a cycle can be repeated.
//!
//! The blocks of the cycle are evaluated on states that lie on a line ([`super::course`]). If the state after the cycle
//! lies on the same line, one step further, then by induction all iterations up to the first in which some condition
//! changes go the same way, and the state after `k` of them is known.
//!
//! A cycle may contain jumps. An inner jump of a fixed length, or of one that grows with the iterations of the outer
//! cycle, is a part like any other: its conditions have to hold for all its iterations, in all iterations of the outer
//! cycle.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_summary::Oracle;
use rustc_hash::FxHashMap;

use super::code::Outcome;
use super::course::Formulas;
use super::line::{FOREVER, Line, Spans};
use super::program::Program;
use super::state::small;
use super::visits::Candidate;
use crate::runs::{Jump, Taken};
use crate::task::Task;

/// The formulas of steps, prepared for evaluation on lines.
pub(super) type Prepared = FxHashMap<BlockEdgeId, Formulas>;

/// Looks how often a cycle can be repeated.
pub(super) struct Prover<'p, 't> {
    pub(super) task: &'t Task<'t>,
    pub(super) oracle: &'p Oracle,
    pub(super) program: &'p mut Program,
}

/// A state on a line, under way through a cycle.
struct Position {
    node: NodeId,
    lines: Vec<Line>,
    spans: Spans,
    /// The last iteration up to which all is as it was seen.
    until: i128,
}

impl Prover<'_, '_> {
    /// The number of further iterations that go like the candidate, from a state at a node; [`FOREVER`] if there is no
    /// end to them. Nothing if that can't be shown.
    pub(super) fn repetitions(
        &mut self,
        node: NodeId,
        state: &[i128],
        candidate: &Candidate,
    ) -> Option<i128> {
        let mut position = Position {
            node,
            lines: on_line(state, &candidate.change),
            spans: Spans::default(),
            until: FOREVER,
        };
        let expected = moved(&position.lines, &candidate.change)?;
        self.word(&mut position, &candidate.cycle)?;
        let is_closed = position.node == node && position.lines == expected;
        is_closed.then(|| position.until.saturating_add(1))
    }

    fn word(&mut self, position: &mut Position, word: &[Taken]) -> Option<()> {
        for part in word {
            match part {
                Taken::Block { edge, inputs } => {
                    let inputs: Vec<i128> = inputs.iter().map(small).collect::<Option<_>>()?;
                    self.block(position, *edge, &inputs)?;
                }
                Taken::Jump(jump) => self.jump(position, jump)?,
            }
        }
        Some(())
    }

    fn block(&mut self, position: &mut Position, edge: BlockEdgeId, inputs: &[i128]) -> Option<()> {
        let step = &self.oracle.steps().edges[edge];
        let transition = &step.transition;
        if step.source != position.node || transition.inputs.len() != inputs.len() {
            return None;
        }
        let terms = &self.task.terms;
        let layouts = &self.program.layouts;
        let formulas = self.program.prepared.entry(edge).or_insert_with(|| {
            let mut symbols = layouts.at(step.source).to_vec();
            symbols.extend(&transition.inputs);
            let after = layouts.at(step.target).iter();
            let values = after.map(|&symbol| transition.value_of(terms, symbol));
            Formulas::new(
                terms,
                &symbols,
                [transition.guard].into_iter().chain(values),
            )
        });
        let mut lines = std::mem::take(&mut position.lines);
        lines.extend(inputs.iter().map(|&value| Line::constant(value)));
        let mut courses = formulas.courses(terms, &lines, &position.spans);
        let guard = courses.next()??;
        if guard.as_truth() != Some(true) {
            return None;
        }
        position.until = position.until.min(guard.until);
        for course in courses {
            let course = course?;
            position.until = position.until.min(course.until);
            position.lines.push(course.as_number()?.clone());
        }
        position.node = step.target;
        Some(())
    }

    fn jump(&mut self, position: &mut Position, jump: &Jump) -> Option<()> {
        let Jump { cycle, times } = jump;
        let dimension = position.spans.0.len() + 1;
        // Growth is given from the innermost enclosing jump outwards, steps from the outermost inwards.
        let mut steps = vec![0; dimension];
        for (growth, step) in times.growth.iter().zip(steps.iter_mut().rev()) {
            *step = i128::try_from(growth).ok()?;
        }
        let first = i128::try_from(&times.first).ok()?;
        let count = Line::new(first, &steps);
        let last = count.plus(-1, &Line::constant(1))?;
        // It has to be taken at least once.
        let (least, _) = position.spans.extremes(&last)?;
        if least.base < 0 {
            return None;
        }
        position.until = position.until.min(least.stays_at_least(0)?);
        let state: Vec<i128> = position.lines.iter().map(|line| line.base).collect();
        let change = self.change(position.node, state, cycle)?;
        let before = position.lines.clone();
        let changes = change.iter().copied();
        let inside = before.iter().zip(changes.clone());
        position.lines = inside
            .map(|(line, change)| line.with_step(dimension, change))
            .collect();
        let expected = moved(&position.lines, &change)?;
        let node = position.node;
        position.spans.0.push(last);
        self.word(position, cycle)?;
        position.spans.0.pop();
        if position.node != node || position.lines != expected {
            return None;
        }
        let after = before.iter().zip(changes);
        position.lines = after
            .map(|(line, change)| line.plus(change, &count))
            .collect::<Option<_>>()?;
        Some(())
    }

    /// What the first way round a cycle adds to a state.
    fn change(&mut self, node: NodeId, state: Vec<i128>, cycle: &[Taken]) -> Option<Vec<i128>> {
        let (end, after) = self.execute(node, state.clone(), cycle)?;
        if end != node {
            return None;
        }
        let pairs = state.iter().zip(&after);
        pairs.map(|(from, to)| to.checked_sub(*from)).collect()
    }

    /// Executes a word; of the jumps in it one iteration each, which is taken for all of them.
    fn execute(
        &mut self,
        mut node: NodeId,
        mut state: Vec<i128>,
        word: &[Taken],
    ) -> Option<(NodeId, Vec<i128>)> {
        for part in word {
            match part {
                Taken::Block { edge, inputs } => {
                    let inputs: Vec<i128> = inputs.iter().map(small).collect::<Option<_>>()?;
                    let code = self.program.code(self.task, self.oracle, *edge);
                    let mut after = Vec::new();
                    if code.step(&state, &inputs, &mut after) != Outcome::Taken {
                        return None;
                    }
                    (node, state) = (code.target, after);
                }
                Taken::Jump(jump) => {
                    let change = self.change(node, state.clone(), &jump.cycle)?;
                    let times = i128::try_from(&jump.times.first).ok()?;
                    state = advanced(&state, &change, times)?;
                }
            }
        }
        Some((node, state))
    }
}

/// A state that changes by the same amounts in each iteration.
fn on_line(state: &[i128], change: &[i128]) -> Vec<Line> {
    let values = state.iter().zip(change);
    values
        .map(|(&base, &step)| Line::simple(base, step))
        .collect()
}

/// The lines one iteration further.
fn moved(lines: &[Line], change: &[i128]) -> Option<Vec<Line>> {
    let lines = lines.iter().zip(change);
    lines
        .map(|(line, &change)| line.plus(change, &Line::constant(1)))
        .collect()
}

/// The state after so many iterations.
pub(super) fn advanced(state: &[i128], change: &[i128], times: i128) -> Option<Vec<i128>> {
    let values = state.iter().zip(change);
    values
        .map(|(&value, &change)| value.checked_add(change.checked_mul(times)?))
        .collect()
}
