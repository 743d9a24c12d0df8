//! The tabulation itself: function by function, entry by entry, state by state.

use std::collections::VecDeque;
use std::sync::Arc;

use rhumb_logic::{Budget, Work};
use rhumb_program::{Action, Cfa, EdgeId, ExprId, FuncId, LocId, LocKind, Program, Span, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::explicit::{
    Atom, Evaluation, KnownState, Open, Value, Zone, branch, set_globals,
};
use super::avoid::{self, Avoided};
use super::frames::{self, Seats};
use super::layout::{CallMap, Frame, Layout};
use super::view::Following;
use super::way::CallingWay;

/// Edges between two looks at the budget, the work that they are, and what a new state is worth, in edges.
const EDGES_PER_LOOK: u32 = 1024;
const WORK_PER_LOOK: Work = Work::units(400);
const EDGES_PER_NODE: u32 = 8;

/// Weight of all states together, at most: less than a gigabyte.
const MAX_WEIGHT: usize = 48_000_000;

/// What a state weighs besides its values and symbols.
const NODE_WEIGHT: usize = 24;

/// The values of a state as bytes.
type Packed = Arc<[u8]>;

/// What a tabulation came to.
#[derive(Clone, Debug)]
pub enum Tabulated {
    /// All states were seen, and nothing bad can be reached.
    Closed,
    /// All states were seen that come by no edge which is avoided, and nothing bad is among them. That shows nothing.
    Exhausted,
    /// Something that must not be reached is reached, as far as the variables tell that are followed.
    Reached(CallingWay),
    /// There is more to do, after a pause.
    Paused,
    /// The budget is spent, or there are too many states.
    Spent,
    /// The program is not as the model says. No front end makes such a one.
    Malformed(Span),
}

/// A function that is entered in one way.
pub(super) struct Context {
    pub(super) function: FuncId,
    /// Nodes at calls that enter it so. Of the start function there is none.
    pub(super) callers: Vec<u32>,
    /// Nodes at its exit.
    exits: Vec<u32>,
}

/// How a run came to a node.
#[derive(Clone, Copy)]
pub(super) enum Before {
    /// The function was entered.
    Entry,
    /// From this node.
    Node(u32),
    /// A call at a node was followed, and returned from another.
    Return { call: u32, exit: u32 },
}

/// States at a location of a function that is entered in one way: at its entry and exit, at joins, before and after
/// calls that are followed.
pub(super) struct Node {
    pub(super) context: u32,
    pub(super) at: LocId,
    values: Packed,
    zone: Zone,
    pub(super) before: Before,
    /// The edges since then.
    pub(super) trail: Box<[EdgeId]>,
}

/// States on their way from one node to the next.
struct Flight {
    at: LocId,
    state: KnownState,
    trail: Vec<EdgeId>,
    /// Whether it has left the node.
    has_left: bool,
}

/// What follows at a location.
enum Next {
    End,
    Go(EdgeId),
    Either(EdgeId, EdgeId),
    Ask(Atom),
}

/// Why an expansion ends early.
enum Stop {
    Reached(Vec<EdgeId>),
    Spent,
    Malformed(Span),
}

/// A tabulation under way.
pub struct Tabulation<'p> {
    program: &'p Program,
    calls: Arc<CallMap>,
    layout: Layout,
    /// Edges that are not followed, where only errors are looked for.
    avoided: Option<Avoided>,
    pub(super) contexts: Vec<Context>,
    by_entry: FxHashMap<(FuncId, Packed), Vec<(Zone, u32)>>,
    pub(super) nodes: Vec<Node>,
    seen: FxHashMap<(u32, LocId, Packed), Vec<u32>>,
    /// The nodes that are not expanded, in the order in which they were found: short ways come first.
    open: VecDeque<u32>,
    /// Edges since the last look at the budget.
    edges: u32,
    weight: usize,
}

impl<'p> Tabulation<'p> {
    pub(super) fn new(program: &'p Program, calls: Arc<CallMap>, following: &Following) -> Self {
        let layout = Layout::new(program, &calls, following);
        let mut walk = Tabulation {
            program,
            calls,
            layout,
            avoided: None,
            contexts: Vec::new(),
            by_entry: FxHashMap::default(),
            nodes: Vec::new(),
            seen: FxHashMap::default(),
            open: VecDeque::new(),
            edges: 0,
            weight: 0,
        };
        let start = program.start;
        walk.layout.prepare(program, &walk.calls, start);
        if let Some(frame) = walk.layout.frame(start) {
            let state = first_states(program, frame);
            walk.context(start, state);
        }
        walk
    }

    /// The same, but edges are avoided, and what is unsupported is passed by: to look for errors. Nothing is done yet.
    pub(super) fn avoiding(mut self, avoided: Avoided) -> Self {
        self.avoided = Some(avoided);
        self
    }

