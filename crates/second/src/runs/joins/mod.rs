//! Runs that meet: where ways with the same control come together, what differs is chosen by the conditions of the
//! ways.
//!
//! Path by path there are as many paths as ways through a loop, and as many schedules as ways through the threads. Here
//! the state that is furthest behind goes on first ([`order`]), so that those that can come to the same place wait for
//! one another, and two that are there become one ([`merge`]). Few questions are asked: both sides of a branch are
//! taken unless it may be the end of a loop, and what can't be is found out where something bad would be reached.
//!
//! Programs whose runs have an end whatever the inputs are, and however threads take turns, are for this road; those
//! that come back to states that were seen are for the paths.

mod merge;
mod order;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rhumb_program::{EdgeId, FuncId, LocId, VarId};

pub(super) use self::order::Order;
use super::model::Model;
use super::state::{Halt, PathState};
use super::step::Flow;
use super::{Answer, MAX_STEPS, Runs, STRIDE};
use crate::decide::{Decision, Effort, decide};
use crate::pool::{Id, Sort};

/// So many states with the same control are compared with a new one.
const MAX_COMPARED: usize = 8;

/// What makes two states ones that may become one: where all threads are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Control {
    current: usize,
    threads: Vec<ThreadControl>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ThreadControl {
    frames: Vec<(FuncId, LocId, Option<EdgeId>, Option<VarId>)>,
    atomic: u32,
    waits: bool,
    is_done: bool,
}

impl Control {
    fn of(state: &PathState) -> Control {
        let threads = state.threads.iter().map(|thread| {
            let frames = thread.frames.iter();
            let frames = frames.map(|frame| (frame.function, frame.at, frame.call, frame.wanted));
            ThreadControl {
                frames: frames.collect(),
                atomic: thread.atomic,
                waits: thread.waits,
                is_done: thread.is_done,
            }
        });
        Control {
            current: state.current,
            threads: threads.collect(),
        }
    }
}

/// The states that wait, those that are furthest behind first.
///
/// Invariant: no inputs and choices satisfy the conditions of two of them. They all come of one state by steps, and a
/// step that has several outcomes gives each a condition that excludes the others: the sides of a branch, the values of
/// a word, and which thread goes on, for which there are symbols of their own ([`Runs::choose_thread`]). One that is
/// made of two has the conditions of either.
#[derive(Default)]
struct Waiting {
    states: BTreeMap<(Vec<Vec<u32>>, Control), Vec<PathState>>,
}

