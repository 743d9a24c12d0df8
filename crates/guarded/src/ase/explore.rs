//! Symbolic execution with abstract matching (figure 5 of the paper).
//!
//! Depth first; a path is left where its abstract state was on it before. Compared with *all* paths the same states are
//! not followed again where that could bring nothing new: what was found below a state depends on the path to it only
//! by those abstract states at which something else below was cut. If all of these are on the path now, the same, or
//! more, would be cut. Where the very same state was on the path nothing is lost by the cut, as long as that state is,
//! or was, followed. So the states that are explored are those of the paper, and exploration is monotone (theorem 2).

use std::collections::BTreeSet;

use rhumb_logic::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

use super::predicates::{Abstract, Predicates};
use super::symbolic::{Splitter, Symbolic};
use crate::syntax::Program;

/// When a path is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// Its abstract state was on it before.
    Path,
    /// Its abstract state was seen before on any path.
    Anywhere,
}

/// More states than this are not explored.
const MAX_NODES: usize = 400_000;

/// States that are asked about, each for the sake of another one, to find out whether a state can be left out.
const MAX_ASKED: usize = 1_000;

/// What was explored.
#[derive(Default)]
pub(crate) struct Explored {
    pub(crate) nodes: Vec<Node>,
    pub(crate) abstracts: Vec<Abstract>,
    pub(crate) starts: Vec<usize>,
    /// The parameter that each variable is at first, if it is one.
    pub(crate) parameters: Vec<Option<usize>>,
}

/// A symbolic state in which all predicates are decided.
pub(crate) struct Node {
    pub(crate) state: Symbolic,
    pub(crate) abstraction: usize,
    /// Where it leads; none while nobody has looked.
    pub(crate) edges: Option<Vec<Edge>>,
}

#[derive(Clone)]
pub(crate) struct Edge {
    pub(crate) transition: usize,
    pub(crate) to: usize,
    pub(crate) inputs: Vec<usize>,
}

/// How an exploration ends.
pub(crate) enum Outcome {
    Explored(Explored),
    /// Transitions that lead to an error, and what was explored by then.
    Error(Vec<usize>, Explored),
    GaveUp(&'static str),
}

/// A state on the current path.
struct Frame {
    node: usize,
    next: usize,
    below: Below,
    /// The transition that led here.
    by: Option<usize>,
}

/// What was found below a state depends on these.
#[derive(Clone, Default)]
struct Below {
    /// Abstract states above at which another state was cut.
    cut: BTreeSet<usize>,
    /// States above at which they were cut themselves.
    same: BTreeSet<usize>,
}

impl Below {
    fn extend(&mut self, other: &Below) {
        self.cut.extend(&other.cut);
        self.same.extend(&other.same);
    }
}

struct Explorer<'e> {
    program: &'e Program,
    predicates: &'e Predicates,
    splitter: &'e mut Splitter,
    matching: Matching,
    budget: &'e Budget,
    done: Explored,
    numbers: FxHashMap<Symbolic, usize>,
    abstract_numbers: FxHashMap<Abstract, usize>,
    is_error: Vec<bool>,
    /// For each state that was followed: on what it depends what was found below.
    memory: FxHashMap<usize, Vec<Below>>,
    /// The abstract states on the current path, each with its state; with matching anywhere, of all paths.
    on_path: FxHashMap<usize, usize>,
    /// Whether a state may be cut at another one. As long as none is, all that is reachable is explored anyway.
    may_lose: bool,
    stack: Vec<Frame>,
}

