//! Conditions that decide by themselves (MC/DC).
//!
//! A condition shows that it decides in a run of its decision in which the other value of it, with the same values of
//! all conditions that were looked at, could have led to the other outcome (a condition that nobody looked at may have
//! any value). So this is said of a whole way through a decision, not of a step on it. In the program that [`unfold`]
//! makes each way has an end of its own: what ways share is there once for each of them. Everything else is the same,
//! so runs and tests are the same, too.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Goal, GoalKind};
use crate::cfa::{Action, Cfa, Choice, LocKind, Location};
use crate::ids::{EdgeId, FuncId, LocId};
use crate::model::Program;
use crate::span::Span;

/// Decisions with more ways through them are left out.
const MOST_WAYS: usize = 500;

/// A program in which every way through a decision has an end of its own.
#[derive(Debug)]
pub struct Unfolded {
    /// The program.
    pub program: Program,
    /// Each condition with each value, as far as there is a way on which it decides.
    pub goals: Vec<Goal>,
    /// Decisions that there are too many ways through.
    pub left_out: Vec<Span>,
}

/// Gives every way through a decision an end of its own. The text of the user ends at the given byte.
pub fn unfold(program: &Program, end_of_text: u32) -> Unfolded {
    let mut unfolded = Unfolded {
        program: program.clone(),
        goals: Vec::new(),
        left_out: Vec::new(),
    };
    let start = program.start;
    let functions = unfolded.program.functions.iter_mut_enumerated();
    for (function, body) in functions.filter(|(function, _)| *function != start) {
        for (decision, roots) in decisions(&body.cfa) {
            if decision.lo >= end_of_text {
                continue;
            }
            let mut cfa = body.cfa.clone();
            let ways = roots.iter().try_fold(Ways::default(), |mut ways, &root| {
                Unfolding::new(&mut cfa, decision, &mut ways).walk(root)?;
                Some(ways)
            });
            match ways {
                Some(ways) => {
                    body.cfa = cfa;
                    unfolded.goals.extend(ways.goals(function));
                }
                None => unfolded.left_out.push(decision),
            }
        }
    }
    unfolded
        .goals
        .sort_by_key(|goal| (goal.span, goal.kind.clone()));
    unfolded
}

/// The decisions of a function, with the places where they begin: more than one, if what they are a part of is
/// evaluated in one order or another.
fn decisions(cfa: &Cfa) -> BTreeMap<Span, Vec<LocId>> {
    let mut found: BTreeMap<Span, Vec<LocId>> = BTreeMap::new();
    let mut seen: FxHashSet<LocId> = FxHashSet::default();
    // What comes first in a decision was lowered first.
    for edge in &cfa.edges {
        let Some(decision) = edge.mark.as_ref().and_then(|mark| mark.condition_of) else {
            continue;
        };
        if seen.insert(edge.source) {
            found.entry(decision).or_default().push(edge.source);
            seen.extend(inside(cfa, edge.source, decision));
        }
    }
    found
}

/// The places that a decision may get to from one of its places, before it comes to an end.
fn inside(cfa: &Cfa, from: LocId, decision: Span) -> BTreeSet<LocId> {
    let mut found = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        for &id in cfa.outgoing(at) {
            let edge = &cfa.edges[id];
            let is_part = edge.span.lo >= decision.lo && edge.span.hi <= decision.hi;
            let is_plain = cfa.locations[edge.target].kind == LocKind::Plain;
            if is_part
                && is_plain
                && outcome(cfa, id, decision).is_none()
                && found.insert(edge.target)
            {
                waiting.push(edge.target);
            }
        }
    }
    found
}

/// The outcome of a decision, if an edge is its last step.
fn outcome(cfa: &Cfa, edge: EdgeId, decision: Span) -> Option<bool> {
    match cfa.edges[edge].mark.as_ref()?.decision? {
        (text, choice) if text == decision => Some(choice == Choice::True),
        _ => None,
    }
}

/// What comes behind a condition.
#[derive(Clone, Copy)]
enum Next {
    Condition(Span),
    Outcome(bool),
}

/// A way through a decision: conditions with their values, the outcome, and the last step.
struct Way {
    values: Vec<(Span, bool)>,
    outcome: bool,
    end: EdgeId,
}

/// All ways through a decision.
#[derive(Default)]
struct Ways {
    all: Vec<Way>,
    next: FxHashMap<(Span, bool), Next>,
}

impl Ways {
    fn goals(&self, function: FuncId) -> impl Iterator<Item = Goal> {
        let mut edges: BTreeMap<(Span, bool), Vec<EdgeId>> = BTreeMap::new();
        for way in &self.all {
            for &(condition, value) in &way.values {
                if self.decides(way, condition, value) {
                    edges.entry((condition, value)).or_default().push(way.end);
                }
            }
        }
        edges.into_iter().map(move |((span, value), edges)| Goal {
            kind: GoalKind::Decides(value),
            function,
            span,
            edges,
        })
    }