impl Runs<'_> {
    /// Follows all runs, and lets them meet.
    pub(super) fn all_joined(&mut self) -> Result<(), Halt> {
        let mut waiting = Waiting::default();
        let mut first = PathState::first(self)?;
        first.model = None;
        self.wait(&mut waiting, first);
        let mut steps = 0_u64;
        while let Some(mut entry) = waiting.states.first_entry() {
            let state = entry.get_mut().pop();
            if entry.get().is_empty() {
                entry.remove();
            }
            let Some(mut state) = state else { continue };
            loop {
                steps += 1;
                if steps > MAX_STEPS || (steps.is_multiple_of(STRIDE) && self.limits.is_over()) {
                    return Err(Halt::undecided("there are too many states that meet"));
                }
                let thread = state.current;
                let depth = state.threads[thread].frames.len();
                let from = state.frame().map(|frame| frame.at);
                self.is_asking = from.is_some_and(|at| self.order.needs_asking(&state, at));
                let mut states = match self.step(&mut state) {
                    Ok(Flow::On) => vec![state],
                    Ok(Flow::End) => Vec::new(),
                    Ok(Flow::Fork(states)) => states,
                    Err(Halt::Split(value)) => {
                        for state in self.parts(state, value)? {
                            self.wait(&mut waiting, state);
                        }
                        break;
                    }
                    Err(halt) => match self.is_possible(&state)? {
                        true => return Err(halt),
                        false => Vec::new(),
                    },
                };
                for state in &mut states {
                    self.order.moved(state, thread, depth, from);
                }
                let goes_on = |state: &PathState| {
                    waiting.states.is_empty() || !self.order.is_meeting(state, thread)
                };
                match states.len() {
                    0 => break,
                    1 if goes_on(&states[0]) => state = states.remove(0),
                    _ => {
                        for state in states {
                            self.wait(&mut waiting, state);
                        }
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts a state to the others, or makes it one with another that is at the same place.
    fn wait(&mut self, waiting: &mut Waiting, mut state: PathState) {
        self.order.forget_dead(&mut state);
        let key = (self.order.position(&state), Control::of(&state));
        let there = waiting.states.entry(key).or_default();
        for other in there.iter_mut().rev().take(MAX_COMPARED) {
            if let Some(both) = self.merge(other, &state) {
                *other = both;
                return;
            }
        }
        there.push(state);
    }

    /// The state with a condition that nobody was asked about, unless something has to be known.
    pub(super) fn supposing(
        &mut self,
        state: &PathState,
        condition: Id,
    ) -> Result<Option<PathState>, Halt> {
        let known = self.pool.as_bool(condition);
        if known == Some(false) {
            return Ok(None);
        }
        let mut state = state.clone();
        if known.is_none() {
            state.path.push(condition);
            if self.is_asking && !self.is_possible(&state)? {
                return Ok(None);
            }
        }
        Ok(Some(state))
    }

    /// Whether all conditions of a way can hold together.
    fn is_possible(&mut self, state: &PathState) -> Result<bool, Halt> {
        Ok(self.values(&state.path, &[])?.is_some())
    }

    fn values(&mut self, formulas: &[Id], wanted: &[Id]) -> Result<Answer, Halt> {
        let (pool, limits) = (&self.pool, self.limits);
        match decide(self.solver, pool, formulas, wanted, limits, Effort::Joined) {
            Decision::Impossible => Ok(None),
            Decision::Possible(values) => Ok(Some(values)),
            Decision::Unknown(why) => {
                let why = format!("whether ways that meet can be taken ({why})");
                Err(Halt::Undecided(why))
            }
        }
    }

    /// One value that a word may have, and all others.
    fn parts(&mut self, state: PathState, value: Id) -> Result<Vec<PathState>, Halt> {
        let mut formulas = state.path.clone();
        let ty = self.pool.word_type(value);
        let itself = self.pool.same(value, value);
        formulas.push(itself);
        let nodes = self.pool.postorder(&[&formulas[..], &[value]].concat());
        let is_symbol = |id: &Id| matches!(self.pool.node(*id), crate::pool::Node::Symbol(..));
        let wanted: Vec<Id> = nodes.into_iter().filter(is_symbol).collect();
        let Some(found) = self.values(&formulas, &wanted)? else {
            return Ok(Vec::new());
        };
        let model = Model::default().with(&self.pool, &found);
        let bits = model.and_then(|model| model.evaluate(&self.pool, value));
        let Some(bits) = bits else {
            return Err(Halt::undecided("a value has too many cases"));
        };
        let constant = self.pool.word(ty, bits);
        let is_it = self.pool.same(value, constant);
        let is_other = self.pool.not(is_it);
        let (mut one, mut other) = (state.clone(), state);
        one.path.push(is_it);
        one.known.insert(value, bits);
        other.path.push(is_other);
        let mut states = vec![one];
        if self.is_possible(&other)? {
            states.push(other);
        }
        Ok(states)
    }

    /// One of these threads goes on: a symbol says which, so that the conditions of the outcomes exclude one another.
    pub(super) fn choose_thread(&mut self, state: &PathState, ways: &[usize]) -> Flow {
        let mut states = Vec::new();
        let mut rest = state.clone();
        for (index, &way) in ways.iter().enumerate() {
            let mut chosen = rest.clone();
            chosen.current = way;
            if index + 1 < ways.len() {
                let choice = self.pool.fresh(Sort::Bool);
                chosen.path.push(choice);
                let other = self.pool.not(choice);
                rest.path.push(other);
            }
            states.push(chosen);
        }
        Flow::Fork(states)
    }
}
