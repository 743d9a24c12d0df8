//! From a way to inputs: the program is executed along it, all variables followed, and what was asked on the way gives values.
//!
//! The way may be one that the view made up, or leave open what the view didn't look at. So it is a guide and not an
//! order: where it says nothing both answers are tried, within limits. Whoever wants to be sure runs the program on the
//! inputs.

use std::collections::VecDeque;

use rhumb_logic::{Budget, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Action, IndexVec, InputSiteId, LocId, LocKind, Type, VarId};

use super::eval::{Evaluation, Slots, bits, bounds_of};
use super::state::{KnownState, Open, Value};
use super::walk::{Choice, Way, set_globals};
use crate::proof::subject::Subject;

/// Limits: edges, answers that are taken back, answers that can be, and symbols.
const MAX_EDGES: u32 = 1_000_000;
const MAX_RETRIES: u32 = 500;
const MAX_OTHERS: usize = 32;
const MAX_SYMBOLS: usize = 256;

/// The work of a step for each symbol, and of a step without any: an answer changes what is known of all.
const WORK_PER_EDGE: u64 = 1;
const SYMBOLS_PER_WORK: usize = 8;

/// Edges between two looks at the budget.
const EDGES_PER_LOOK: u32 = 64;

/// How far ahead the way is searched for the place where the run is.
const LOOK_AHEAD: usize = 64;

/// A value from outside.
#[derive(Clone)]
struct Event {
    site: InputSiteId,
    ty: Type,
    value: Value,
}

/// All variables, and where the values come from that they have.
#[derive(Clone)]
struct Memory {
    slots: IndexVec<VarId, Option<u32>>,
    events: Vec<Event>,
    /// For each slot the event that gave it its value, while nobody has asked for that.
    untouched: Vec<Option<usize>>,
}

impl Slots for &mut Memory {
    fn slot(&self, var: VarId) -> Option<usize> {
        self.slots[var].map(|slot| slot as usize)
    }

    fn named(&mut self, slot: usize, value: Value) {
        if let Some(event) = self.untouched[slot].take() {
            self.events[event].value = value;
        }
    }

    fn max_symbols(&self) -> usize {
        MAX_SYMBOLS
    }
}

/// A run along a way.
#[derive(Clone)]
struct Run {
    at: LocId,
    state: KnownState,
    memory: Memory,
    /// How much of the way is behind it.
    done: usize,
    /// Whether the way was asked on this visit of the location.
    has_asked: bool,
}

/// What a step of the run comes to.
enum Next {
    Go(LocId),
    Either([LocId; 2]),
    Ask(Open),
    End,
}

/// Inputs with which the program may go that way.
pub(super) fn inputs(subject: &Subject<'_>, way: &Way, budget: &Budget) -> Option<KeyedInputs> {
    let mut run = Run::new(subject);
    // The last ones; what was left open long ago is not looked at again.
    let mut others: VecDeque<Run> = VecDeque::new();
    let mut retries = 0;
    for edge in 0..MAX_EDGES {
        if edge.is_multiple_of(EDGES_PER_LOOK) {
            let symbols = run.state.zone.len() / SYMBOLS_PER_WORK;
            Work::units(u64::from(EDGES_PER_LOOK) * (WORK_PER_EDGE + symbols as u64)).count();
            if budget.is_spent() {
                return None;
            }
        }
        while others.len() > MAX_OTHERS {
            others.pop_front();
        }
        let next = match run.step(subject) {
            Next::End => None,
            Next::Go(next) => Some((run, next)),
            Next::Either(targets) => {
                let (answer, is_told) = run.answer(&way.choices);
                let [first, second] = match answer {
                    true => targets,
                    false => [targets[1], targets[0]],
                };
                if !is_told {
                    let other = run.clone().moved(subject, second, &way.choices);
                    others.extend(other.filter(|_| !is_end(subject, second)));
                }
                Some((run, first))
            }
            Next::Ask(Open(atom)) => {
                let (answer, is_told) = run.answer(&way.choices);
                let other = run.state.clone().learned(atom, !answer);
                if let Some(state) = other.filter(|_| !is_told) {
                    others.push_back(Run {
                        state,
                        ..run.clone()
                    });
                }
                let state = std::mem::replace(&mut run.state, KnownState::any(0));
                match state.learned(atom, answer) {
                    Some(state) => {
                        run.state = state;
                        continue;
                    }
                    None => None,
                }
            }
        };
        if let Some((run, at)) = &next
            && *at == way.end
        {
            return run.inputs();
        }
        let moved = next.and_then(|(run, at)| run.moved(subject, at, &way.choices));
        run = match moved {
            Some(moved) => moved,
            None => {
                retries += 1;
                others.pop_back().filter(|_| retries < MAX_RETRIES)?
            }
        };
        if run.at == way.end {
            // A call that is left.
            return run.inputs();
        }
    }
    None
}

