//! Cycles that a test repeats, and how often they can be repeated further.
//!
//! At a loop head the test remembers where it was and in which state. When the last two ways round were alike and changed the state by the same amounts, the next
//! ways round are likely to do so, too. That they do is not believed but shown: the blocks of the cycle are evaluated on states that lie on a line
//! ([`super::course`]). If the state after the cycle lies on the same line, one step further, then by induction all iterations up to the first in which
//! some condition changes go the same way, and the state after `k` of them is known.
//!
//! A cycle may contain jumps. An inner jump of a fixed length, or of one that grows with the iterations of the outer cycle, is a part like any other: its
//! conditions have to hold for all its iterations, in all iterations of the outer cycle.

use std::collections::VecDeque;

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::{Symbol, Term};
use rhumb_summary::Oracle;
use rustc_hash::FxHashMap;

use super::Program;
use super::code::Outcome;
use super::course::Formulas;
use super::line::{FOREVER, Line, Spans};
use super::state::small;
use crate::gps::trace::{Taken, Times};
use crate::task::Task;

/// Up to so many ways round a head count as one iteration of a cycle.
const MAX_PERIOD: usize = 16;

/// Up to so many parts.
const MAX_PARTS: usize = 4096;

/// After a failure a head has some peace, twice as long each time, up to two to this power.
const MAX_PEACE: u32 = 14;

/// What happened at a loop head.
#[derive(Default)]
pub(super) struct Visits {
    /// The last ones: where in the trace, and the states.
    last: VecDeque<(usize, Box<[i128]>)>,
    /// Visits at which not to look for a cycle.
    peace: u32,
    failures: u32,
}

/// A cycle that may repeat itself once more.
pub(super) struct Candidate {
    /// The next way round, with inner jumps that grow from one to the next.
    pub(super) cycle: Vec<Taken>,
    /// What it adds to the state.
    pub(super) change: Vec<i128>,
}

impl Visits {
    /// Comes to the head. Says how many ways round may be looked at together.
    pub(super) fn arrive(&mut self, at: usize, state: &[i128]) -> usize {
        while self.last.len() > 2 * MAX_PERIOD {
            self.last.pop_front();
        }
        self.last.push_back((at, state.into()));
        if self.peace > 0 {
            self.peace -= 1;
            return 0;
        }
        (self.last.len() - 1) / 2
    }

    /// What the last visits suggest, if so many ways round are one iteration.
    pub(super) fn candidate(&self, period: usize, steps: &[Taken]) -> Option<Candidate> {
        let visit = |back: usize| {
            let place = self.last.len().checked_sub(back + 1)?;
            self.last.get(place)
        };
        let (start, first) = visit(2 * period)?;
        let (middle, second) = visit(period)?;
        let (end, third) = visit(0)?;
        if middle - start != end - middle || end - middle > MAX_PARTS {
            return None;
        }
        let change = |from: &[i128], to: &[i128]| -> Option<Vec<i128>> {
            let pairs = from.iter().zip(to);
            pairs.map(|(from, to)| to.checked_sub(*from)).collect()
        };
        let latest = change(second, third)?;
        if change(first, second)? != latest {
            return None;
        }
        let (one, two) = (steps.get(*start..*middle)?, steps.get(*middle..*end)?);
        Some(Candidate {
            cycle: continued(one, two, 0)?,
            change: latest,
        })
    }

    /// A cycle was jumped over; the test stands here now.
    pub(super) fn jumped(&mut self, at: usize, state: &[i128]) {
        self.failures = 0;
        self.last.push_back((at, state.into()));
    }

    /// For so many more visits nothing new is to be expected.
    pub(super) fn wait(&mut self, visits: u32) {
        self.peace = visits;
    }

    /// What was suggested couldn't be shown.
    pub(super) fn failed(&mut self) {
        self.peace = (1 << self.failures) - 1;
        self.failures = (self.failures + 1).min(MAX_PEACE);
    }
}

