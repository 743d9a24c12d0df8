//! The exploration itself: from loop head to loop head, state by state.

use std::collections::{BTreeMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::Arc;

use rhumb_logic::{Budget, Work};
use rhumb_program::{Action, Cfa, EdgeId, ExprId, LocId, LocKind, Program, Scope, VarId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::eval::{Evaluation, Slots};
use super::layout::{Layout, View};
use super::state::{KnownState, Open, Value};
use super::zone::Zone;
use crate::proof::encode::Malformed;
use crate::proof::reject::Rejected;
use crate::proof::subject::Subject;

/// Edges between two looks at the budget, and the work that they are.
const EDGES_PER_LOOK: u32 = 1024;
const WORK_PER_LOOK: Work = Work::units(100);

/// A state with more symbols than this is looked through for those that are not needed any more.
const MANY_SYMBOLS: usize = 12;

/// A choice on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    pub(super) at: LocId,
    pub(super) chosen: bool,
    /// Whether it is another one of the same visit.
    pub(super) again: bool,
}

/// What an exploration came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All states were seen, and nothing bad can be reached.
    Closed,
    /// Something that must not be reached is reached, as far as the view tells.
    Reached(Way),
    /// There is more to do, after a pause.
    Paused,
    /// The budget is spent.
    Spent,
}

/// A way through the program: what was chosen wherever the view left a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    pub(super) choices: Vec<Choice>,
    /// Where it ends: the location of a target, of something unsupported, or before a call.
    pub end: LocId,
}

/// States at a loop head.
struct Node {
    at: LocId,
    values: Arc<[u8]>,
    zone: Zone,
    parent: Option<u32>,
    /// What was chosen since the parent.
    choices: Box<[Choice]>,
}

/// Weight of all states together, at most: less than a gigabyte. Many states with many symbols are better left to formulas.
const MAX_WEIGHT: usize = 64_000_000;

/// States on their way from one loop head to the next.
struct Flight {
    at: LocId,
    state: KnownState,
    /// The last choice, in the list of those of this expansion.
    trail: Option<u32>,
    /// Whether that was made here, on this visit.
    has_chosen: bool,
    /// Number of symbols at which the state is tidied up.
    tidy_at: usize,
}

/// All that is under way from one node.
struct Aloft {
    from: u32,
    /// What goes on at once.
    flights: Vec<Flight>,
    /// What waits, at places where ways meet, for others that may still come; by the rank of the place.
    waiting: BTreeMap<u32, Vec<Flight>>,
}

impl Aloft {
    /// Number of states under way.
    fn len(&self) -> usize {
        self.flights.len() + self.waiting.values().map(Vec::len).sum::<usize>()
    }
}

/// What follows at a location.
enum Next {
    /// Nothing.
    End,
    /// This location.
    Go(LocId),
    /// Either of two: where a condition holds, and where it doesn't.
    Either(LocId, LocId),
    /// It depends on the answer.
    Ask(Open),
}

/// An exploration under way.
pub struct Walk<'p> {
    subject: Arc<Subject<'p>>,
    layout: Layout,
    nodes: Vec<Node>,
    seen: FxHashMap<(LocId, Arc<[u8]>), Vec<u32>>,
    /// The nodes that are not expanded, in the order in which they were found.
    open: VecDeque<u32>,
    /// Whether the last one comes next, or the first: errors may be near, or deep.
    deep: bool,
    trails: Vec<(Option<u32>, Choice)>,
    edges: u32,
    /// Weight of the states of all nodes.
    weight: usize,
}

/// Why an expansion ends early.
enum Stop {
    Reached(Option<u32>, LocId),
    Spent,
    Malformed(Malformed),
}

impl Slots for &Layout {
    fn slot(&self, var: VarId) -> Option<usize> {
        Layout::slot(self, var)
    }

    fn named(&mut self, _: usize, _: Value) {}
}