/// Whether runs end at a location.
fn is_end(subject: &Subject<'_>, at: LocId) -> bool {
    subject.cfa().locations[at].kind != LocKind::Plain
}

impl Run {
    fn new(subject: &Subject<'_>) -> Run {
        let mut count = 0;
        let slots = subject.program.vars.iter().map(|var| {
            bounds_of(&subject.program, var.ty).map(|_| {
                count += 1;
                count - 1
            })
        });
        let mut memory = Memory {
            slots: slots.collect(),
            events: Vec::new(),
            untouched: Vec::new(),
        };
        memory.untouched.resize(count as usize, None);
        let mut state = KnownState::any(count as usize);
        set_globals(&subject.program, &mut memory, &mut state);
        Run {
            at: subject.cfa().entry,
            state,
            memory,
            done: 0,
            has_asked: false,
        }
    }

    /// What the way says to a question here, and whether it is the next thing that it says; true if it says nothing.
    fn answer(&mut self, choices: &[Choice]) -> (bool, bool) {
        let again = std::mem::replace(&mut self.has_asked, true);
        let ahead = choices[self.done..].iter().take(LOOK_AHEAD);
        let mut ahead = ahead.enumerate();
        let found = ahead.find(|(_, choice)| choice.at == self.at && choice.again == again);
        match found {
            Some((distance, choice)) => {
                self.done += distance + 1;
                (choice.chosen, distance == 0)
            }
            None => (true, false),
        }
    }

    /// The run at its next location, if it goes on there. What the way says of this visit is behind it.
    fn moved(mut self, subject: &Subject<'_>, next: LocId, choices: &[Choice]) -> Option<Run> {
        let mut again = std::mem::replace(&mut self.has_asked, false);
        let is_here = |choice: &Choice, again| choice.at == self.at && choice.again == again;
        while choices
            .get(self.done)
            .is_some_and(|choice| is_here(choice, again))
        {
            self.done += 1;
            again = true;
        }
        self.at = next;
        (!is_end(subject, next)).then_some(self)
    }

    fn evaluation<'a>(&'a mut self, subject: &'a Subject<'_>) -> Evaluation<'a, &'a mut Memory> {
        Evaluation {
            program: &subject.program,
            slots: &mut self.memory,
            state: &mut self.state,
        }
    }

    fn set(&mut self, var: VarId, value: Value, event: Option<usize>) {
        if let Some(slot) = self.memory.slots[var] {
            self.state.values[slot as usize] = value;
            self.memory.untouched[slot as usize] = event;
        }
    }

    fn step(&mut self, subject: &Subject<'_>) -> Next {
        let (program, cfa) = (&subject.program, subject.cfa());
        match *cfa.outgoing(self.at) {
            [edge] => {
                let edge = &cfa.edges[edge];
                match edge.action {
                    Action::Assign { dst, value } => match self.evaluation(subject).value(value) {
                        Ok(value) => self.set(dst, value, None),
                        Err(open) => return Next::Ask(open),
                    },
                    Action::Input { dst, site } => {
                        let ty = program.vars[dst].ty;
                        let value = Value::Any;
                        self.memory.events.push(Event { site, ty, value });
                        let event = self.memory.events.len() - 1;
                        self.set(dst, value, Some(event));
                    }
                    ref action => {
                        let set = subject.calls.set_by(program, action).iter().copied();
                        let set: Vec<VarId> = set.chain(action.defined_var()).collect();
                        for var in set {
                            self.set(var, Value::Any, None);
                        }
                    }
                }
                Next::Go(edge.target)
            }
            [first, second] => {
                let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
                let Action::Assume { cond, holds } = first.action else {
                    return Next::End;
                };
                let targets = match holds {
                    true => [first.target, second.target],
                    false => [second.target, first.target],
                };
                match self.evaluation(subject).holds(cond) {
                    Ok(Some(true)) => Next::Go(targets[0]),
                    Ok(Some(false)) => Next::Go(targets[1]),
                    Ok(None) => Next::Either(targets),
                    Err(open) => Next::Ask(open),
                }
            }
            _ => Next::End,
        }
    }

    /// Inputs for all that was read so far.
    fn inputs(&self) -> Option<KeyedInputs> {
        let model = self.state.zone.model()?;
        let mut inputs = KeyedInputs::new();
        for event in &self.memory.events {
            let number = KnownState::parts(event.value)
                .and_then(|(symbol, number)| i64::try_from(model[symbol as usize] + number).ok());
            let bits = number.and_then(|number| bits(event.ty, number));
            inputs.push_value(event.site, bits.unwrap_or(0), 1);
        }
        Some(inputs)
    }
}