    fn avoids(&self, function: FuncId, edge: EdgeId) -> bool {
        (self.avoided.as_ref()).is_some_and(|avoided| avoided.has(function, edge))
    }

    /// Number of states that were found.
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// The followed variables that look like counters: they have more values than so many, one next to the other.
    pub fn restless(&self, many: usize) -> Vec<VarId> {
        let mut values: FxHashMap<VarId, FxHashSet<i64>> = FxHashMap::default();
        for node in &self.nodes {
            let function = self.contexts[node.context as usize].function;
            let Some(frame) = self.layout.frame(function) else {
                continue;
            };
            for (&var, value) in frame.vars.iter().zip(KnownState::unpacked(&node.values)) {
                if let Value::Known(number) = value {
                    values.entry(var).or_default().insert(number);
                }
            }
        }
        let is_restless = |values: &FxHashSet<i64>| {
            let (least, most) = (values.iter().min(), values.iter().max());
            let reach = least.zip(most).map(|(least, most)| most.abs_diff(*least));
            values.len() > many && reach.is_some_and(|reach| reach < 2 * values.len() as u64)
        };
        let many = values.into_iter().filter(|(_, values)| is_restless(values));
        let mut many: Vec<VarId> = many.map(|(var, _)| var).collect();
        many.sort_unstable();
        many
    }

    /// Number of states that are still to be looked at.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Goes on until there is something to tell; pauses, with a state done, after so much work.
    pub fn go_on(&mut self, budget: &Budget, pause: Work) -> Tabulated {
        let begin = Work::so_far();
        loop {
            if self.weight > MAX_WEIGHT {
                return Tabulated::Spent;
            }
            if Work::since(begin) > pause {
                return Tabulated::Paused;
            }
            let Some(node) = self.open.pop_front() else {
                return match self.avoided {
                    Some(_) => Tabulated::Exhausted,
                    None => Tabulated::Closed,
                };
            };
            let Err(stop) = self.expand(node, budget) else {
                continue;
            };
            // It is not done: whoever asks again hears the same.
            self.open.push_front(node);
            return match stop {
                Stop::Spent => Tabulated::Spent,
                Stop::Malformed(span) => Tabulated::Malformed(span),
                Stop::Reached(trail) => match CallingWay::to(self, node, &trail) {
                    Some(way) => Tabulated::Reached(way),
                    None => Tabulated::Spent,
                },
            };
        }
    }

    /// The context of a function that is entered in these states.
    fn context(&mut self, function: FuncId, mut state: KnownState) -> u32 {
        if let Some(frame) = self.layout.frame(function) {
            state = frame.coarsened(state).normal(&frame.types);
        }
        let key: Packed = state.packed().into();
        let known = self.by_entry.entry((function, key)).or_default();
        let mut same = known.iter().filter(|(zone, _)| zone.contains(&state.zone));
        if let Some(&(_, context)) = same.next() {
            return context;
        }
        let context = self.contexts.len() as u32;
        known.push((state.zone.clone(), context));
        self.contexts.push(Context {
            function,
            callers: Vec::new(),
            exits: Vec::new(),
        });
        let entry = self.program.functions[function].cfa.entry;
        self.arrive(context, entry, state, Before::Entry, Vec::new());
        context
    }

    /// Notes states at a location, unless they are known. Says which node they are, if they are new.
    fn arrive(
        &mut self,
        context: u32,
        at: LocId,
        mut state: KnownState,
        before: Before,
        trail: Vec<EdgeId>,
    ) -> Option<u32> {
        let function = self.contexts[context as usize].function;
        let frame = self.layout.frame(function)?;
        for slot in frame.dead(at) {
            state.values[slot] = Value::Any;
        }
        state = frame.coarsened(state);
        if state.zone.len() > 1 {
            state = state.normal(&frame.types);
        }
        let values: Packed = state.packed().into();
        let nodes = &self.nodes;
        let seen = self.seen.entry((context, at, values.clone())).or_default();
        let mut known = seen.iter().map(|&node| &nodes[node as usize].zone);
        if known.any(|zone| zone.contains(&state.zone)) {
            return None;
        }
        let node = nodes.len() as u32;
        self.edges += EDGES_PER_NODE;
        seen.push(node);
        self.open.push_back(node);
        self.weight += NODE_WEIGHT + state.weight() + trail.len();
        self.nodes.push(Node {
            context,
            at,
            values,
            zone: state.zone,
            before,
            trail: trail.into(),
        });
        Some(node)
    }

    fn state(&self, node: u32) -> KnownState {
        let node = &self.nodes[node as usize];
        KnownState {
            values: KnownState::unpacked(&node.values),
            zone: node.zone.clone(),
        }
    }