/// What comes after two words that differ in the lengths of their jumps only: the same, with lengths that go on growing. `depth` is the number of jumps of the
/// word around.
fn continued(one: &[Taken], two: &[Taken], depth: usize) -> Option<Vec<Taken>> {
    if one.len() != two.len() {
        return None;
    }
    let parts = one.iter().zip(two);
    parts
        .map(|(one, two)| match (one, two) {
            (Taken::Block { .. }, Taken::Block { .. }) => (one == two).then(|| two.clone()),
            (
                Taken::Jump {
                    cycle: inner_one,
                    times: times_one,
                },
                Taken::Jump {
                    cycle: inner_two,
                    times: times_two,
                },
            ) => {
                if times_one.growth != times_two.growth {
                    return None;
                }
                let more = &times_two.first - &times_one.first;
                let mut times = times_two.clone();
                if !more.is_zero() {
                    times.growth.resize(depth, Int::ZERO);
                    times.growth.push(more.clone());
                    times.first += more;
                }
                Some(Taken::Jump {
                    cycle: continued(inner_one, inner_two, depth + 1)?,
                    times,
                })
            }
            _ => None,
        })
        .collect()
}

/// Whether a part of the word has inputs.
pub(super) fn has_inputs(word: &[Taken]) -> bool {
    word.iter().any(|part| match part {
        Taken::Block { inputs, .. } => !inputs.is_empty(),
        Taken::Jump { cycle, .. } => has_inputs(cycle),
    })
}

/// The formulas of steps and conditions, prepared for evaluation on lines.
#[derive(Default)]
pub(super) struct Prepared {
    steps: FxHashMap<BlockEdgeId, Formulas>,
    conditions: FxHashMap<Term, Formulas>,
}

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
    /// The number of further iterations that go like the candidate, from a state at a node; [`FOREVER`] if there is no end to them. Nothing if
    /// that can't be shown.
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

    /// The number of iterations after which a condition still holds, if it holds now. [`FOREVER`] if there is no end to them.
    pub(super) fn keeps(
        &mut self,
        node: NodeId,
        state: &[i128],
        change: &[i128],
        condition: Term,
    ) -> Option<i128> {
        let terms = &self.task.terms;
        let formulas = self.program.prepared.conditions.entry(condition);
        let formulas = formulas.or_insert_with(|| Formulas::new(terms, [condition]));
        let symbols = self.program.layouts.at(node).iter().copied();
        let lines = symbols.zip(on_line(state, change)).collect();
        let courses = formulas.courses(terms, &lines, &Spans::default());
        let course = courses.into_iter().next()??;
        course.as_truth()?.then_some(course.until)
    }

    fn word(&mut self, position: &mut Position, word: &[Taken]) -> Option<()> {
        for part in word {
            match part {
                Taken::Block { edge, inputs } => {
                    let inputs: Vec<i128> = inputs.iter().map(small).collect::<Option<_>>()?;
                    self.block(position, *edge, &inputs)?;
                }
                Taken::Jump { cycle, times } => self.jump(position, cycle, times)?,
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
        let formulas = self.program.prepared.steps.entry(edge).or_insert_with(|| {
            let after = layouts.at(step.target).iter();
            let values = after.map(|&symbol| transition.value_of(terms, symbol));
            Formulas::new(terms, [transition.guard].into_iter().chain(values))
        });
        let state = layouts.at(step.source).iter().copied();
        let inputs = inputs.iter().map(|&value| Line::constant(value));
        let inputs = transition.inputs.iter().copied().zip(inputs);
        let symbols: FxHashMap<Symbol, Line> = state
            .zip(position.lines.iter().cloned())
            .chain(inputs)
            .collect();
        let courses = formulas.courses(terms, &symbols, &position.spans);
        let mut courses = courses.into_iter();
        let guard = courses.next()??;
        if guard.as_truth() != Some(true) {
            return None;
        }
        position.until = position.until.min(guard.until);
        position.lines.clear();
        for course in courses {
            let course = course?;
            position.until = position.until.min(course.until);
            position.lines.push(course.as_number()?.clone());
        }
        position.node = step.target;
        Some(())
    }

    fn jump(&mut self, position: &mut Position, cycle: &[Taken], times: &Times) -> Option<()> {
        let dimension = position.spans.0.len() + 1;
        // Growth is given from the innermost enclosing jump outwards, steps from the outermost inwards.
        let mut steps = vec![0; dimension];
        for (growth, step) in times.growth.iter().zip(steps.iter_mut().rev()) {
            *step = i128::try_from(growth).ok()?;
        }
        let first = i128::try_from(&times.first).ok()?;
        let count = Line::new(first, steps);
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
                Taken::Jump { cycle, times } => {
                    let change = self.change(node, state.clone(), cycle)?;
                    let times = i128::try_from(&times.first).ok()?;
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
        .map(|(&base, &step)| Line::new(base, vec![step]))
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
