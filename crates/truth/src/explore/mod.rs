//! Everything that a program can do, state by state.
//!
//! The automaton *as lowered* is walked breadth first, from the start, until no new state turns up. No formula is
//! involved, no pass, no encoder: operators have the meaning of [`rhumb_program::interp::eval`]. An input is an
//! interval of values until the program looks at it; it falls into parts where it is compared with a number, and into
//! single values where something is computed with it. So the answer is exact for inputs of any type, provided that the
//! program narrows them down before it uses them.
//!
//! Right for programs over scalars with few states; others are refused.

mod live;
mod state;
mod value;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rhumb_program::interp::KeyedInputs;
use rhumb_program::passes::{EdgeRef, LocRef};
use rhumb_program::{FuncId, InputSiteId, LocKind, Program, TargetId, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use state::{Event, ExploredState, Holder, Next, Space};
use value::Value;

/// How much may be explored.
#[derive(Clone, Copy, Debug)]
pub struct ExploreLimits {
    /// Number of states that are remembered.
    pub states: usize,
    /// Number of steps.
    pub steps: usize,
}

impl Default for ExploreLimits {
    fn default() -> ExploreLimits {
        ExploreLimits {
            states: 20_000,
            steps: 400_000,
        }
    }
}

/// Why a program could not be explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It has too many states.
    TooLarge,
    /// It does something that is not handled here.
    NotHere(String),
}

/// All that a program can do.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// The targets that can be reached, each with inputs that lead there.
    pub reached: BTreeMap<TargetId, KeyedInputs>,
    /// For each function that was asked about, by its name, the arguments with which it is called, by their mathematical values.
    pub calls: BTreeMap<String, BTreeSet<Vec<i128>>>,
    /// Number of states that were remembered, or of runs.
    pub states: usize,
    /// Number of steps.
    pub steps: usize,
    /// Whether there is more that nobody looked at: what was not reached may be reached all the same.
    pub is_sampled: bool,
    /// Whether a run had memory or variables that nobody had set.
    pub has_unset: bool,
}

impl Explored {
    /// Whether no target can be reached.
    pub fn is_safe(&self) -> bool {
        self.reached.is_empty()
    }
}

/// A state at a location where ways meet, or a set of states that differ in inputs that nobody has looked at yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The calls under way, the outermost first.
    pub calls: Vec<EdgeRef>,
    /// Where the innermost call stands.
    pub location: LocRef,
    /// The globals, and the locals that are read before they are set again: how many of the calls lead to the
    /// variable's activation (none for a global), the variable, and its least and greatest value.
    pub values: Vec<(usize, VarId, (i128, i128))>,
}

/// Explores a program; `watched` are functions whose arguments are of interest.
pub fn explore(
    program: &Program,
    watched: &[&str],
    limits: ExploreLimits,
) -> Result<Explored, Failure> {
    search(program, watched, limits).run()
}

/// Explores a program, and gives all its states where ways meet, the heads of loops among them.
pub fn snapshots(
    program: &Program,
    limits: ExploreLimits,
) -> Result<(Explored, Vec<Snapshot>), Failure> {
    let search = search(program, &[], limits);
    let mut snapshots = Vec::new();
    let explored = search.run_with(&mut |space, state| snapshots.extend(space.snapshot(state)))?;
    Ok((explored, snapshots))
}

fn search<'p>(program: &'p Program, watched: &[&str], limits: ExploreLimits) -> Search<'p> {
    let watched: FxHashSet<FuncId> = watched
        .iter()
        .filter_map(|name| program.function_named(name))
        .collect();
    Search {
        space: Space::new(program),
        watched,
        limits,
        seen: FxHashMap::default(),
        origins: Vec::new(),
        queue: VecDeque::new(),
        explored: Explored::default(),
    }
}

struct Search<'p> {
    space: Space<'p>,
    watched: FxHashSet<FuncId>,
    limits: ExploreLimits,
    /// The states that are remembered, with their numbers.
    seen: FxHashMap<ExploredState, usize>,
    /// For each of them, the one that it was reached from, and what happened to inputs on the way.
    origins: Vec<(usize, Vec<Event>)>,
    queue: VecDeque<(usize, ExploredState)>,
    explored: Explored,
}