    /// Follows the states of a node to the next ones.
    fn expand(&mut self, node: u32, budget: &Budget) -> Result<(), Stop> {
        let Node { context, at, .. } = self.nodes[node as usize];
        let function = self.contexts[context as usize].function;
        let program = self.program;
        let cfa = &program.functions[function].cfa;
        if cfa.locations[at].kind == LocKind::Exit {
            self.contexts[context as usize].exits.push(node);
            for caller in self.contexts[context as usize].callers.clone() {
                self.resume(caller, node);
            }
            return Ok(());
        }
        let mut flights = vec![Flight {
            at,
            state: self.state(node),
            trail: Vec::new(),
            has_left: false,
        }];
        while let Some(flight) = flights.pop() {
            self.fly(node, cfa, flight, &mut flights, budget)?;
        }
        Ok(())
    }

    /// Follows states until they are at a node, or end.
    fn fly(
        &mut self,
        from: u32,
        cfa: &Cfa,
        mut flight: Flight,
        flights: &mut Vec<Flight>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let context = self.nodes[from as usize].context;
        let function = self.contexts[context as usize].function;
        loop {
            self.edges += 1;
            if self.edges >= EDGES_PER_LOOK {
                self.edges = 0;
                WORK_PER_LOOK.count();
                if budget.is_spent() || flights.len() * flight.state.weight() > MAX_WEIGHT {
                    return Err(Stop::Spent);
                }
            }
            let kind = cfa.locations[flight.at].kind;
            if avoid::is_reached(kind, self.avoided.as_ref()) {
                return Err(Stop::Reached(flight.trail));
            }
            let (is_node, is_call) = match kind {
                LocKind::Exit => (true, false),
                LocKind::Plain => match self.layout.frame(function) {
                    Some(frame) => {
                        let is_call = frame.is_call[flight.at];
                        (is_call || frame.is_join[flight.at], is_call)
                    }
                    None => return Ok(()),
                },
                // A run ends.
                _ => return Ok(()),
            };
            if is_node && flight.has_left {
                let before = Before::Node(from);
                self.arrive(context, flight.at, flight.state, before, flight.trail);
                return Ok(());
            }
            if is_call && self.avoids(function, cfa.outgoing(flight.at)[0]) {
                return Ok(());
            }
            if is_call {
                return self.call(from, cfa, flight.state);
            }
            let next = match self.step(function, cfa, &mut flight)? {
                Next::End => return Ok(()),
                Next::Go(edge) => edge,
                Next::Either(edge, other) if self.avoids(function, other) => edge,
                Next::Either(edge, other) => {
                    let mut trail = flight.trail.clone();
                    trail.push(other);
                    flights.push(Flight {
                        at: cfa.edges[other].target,
                        state: flight.state.clone(),
                        trail,
                        has_left: true,
                    });
                    edge
                }
                Next::Ask(atom) => {
                    if let Some(state) = flight.state.clone().learned(atom, false) {
                        flights.push(Flight {
                            at: flight.at,
                            state,
                            trail: flight.trail.clone(),
                            has_left: flight.has_left,
                        });
                    }
                    match flight.state.learned(atom, true) {
                        Some(state) => flight.state = state,
                        None => return Ok(()),
                    }
                    continue;
                }
            };
            if self.avoids(function, next) {
                return Ok(());
            }
            flight.trail.push(next);
            flight.at = cfa.edges[next].target;
            flight.has_left = true;
        }
    }

    /// Follows a call at a node.
    fn call(&mut self, from: u32, cfa: &Cfa, state: KnownState) -> Result<(), Stop> {
        let Node { context, at, .. } = self.nodes[from as usize];
        let function = self.contexts[context as usize].function;
        let program = self.program;
        let edge = cfa.outgoing(at)[0];
        let Action::Call { dst, ref args, .. } = cfa.edges[edge].action else {
            return Err(Stop::Malformed(cfa.edges[edge].span));
        };
        let calls = self.calls.clone();
        let callees = calls.callees(program, &cfa.edges[edge].action);
        // States that are told apart by what arguments are. They are not nodes: this node covers them, and would be
        // taken for having followed them.
        let mut open = vec![state];
        while let Some(mut state) = open.pop() {
            let values = match self.arguments(function, &mut state, args, &callees) {
                Ok(values) => values,
                Err(Open(atom)) => {
                    let answers = [true, false].into_iter();
                    open.extend(answers.filter_map(|answer| state.clone().learned(atom, answer)));
                    continue;
                }
            };
            for &callee in &callees {
                if !self.layout.must_enter(&calls, callee, dst) {
                    // It changes nothing that is followed.
                    let (state, target) = (state.clone(), cfa.edges[edge].target);
                    self.arrive(context, target, state, Before::Node(from), vec![edge]);
                    continue;
                }
                self.layout.prepare(program, &calls, callee);
                let frames = (self.layout.frame(function), self.layout.frame(callee));
                let (Some(here), Some(there)) = frames else {
                    continue;
                };
                let entered = frames::entered(program, (here, there), callee, &state, &values);
                let entered = self.context(callee, entered);
                let context = &mut self.contexts[entered as usize];
                if context.callers.contains(&from) {
                    continue;
                }
                context.callers.push(from);
                for exit in context.exits.clone() {
                    self.resume(from, exit);
                }
            }
        }
        Ok(())
    }

