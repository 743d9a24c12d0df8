//! Symbolic execution with abstract matching (figure 5 of the paper).
//!
//! Depth first; a path is left where its abstract state was on it before. Compared with *all* paths the same states are not followed again where that could bring nothing new: what was found below a
//! state depends on the path to it only by those abstract states at which something below was cut. If all of these are on the path now, the same, or more, would be cut. So the states that are explored are
//! those of the paper, and exploration is monotone (theorem 2).

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
    /// Transitions that lead to an error.
    Error(Vec<usize>),
    GaveUp(&'static str),
}

/// A state on the current path.
struct Frame {
    node: usize,
    next: usize,
    /// The abstract states above at which something below was cut.
    cut: BTreeSet<usize>,
    /// The transition that led here.
    by: Option<usize>,
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
    /// For each state that was followed: at which abstract states above something below was cut.
    memory: FxHashMap<usize, Vec<BTreeSet<usize>>>,
    /// The abstract states on the current path; with matching anywhere, of all paths.
    on_path: FxHashSet<usize>,
    stack: Vec<Frame>,
}

/// Why an exploration can't go on.
enum Stop {
    Error(Option<usize>),
    GaveUp(&'static str),
}

pub(crate) fn explore(
    program: &Program,
    predicates: &Predicates,
    splitter: &mut Splitter,
    matching: Matching,
    budget: &Budget,
) -> Outcome {
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
        on_path: FxHashSet::default(),
        stack: Vec::new(),
    };
    match explorer.run() {
        Ok(()) => Outcome::Explored(explorer.done),
        Err(Stop::GaveUp(why)) => Outcome::GaveUp(why),
        Err(Stop::Error(last)) => {
            let path = explorer.stack.iter().filter_map(|frame| frame.by);
            Outcome::Error(path.chain(last).collect())
        }
    }
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
        if self.on_path.contains(&abstraction) {
            if let Some(above) = self.stack.last_mut() {
                above.cut.insert(abstraction);
            }
            return Ok(());
        }
        let path = &self.on_path;
        let known = self.memory.get(&node).into_iter().flatten();
        let known = known.filter(|cut| cut.iter().all(|one| path.contains(one)));
        if let Some(cut) = known.min_by_key(|cut| cut.len()) {
            if let Some(above) = self.stack.last_mut() {
                above.cut.extend(cut);
            }
            return Ok(());
        }
        self.expand(node, by)?;
        self.on_path.insert(abstraction);
        self.stack.push(Frame {
            node,
            next: 0,
            cut: BTreeSet::new(),
            by,
        });
        Ok(())
    }

    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let abstraction = self.done.nodes[frame.node].abstraction;
        let mut cut = frame.cut;
        cut.remove(&abstraction);
        // With matching anywhere an abstract state is never left.
        if self.matching == Matching::Path {
            self.on_path.remove(&abstraction);
        }
        if let Some(above) = self.stack.last_mut() {
            above.cut.extend(&cut);
        }
        self.memory.entry(frame.node).or_default().push(cut);
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
                cut: BTreeSet::new(),
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