impl<'p> Walk<'p> {
    /// An exploration that has seen nothing yet.
    pub(super) fn new(subject: Arc<Subject<'p>>, view: &View) -> Walk<'p> {
        let layout = Layout::new(&subject, view);
        let mut state = KnownState::any(layout.len());
        set_globals(&subject.program, &layout, &mut state);
        let entry = subject.cfa().entry;
        let mut walk = Walk {
            subject,
            layout,
            nodes: Vec::new(),
            seen: FxHashMap::default(),
            open: VecDeque::new(),
            deep: false,
            trails: Vec::new(),
            edges: 0,
            weight: 0,
        };
        walk.arrive(entry, state, None, None);
        walk
    }

    /// Number of states at loop heads that were found.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Number of states at loop heads that are still to be looked at.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Goes on until there is something to tell; pauses, with a state done, after so much work.
    pub fn go_on(&mut self, budget: &Budget, pause: Work) -> Result<Ending, Rejected> {
        let begin = Work::so_far();
        loop {
            if self.weight > MAX_WEIGHT {
                return Ok(Ending::Spent);
            }
            if Work::since(begin) > pause {
                return Ok(Ending::Paused);
            }
            self.deep = !self.deep;
            let next = match self.deep {
                true => self.open.pop_back(),
                false => self.open.pop_front(),
            };
            let Some(node) = next else {
                return Ok(Ending::Closed);
            };
            let Err(stop) = self.expand(node, budget) else {
                continue;
            };
            // It is not done: whoever asks again hears the same.
            self.open.push_front(node);
            return match stop {
                Stop::Spent => Ok(Ending::Spent),
                Stop::Reached(trail, end) => {
                    let choices = self.all_choices(node, trail);
                    Ok(Ending::Reached(Way { choices, end }))
                }
                Stop::Malformed(malformed) => Err(self.subject.malformed(malformed)),
            };
        }
    }

    /// The choices on the way to a node and along a trail from there.
    fn all_choices(&self, node: u32, trail: Option<u32>) -> Vec<Choice> {
        let mut choices = self.choices(trail);
        let mut above = Some(node);
        while let Some(node) = above {
            let node = &self.nodes[node as usize];
            choices.extend(node.choices.iter().rev());
            above = node.parent;
        }
        choices.reverse();
        choices
    }

    /// The choices of a trail, the last one first.
    fn choices(&self, mut trail: Option<u32>) -> Vec<Choice> {
        let mut choices = Vec::new();
        while let Some(last) = trail {
            let (before, choice) = self.trails[last as usize];
            choices.push(choice);
            trail = before;
        }
        choices
    }

    /// Notes states at a loop head, unless they are known.
    fn arrive(&mut self, at: LocId, state: KnownState, parent: Option<u32>, trail: Option<u32>) {
        let state = self.tidied(at, state);
        let values: Arc<[u8]> = state.packed().into();
        let nodes = &self.nodes;
        let seen = self.seen.entry((at, values.clone())).or_default();
        let mut known = seen.iter().map(|&node| &nodes[node as usize].zone);
        if known.any(|zone| zone.contains(&state.zone)) {
            return;
        }
        seen.push(nodes.len() as u32);
        self.open.push_back(nodes.len() as u32);
        let mut choices = self.choices(trail);
        choices.reverse();
        self.weight += state.weight();
        self.nodes.push(Node {
            at,
            values,
            zone: state.zone,
            parent,
            choices: choices.into(),
        });
    }

    /// Follows the states of a node to the next loop heads.
    fn expand(&mut self, from: u32, budget: &Budget) -> Result<(), Stop> {
        let Node {
            at, values, zone, ..
        } = &self.nodes[from as usize];
        let first = Flight {
            at: *at,
            state: KnownState {
                values: KnownState::unpacked(values),
                zone: zone.clone(),
            },
            trail: None,
            has_chosen: false,
            tidy_at: MANY_SYMBOLS,
        };
        self.trails.clear();
        let mut aloft = Aloft {
            from,
            flights: vec![first],
            waiting: BTreeMap::new(),
        };
        loop {
            while let Some(flight) = aloft.flights.pop() {
                self.fly(flight, &mut aloft, budget)?;
            }
            let Some((_, arrived)) = aloft.waiting.pop_first() else {
                return Ok(());
            };
            aloft.flights = self.distinct(arrived);
        }
    }

    /// Of states that meet at a location, those that are different.
    fn distinct(&self, arrived: Vec<Flight>) -> Vec<Flight> {
        if arrived.len() < 2 {
            return arrived;
        }
        let mut kept: Vec<Flight> = Vec::with_capacity(arrived.len());
        let mut by_hash: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for mut flight in arrived {
            flight.state = self.tidied(flight.at, flight.state);
            let same = by_hash
                .entry(FxBuildHasher.hash_one(&flight.state))
                .or_default();
            if !same.iter().any(|&other| kept[other].state == flight.state) {
                same.push(kept.len());
                kept.push(flight);
            }
        }
        kept
    }

    /// Follows states until they are at a loop head, wait for others, or end.
    fn fly(&mut self, mut flight: Flight, aloft: &mut Aloft, budget: &Budget) -> Result<(), Stop> {
        loop {
            self.edges += 1;
            if self.edges.is_multiple_of(EDGES_PER_LOOK) {
                WORK_PER_LOOK.count();
                let weight = self.weight + aloft.len() * flight.state.weight();
                if weight > MAX_WEIGHT || budget.is_spent() {
                    return Err(Stop::Spent);
                }
            }
            let arrived = match self.step(&mut flight)? {
                Next::End => return Ok(()),
                Next::Go(next) => self.enter(next, flight, aloft)?,
                Next::Either(next, other) => {
                    let second = self.chosen(&flight, flight.state.clone(), false);
                    if let Some(second) = self.enter(other, second, aloft)? {
                        aloft.flights.push(second);
                    }
                    flight.trail = self.trail(&flight, true);
                    self.enter(next, flight, aloft)?
                }
                Next::Ask(Open(atom)) => {
                    if let Some(state) = flight.state.clone().learned(atom, false) {
                        aloft.flights.push(self.chosen(&flight, state, false));
                    }
                    let trail = self.trail(&flight, true);
                    let state = flight.state.learned(atom, true);
                    state.map(|state| Flight {
                        state,
                        trail,
                        has_chosen: true,
                        ..flight
                    })
                }
            };
            match arrived {
                Some(arrived) => flight = arrived,
                None => return Ok(()),
            }
        }
    }

    fn trail(&mut self, flight: &Flight, chosen: bool) -> Option<u32> {
        let choice = Choice {
            at: flight.at,
            chosen,
            again: flight.has_chosen,
        };
        self.trails.push((flight.trail, choice));
        Some(self.trails.len() as u32 - 1)
    }

    fn chosen(&mut self, flight: &Flight, state: KnownState, chosen: bool) -> Flight {
        Flight {
            at: flight.at,
            state,
            trail: self.trail(flight, chosen),
            has_chosen: true,
            tidy_at: flight.tidy_at,
        }
    }

    /// Comes to a location. None if the states don't go on from there now.
    fn enter(
        &mut self,
        at: LocId,
        mut flight: Flight,
        aloft: &mut Aloft,
    ) -> Result<Option<Flight>, Stop> {
        match self.subject.cfa().locations[at].kind {
            LocKind::Target(_) | LocKind::Unsupported(_) => {
                return Err(Stop::Reached(flight.trail, at));
            }
            LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => return Ok(None),
            LocKind::Plain if !self.layout.matters[at] => return Ok(None),
            LocKind::Plain if self.layout.cuts.contains(&at) => {
                self.arrive(at, flight.state, Some(aloft.from), flight.trail);
                return Ok(None);
            }
            LocKind::Plain => {}
        }
        flight.at = at;
        flight.has_chosen = false;
        if self.layout.is_join[at] && !(aloft.flights.is_empty() && aloft.waiting.is_empty()) {
            let here = aloft.waiting.entry(self.layout.rank[at]).or_default();
            here.push(flight);
            return Ok(None);
        }
        if flight.state.zone.len() > flight.tidy_at {
            flight.state = self.tidied(at, flight.state);
            flight.tidy_at = MANY_SYMBOLS.max(2 * flight.state.zone.len());
        }
        Ok(Some(flight))
    }

    /// States without what can't matter from a location on, in one form.
    fn tidied(&self, at: LocId, mut state: KnownState) -> KnownState {
        for slot in self.layout.dead(at) {
            state.values[slot] = Value::Any;
        }
        match state.zone.len() {
            // Without symbols it has only one form.
            1 => state,
            _ => state.normal(&self.layout.types),
        }
    }

    fn evaluation<'a>(&'a self, state: &'a mut KnownState) -> Evaluation<'a, &'a Layout> {
        Evaluation {
            program: &self.subject.program,
            slots: &self.layout,
            state,
        }
    }