    /// The values of a call's arguments, as far as a callee wants to know them.
    fn arguments(
        &self,
        function: FuncId,
        state: &mut KnownState,
        args: &[ExprId],
        callees: &[FuncId],
    ) -> Result<Vec<Value>, Open> {
        let is_wanted = |number: usize| {
            callees.iter().any(|&callee| {
                let param = self.program.functions[callee].params.get(number);
                param.is_some_and(|&param| self.layout.follows(param))
            })
        };
        let values = args
            .iter()
            .enumerate()
            .map(|(number, &arg)| match is_wanted(number) {
                true => self.value(function, state, arg),
                false => Ok(Value::Any),
            });
        values.collect()
    }

    /// Goes on behind a call, at a node, that returned with the states of another one.
    fn resume(&mut self, call: u32, exit: u32) {
        let state = self.state(call);
        let returned = self.state(exit);
        let Node { context, .. } = self.nodes[call as usize];
        let function = self.contexts[context as usize].function;
        let callee = self.contexts[self.nodes[exit as usize].context as usize].function;
        let cfa = &self.program.functions[function].cfa;
        let edge = self.call_at(call);
        let frames = (self.layout.frame(function), self.layout.frame(callee));
        let (Some(here), Some(there)) = frames else {
            return;
        };
        let dst = cfa.edges[edge].action.defined_var();
        let state = frames::returned((here, there), dst, state, &returned);
        let target = cfa.edges[edge].target;
        self.arrive(
            context,
            target,
            state,
            Before::Return { call, exit },
            Vec::new(),
        );
    }

    fn value(&self, function: FuncId, state: &mut KnownState, expr: ExprId) -> Result<Value, Open> {
        match self.layout.frame(function) {
            Some(frame) => Evaluation {
                program: self.program,
                slots: Seats(frame),
                state,
            }
            .value(expr),
            None => Ok(Value::Any),
        }
    }

    /// The call at a node.
    pub(super) fn call_at(&self, node: u32) -> EdgeId {
        let Node { context, at, .. } = self.nodes[node as usize];
        let function = self.contexts[context as usize].function;
        self.program.functions[function].cfa.outgoing(at)[0]
    }

    /// What follows at a location, after what its edge does to the state.
    fn step(&self, function: FuncId, cfa: &Cfa, flight: &mut Flight) -> Result<Next, Stop> {
        let Some(frame) = self.layout.frame(function) else {
            return Ok(Next::End);
        };
        match *cfa.outgoing(flight.at) {
            [] => Ok(Next::End),
            [id] => {
                let edge = &cfa.edges[id];
                let (slot, value) = match edge.action {
                    Action::Assume { .. } => return Err(Stop::Malformed(edge.span)),
                    Action::Assign { dst, value } => (frame.slot(dst), Some(value)),
                    Action::Return { value } => (Some(frame.result()), value),
                    // What is not followed in memory, of inputs, or behind a call may be anything.
                    ref action => (action.defined_var().and_then(|var| frame.slot(var)), None),
                };
                if let Some(slot) = slot {
                    let value = match value {
                        Some(value) => self.value(function, &mut flight.state, value),
                        None => Ok(Value::Any),
                    };
                    match value {
                        Ok(value) => flight.state.values[slot] = value,
                        Err(Open(atom)) => return Ok(Next::Ask(atom)),
                    }
                }
                Ok(Next::Go(id))
            }
            [first, second] => {
                let Some((condition, holds, fails)) = branch(cfa, first, second) else {
                    return Err(Stop::Malformed(cfa.edges[first].span));
                };
                let mut evaluation = Evaluation {
                    program: self.program,
                    slots: Seats(frame),
                    state: &mut flight.state,
                };
                Ok(match evaluation.holds(condition) {
                    Ok(Some(true)) => Next::Go(holds),
                    Ok(Some(false)) => Next::Go(fails),
                    Ok(None) => Next::Either(holds, fails),
                    Err(Open(atom)) => Next::Ask(atom),
                })
            }
            [first, ..] => Err(Stop::Malformed(cfa.edges[first].span)),
        }
    }
}

/// The states of a frame when a run begins.
pub(super) fn first_states(program: &Program, frame: &Frame) -> KnownState {
    let mut state = KnownState::any(frame.types.len());
    set_globals(program, Seats(frame), &mut state);
    state.normal(&frame.types)
}