/// Why an exploration can't go on.
enum Stop {
    Error(Option<usize>),
    /// A state is cut at another one, which was not expected.
    Loses,
    GaveUp(&'static str),
}

pub(crate) fn explore(
    program: &Program,
    predicates: &Predicates,
    splitter: &mut Splitter,
    matching: Matching,
    budget: &Budget,
) -> Outcome {
    for may_lose in [false, true] {
        let mut explorer = Explorer {
            program,
            predicates,
            splitter,
            matching,
            budget,
            done: Explored::default(),
            numbers: FxHashMap::default(),
            abstract_numbers: FxHashMap::default(),
            is_error: Vec::new(),
            memory: FxHashMap::default(),
            on_path: FxHashMap::default(),
            may_lose,
            stack: Vec::new(),
        };
        match explorer.run() {
            Ok(()) => return Outcome::Explored(explorer.done),
            Err(Stop::Loses) => {}
            Err(Stop::GaveUp(why)) => return Outcome::GaveUp(why),
            Err(Stop::Error(last)) => {
                let path = explorer.stack.iter().filter_map(|frame| frame.by);
                return Outcome::Error(path.chain(last).collect(), explorer.done);
            }
        }
    }
    Outcome::GaveUp("states that are cut although none may be")
}

impl Explorer<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        let (start, parameters) = Symbolic::start(self.program);
        self.done.parameters = parameters;
        match self.splitter.is_possible(&start, self.budget) {
            Ok(true) => self.done.starts = self.parts(start)?,
            Ok(false) => {}
            Err(_) => return Err(Stop::GaveUp("a question that the solver left open")),
        }
        for start in self.done.starts.clone() {
            self.visit(start, None)?;
            while let Some(frame) = self.stack.last_mut() {
                let edges = self.done.nodes[frame.node].edges.as_deref();
                let Some(edge) = edges.and_then(|edges| edges.get(frame.next)) else {
                    self.leave();
                    continue;
                };
                frame.next += 1;
                let (to, by) = (edge.to, edge.transition);
                self.visit(to, Some(by))?;
            }
        }
        Ok(())
    }

    /// Goes to a state, if that may bring something new.
    fn visit(&mut self, node: usize, by: Option<usize>) -> Result<(), Stop> {
        let abstraction = self.done.nodes[node].abstraction;
        if self.is_error[node] {
            return Err(Stop::Error(by));
        }
        if let Some(&there) = self.on_path.get(&abstraction) {
            if there != node && !self.may_lose {
                return Err(Stop::Loses);
            }
            if let Some(above) = self.stack.last_mut() {
                match there == node {
                    true => above.below.same.insert(node),
                    false => above.below.cut.insert(abstraction),
                };
            }
            return Ok(());
        }
        if let Some(known) = self.known(node, &mut FxHashSet::default()) {
            let known = known.clone();
            if let Some(above) = self.stack.last_mut() {
                above.below.extend(&known);
            }
            return Ok(());
        }
        self.expand(node, by)?;
        self.on_path.insert(abstraction, node);
        self.stack.push(Frame {
            node,
            next: 0,
            below: Below::default(),
            by,
        });
        Ok(())
    }

    /// What was found below a state on another path, if nothing else could be found on this one.
    fn known(&self, node: usize, asked: &mut FxHashSet<usize>) -> Option<&Below> {
        let memory = self.memory.get(&node)?;
        if !self.may_lose {
            return memory.first();
        }
        if asked.contains(&node) {
            return memory.first();
        }
        if asked.len() > MAX_ASKED {
            return None;
        }
        asked.insert(node);
        let path = &self.on_path;
        let is_known = |below: &&Below, asked: &mut FxHashSet<usize>| {
            below.cut.iter().all(|one| path.contains_key(one))
                && below.same.iter().all(|&same| {
                    path.get(&self.done.nodes[same].abstraction) == Some(&same)
                        || self.known(same, asked).is_some()
                })
        };
        memory.iter().find(|below| is_known(below, asked))
    }

    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let abstraction = self.done.nodes[frame.node].abstraction;
        let mut below = frame.below;
        below.cut.remove(&abstraction);
        below.same.remove(&frame.node);
        // With matching anywhere an abstract state is never left.
        if self.matching == Matching::Path {
            self.on_path.remove(&abstraction);
        }
        if let Some(above) = self.stack.last_mut() {
            above.below.extend(&below);
        }
        self.memory.entry(frame.node).or_default().push(below);
    }

    /// Where a state leads.
    fn expand(&mut self, node: usize, by: Option<usize>) -> Result<(), Stop> {
        if self.done.nodes[node].edges.is_some() {
            return Ok(());
        }
        if self.budget.is_over() {
            return Err(Stop::GaveUp("out of time"));
        }
        let mut edges = Vec::new();
        let abstraction = &self.done.abstracts[self.done.nodes[node].abstraction];
        let enabled: Vec<usize> = (0..self.program.transitions.len())
            .filter(|&number| {
                let guard = &self.program.transitions[number].guard;
                self.predicates.decides(guard, abstraction)
            })
            .collect();
        for transition in enabled {
            let (after, inputs) = self.done.nodes[node].state.after(self.program, transition);
            for to in self.parts(after)? {
                edges.push(Edge {
                    transition,
                    to,
                    inputs: inputs.clone(),
                });
            }
        }
        // An error that is next is found at once.
        if let Some(edge) = edges.iter().find(|edge| self.is_error[edge.to]) {
            let last = edge.transition;
            self.stack.push(Frame {
                node,
                next: 0,
                below: Below::default(),
                by,
            });
            return Err(Stop::Error(Some(last)));
        }
        self.done.nodes[node].edges = Some(edges);
        Ok(())
    }

    /// The parts of a state, by number.
    fn parts(&mut self, state: Symbolic) -> Result<Vec<usize>, Stop> {
        let parts = self.splitter.split(state, self.predicates, self.budget);
        let Ok(parts) = parts else {
            return Err(Stop::GaveUp("a question that the solver left open"));
        };
        let numbers = parts.into_iter();
        let numbers: Vec<usize> = numbers
            .map(|(state, abstraction)| self.number(state, abstraction))
            .collect();
        match self.done.nodes.len() > MAX_NODES {
            true => Err(Stop::GaveUp("too many symbolic states")),
            false => Ok(numbers),
        }
    }

    fn number(&mut self, state: Symbolic, abstraction: Abstract) -> usize {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let next = self.done.abstracts.len();
        let holds = self
            .predicates
            .decides(&self.program.property, &abstraction);
        let abstract_number = match self.abstract_numbers.get(&abstraction) {
            Some(&number) => number,
            None => {
                self.done.abstracts.push(abstraction.clone());
                self.abstract_numbers.insert(abstraction, next);
                next
            }
        };
        let number = self.done.nodes.len();
        self.numbers.insert(state.clone(), number);
        self.is_error.push(!holds);
        self.done.nodes.push(Node {
            state,
            abstraction: abstract_number,
            edges: None,
        });
        number
    }
}