    /// What follows at a location, after what its edge does to the state.
    fn step(&self, flight: &mut Flight) -> Result<Next, Stop> {
        let subject = &*self.subject;
        let (program, cfa) = (&subject.program, subject.cfa());
        match *cfa.outgoing(flight.at) {
            [] => Ok(Next::End),
            [edge] => {
                let edge = &cfa.edges[edge];
                match edge.action {
                    Action::Assume { .. } => {
                        return Err(Stop::Malformed(Malformed::Shape(edge.span)));
                    }
                    Action::Call { callee, .. } if !subject.calls.is_harmless(program, callee) => {
                        return Err(Stop::Reached(flight.trail, flight.at));
                    }
                    Action::Assign { dst, value } => {
                        if let Some(slot) = self.layout.slot(dst) {
                            match self.evaluation(&mut flight.state).value(value) {
                                Ok(value) => flight.state.values[slot] = value,
                                Err(open) => return Ok(Next::Ask(open)),
                            }
                        }
                    }
                    ref action => {
                        let set = subject.calls.set_by(program, action).iter().copied();
                        for var in set.chain(action.defined_var()) {
                            if let Some(slot) = self.layout.slot(var) {
                                flight.state.values[slot] = Value::Any;
                            }
                        }
                    }
                }
                Ok(Next::Go(edge.target))
            }
            [first, second] => {
                let Some((condition, holds, fails)) = branch(cfa, first, second) else {
                    return Err(Stop::Malformed(Malformed::Shape(cfa.edges[first].span)));
                };
                let targets = [holds, fails].map(|edge| cfa.edges[edge].target);
                if self.layout.unseen[flight.at] {
                    return Ok(Next::Either(targets[0], targets[1]));
                }
                Ok(match self.evaluation(&mut flight.state).holds(condition) {
                    Ok(Some(true)) => Next::Go(targets[0]),
                    Ok(Some(false)) => Next::Go(targets[1]),
                    Ok(None) => Next::Either(targets[0], targets[1]),
                    Err(open) => Next::Ask(open),
                })
            }
            [first, ..] => Err(Stop::Malformed(Malformed::Shape(cfa.edges[first].span))),
        }
    }
}