impl Search<'_> {
    fn run(self) -> Result<Explored, Failure> {
        self.run_with(&mut |_, _| {})
    }

    /// Explores everything; `visit` sees each state that is remembered.
    fn run_with(
        mut self,
        visit: &mut dyn FnMut(&Space<'_>, &ExploredState),
    ) -> Result<Explored, Failure> {
        let first = self.space.first()?;
        self.remember(first, 0, Vec::new())?;
        while let Some((number, state)) = self.queue.pop_front() {
            visit(&self.space, &state);
            self.expand(number, state)?;
        }
        self.explored.states = self.origins.len();
        Ok(self.explored)
    }

    fn remember(
        &mut self,
        state: ExploredState,
        from: usize,
        events: Vec<Event>,
    ) -> Result<(), Failure> {
        if self.seen.contains_key(&state) {
            return Ok(());
        }
        let number = self.origins.len();
        if number >= self.limits.states {
            return Err(Failure::TooLarge);
        }
        self.seen.insert(state.clone(), number);
        self.origins.push((from, events));
        self.queue.push_back((number, state));
        Ok(())
    }

    /// Follows a state to the next ones that are remembered.
    fn expand(&mut self, number: usize, state: ExploredState) -> Result<(), Failure> {
        let mut todo = vec![(state, Vec::new())];
        while let Some((state, events)) = todo.pop() {
            self.explored.steps += 1;
            if self.explored.steps > self.limits.steps {
                return Err(Failure::TooLarge);
            }
            let (watched, calls) = (&self.watched, &mut self.explored.calls);
            let program = self.space.program;
            let mut called = |callee: FuncId, args: &[u128]| {
                if watched.contains(&callee) {
                    let name = program.functions[callee].name.to_string();
                    calls
                        .entry(name)
                        .or_default()
                        .insert(numbers(program, callee, args));
                }
            };
            let Next::States(states) = self.space.next(state, &mut called)? else {
                continue;
            };
            let mut left = states.len();
            let mut events = events;
            for (next, event) in states {
                left -= 1;
                let mut events = match left {
                    0 => std::mem::take(&mut events),
                    _ => events.clone(),
                };
                events.extend(event);
                let Some((function, at)) = self.space.position(&next) else {
                    continue;
                };
                match program.functions[function].cfa.locations[at].kind {
                    LocKind::Plain if self.space.is_join(&next) => {
                        self.remember(next, number, events)?;
                    }
                    LocKind::Plain => todo.push((next, events)),
                    LocKind::Target(target) => {
                        if !self.explored.reached.contains_key(&target) {
                            let inputs = self.inputs(number, &events);
                            self.explored.reached.insert(target, inputs);
                        }
                    }
                    LocKind::Unsupported(_) => {
                        return Err(Failure::NotHere("something unsupported".to_owned()));
                    }
                    LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => {}
                }
            }
        }
        Ok(())
    }

    /// The inputs of the way to a remembered state and on from there.
    fn inputs(&self, mut number: usize, last: &[Event]) -> KeyedInputs {
        let mut pieces = vec![last];
        while number != 0 {
            let (from, events) = &self.origins[number];
            pieces.push(events);
            number = *from;
        }
        let mut values: Vec<(InputSiteId, Holder, Value)> = Vec::new();
        // Which input a variable holds.
        let mut held: FxHashMap<Holder, usize> = FxHashMap::default();
        for event in pieces.into_iter().rev().flatten() {
            match *event {
                Event::Read {
                    site,
                    holder,
                    value,
                } => {
                    held.insert(holder, values.len());
                    values.push((site, holder, value));
                }
                Event::Narrowed { holder, value } => {
                    if let Some(&index) = held.get(&holder) {
                        values[index].2 = value;
                    }
                }
            }
        }
        let mut inputs = KeyedInputs::new();
        for (site, (_, var), value) in values {
            let bits = match value {
                Value::One(bits) => bits,
                Value::Any(low, _) => value::bits_of(self.space.program.vars[var].ty, low),
            };
            inputs.push_value(site, bits, 1);
        }
        inputs
    }
}

/// The mathematical values of arguments.
fn numbers(program: &Program, callee: FuncId, args: &[u128]) -> Vec<i128> {
    let params = program.functions[callee].params.iter();
    params
        .zip(args)
        .map(|(&param, &bits)| match program.vars[param].ty {
            Type::Int(int) => int.extend(bits),
            _ => bits as i128,
        })
        .collect()
}