    /// Whether the other value of a condition could have led to the other outcome.
    fn decides(&self, way: &Way, condition: Span, value: bool) -> bool {
        let mut waiting = vec![(condition, !value)];
        while let Some(step) = waiting.pop() {
            match self.next.get(&step) {
                Some(&Next::Outcome(outcome)) if outcome != way.outcome => return true,
                Some(&Next::Condition(next)) => {
                    let known = way.values.iter().find(|(condition, _)| *condition == next);
                    match known {
                        Some(&known) => waiting.push(known),
                        None => waiting.extend([(next, false), (next, true)]),
                    }
                }
                Some(Next::Outcome(_)) | None => {}
            }
        }
        false
    }
}

/// Walks through a decision, and copies what another way has gone through.
struct Unfolding<'a> {
    cfa: &'a mut Cfa,
    decision: Span,
    ways: &'a mut Ways,
    values: Vec<(Span, bool)>,
    taken: FxHashSet<LocId>,
}

impl<'a> Unfolding<'a> {
    fn new(cfa: &'a mut Cfa, decision: Span, ways: &'a mut Ways) -> Unfolding<'a> {
        Unfolding {
            cfa,
            decision,
            ways,
            values: Vec::new(),
            taken: FxHashSet::default(),
        }
    }

    /// All ways from a condition on. None if there are too many.
    fn walk(&mut self, at: LocId) -> Option<()> {
        self.taken.insert(at);
        for id in self.cfa.outgoing(at).to_vec() {
            let edge = &self.cfa.edges[id];
            let Action::Assume { holds, .. } = edge.action else {
                continue;
            };
            let condition = edge.span;
            self.values.push((condition, holds));
            let next = match outcome(self.cfa, id, self.decision) {
                Some(outcome) => {
                    self.ways.all.push(Way {
                        values: self.values.clone(),
                        outcome,
                        end: id,
                    });
                    Some(Next::Outcome(outcome))
                }
                None => match self.next_condition(id) {
                    Some(mut next) => {
                        if self.taken.contains(&next) {
                            self.copy_behind(id);
                            next = self.next_condition(id)?;
                        }
                        self.walk(next)?;
                        let first = *self.cfa.outgoing(next).first()?;
                        Some(Next::Condition(self.cfa.edges[first].span))
                    }
                    // Nothing comes behind it but a constant, or something that doesn't come back.
                    None => None,
                },
            };
            self.values.pop();
            let step = (condition, holds);
            self.ways.next.extend(next.map(|next| (step, next)));
        }
        (self.ways.all.len() <= MOST_WAYS).then_some(())
    }

    /// The next place where a condition of the decision is looked at.
    fn next_condition(&self, edge: EdgeId) -> Option<LocId> {
        let is_condition = |at: LocId| {
            let mut edges = self.cfa.outgoing(at).iter();
            edges.any(|&edge| {
                let mark = self.cfa.edges[edge].mark.as_ref();
                mark.is_some_and(|mark| mark.condition_of == Some(self.decision))
            })
        };
        let mut waiting = vec![self.cfa.edges[edge].target];
        let mut seen: FxHashSet<LocId> = waiting.iter().copied().collect();
        while let Some(at) = waiting.pop() {
            if is_condition(at) {
                return Some(at);
            }
            for &id in self.cfa.outgoing(at) {
                let edge = &self.cfa.edges[id];
                let is_part = edge.span.lo >= self.decision.lo && edge.span.hi <= self.decision.hi;
                if is_part && seen.insert(edge.target) {
                    waiting.push(edge.target);
                }
            }
        }
        None
    }

    /// Gives what comes behind an edge, as far as it is a part of the decision, to this edge alone.
    fn copy_behind(&mut self, edge: EdgeId) {
        let first = self.cfa.edges[edge].target;
        let copied: FxHashMap<LocId, LocId> = inside(self.cfa, first, self.decision)
            .into_iter()
            .map(|at| {
                let location = Location {
                    outgoing: Default::default(),
                    ..self.cfa.locations[at].clone()
                };
                (at, self.cfa.locations.push(location))
            })
            .collect();
        let mut places: Vec<(LocId, LocId)> =
            copied.iter().map(|(&at, &copy)| (at, copy)).collect();
        places.sort_unstable();
        for (at, copy) in places {
            for id in self.cfa.outgoing(at).to_vec() {
                let mut step = self.cfa.edges[id].clone();
                step.source = copy;
                step.target = copied.get(&step.target).copied().unwrap_or(step.target);
                let id = self.cfa.edges.push(step);
                self.cfa.locations[copy].outgoing.push(id);
            }
        }
        self.cfa.edges[edge].target = copied.get(&first).copied().unwrap_or(first);
    }
}