/// The condition of a branch, the edge where it holds, and the other one.
pub(in crate::proof) fn branch(
    cfa: &Cfa,
    first: EdgeId,
    second: EdgeId,
) -> Option<(ExprId, EdgeId, EdgeId)> {
    match (&cfa.edges[first].action, &cfa.edges[second].action) {
        (
            &Action::Assume { cond, holds },
            &Action::Assume {
                cond: same,
                holds: other,
            },
        ) if cond == same && holds != other => match holds {
            true => Some((cond, first, second)),
            false => Some((cond, second, first)),
        },
        _ => None,
    }
}

/// Gives global variables their first values.
pub(in crate::proof) fn set_globals<S: Slots>(
    program: &Program,
    mut slots: S,
    state: &mut KnownState,
) {
    for (var, info) in program.vars.iter_enumerated() {
        if info.scope != Scope::Global {
            continue;
        }
        let Some(slot) = slots.slot(var) else {
            continue;
        };
        let value = match info.init {
            None => Ok(Value::Known(0)),
            // It is made of constants and addresses.
            Some(init) => {
                let mut evaluation = Evaluation {
                    program,
                    slots,
                    state: &mut *state,
                };
                let value = evaluation.value(init);
                slots = evaluation.slots;
                value
            }
        };
        state.values[slot] = value.unwrap_or(Value::Any);
    }
}
