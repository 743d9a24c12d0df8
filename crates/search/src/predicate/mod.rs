//! Predicate abstraction with refinement by counterexamples and lazy abstraction (Henzinger, Jhala, Majumdar, Sutre,
//! POPL 2002; Beyer, Keremoglu, Wendler, FMCAD 2010).
//!
//! A node of the tree is an abstract state: what the predicates of its place say of all states that its path leads to
//! ([`abstraction`]). A node whose state implies that of an older one is covered. A path to a goal that no run takes is
//! explained by interpolants; what they are made of becomes predicates of the places on the path ([`precision`]), and
//! the tree is built anew from the first node on that lacks one of them. All other parts of it stay, with what they
//! were looked at by.
//!
//! Right for large programs with many branches and little arithmetic, whose errors depend on a few flags: drivers,
//! protocols, product lines.
//!
//! Blocks are as large as the task's cut points make them; with a cut at every location this is lazy abstraction as it
//! was published first. What the finished tree says at loop heads, the disjunction of the abstract states there, is the
//! proof.

mod abstraction;
mod cubes;
mod facts;
mod precision;

use rhumb_encode::NodeKind;
use rhumb_logic::Budget;
use rhumb_logic::interpolate::Label;
use rhumb_summary::forward;
use rustc_hash::FxHashMap;

use crate::art::{Art, Explained, Found, Grounds, TreeId};
use crate::catalog::Entry;
use crate::claim::Claim;
use crate::distance::order;
use crate::engine::{Engine, Figures};
use crate::explorer::{Explorer, Policy};
use crate::frontier::{DepthFirst, Order};
use crate::task::Task;
use abstraction::{Abstractor, Post, Strength};
use facts::{ByWeight, Errors, Safety};
use precision::{Pieces, Precision};

/// The engine, for the catalog.
pub(crate) const PREDICATE: Entry = Entry {
    name: "predicate",
    about: "predicate abstraction: abstract states between loop heads, predicates from interpolants where a path needs them",
    start: |task| begin(task, Strength::Boolean),
};

/// The same with conjunctions of predicates only.
pub(crate) const CARTESIAN: Entry = Entry {
    name: "predicate-cartesian",
    about: "the same with conjunctions of predicates only: cheaper states, more refinements",
    start: |task| begin(task, Strength::Cartesian),
};

/// The same with a state at every location.
pub(crate) const FINE: Entry = Entry {
    name: "predicate-fine",
    about: "the same with a state at every location instead of every loop head",
    start: |task| begin(task.everywhere(), Strength::Boolean),
};

/// What is learned from paths beside predicates, and whether that directs the search.
#[derive(Clone, Copy, Default)]
struct Learning {
    safety: bool,
    errors: bool,
    weights: bool,
}

/// The settings of InterpChecker: reachability (R) alone, with safety facts (S), error facts (E) and weights (W). A
/// state at every location, depth first; places that lead to no target are no part of the automaton to begin with.
pub(crate) const INTERP: [Entry; 6] = [
    Entry {
        name: "interp-r",
        about: "InterpChecker's R: predicate abstraction at every location, depth first",
        start: |task| interp(task, [false, false, false]),
    },
    Entry {
        name: "interp-rs",
        about: "R+S: states from which no target can be reached are remembered for other paths",
        start: |task| interp(task, [true, false, false]),
    },
    Entry {
        name: "interp-re",
        about: "R+E: states from which a target is certainly reached are remembered for other paths",
        start: |task| interp(task, [false, true, false]),
    },
    Entry {
        name: "interp-rse",
        about: "R+S+E: both",
        start: |task| interp(task, [true, true, false]),
    },
    Entry {
        name: "interp-rsw",
        about: "R+S+W: places that safety facts are almost complete of come first",
        start: |task| interp(task, [true, false, true]),
    },
    Entry {
        name: "interp-rsew",
        about: "R+S+E+W: all of it",
        start: |task| interp(task, [true, true, true]),
    },
];

fn interp<'t>(task: &'t Task<'t>, settings: [bool; 3]) -> Box<dyn Engine + 't> {
    let [safety, errors, weights] = settings;
    let learning = Learning {
        safety,
        errors,
        weights,
    };
    engine(task.everywhere(), Strength::Boolean, learning)
}

fn begin<'t>(task: &'t Task<'t>, strength: Strength) -> Box<dyn Engine + 't> {
    engine(task, strength, Learning::default())
}

fn engine<'t>(task: &'t Task<'t>, strength: Strength, learning: Learning) -> Box<dyn Engine + 't> {
    Box::new(Explorer::new(task, move |task, budget| {
        let known = forward::at_nodes(&task.graph, budget);
        let policy = Predicate::new(task, strength, learning);
        let own: Box<dyn Order> = match &policy.safety {
            Some(safety) if learning.weights => Box::new(ByWeight(safety.weights.clone())),
            _ => Box::new(DepthFirst),
        };
        let mut art = Art::new(task, known, order(task, own));
        // Where every step is a location, weakest preconditions are there at once.
        if task
            .graph
            .nodes
            .iter()
            .all(|node| node.kind != NodeKind::Cut)
        {
            art.refiner.prefer_chains();
        }
        (art, policy)
    }))
}

/// The policy.
struct Predicate {
    precision: Precision,
    abstractor: Abstractor,
    /// By how many of its place's predicates a node was looked at.
    looked_at_by: FxHashMap<TreeId, usize>,
    refinements: u64,
    safety: Option<Safety>,
    errors: Option<Errors>,
}

impl Predicate {
    fn new(task: &Task<'_>, strength: Strength, learning: Learning) -> Predicate {
        let pieces = match strength {
            Strength::Cartesian => Pieces::Clauses,
            Strength::Boolean => Pieces::Atoms,
        };
        Predicate {
            precision: Precision::new(&task.graph, pieces),
            abstractor: Abstractor::new(&task.terms, strength),
            looked_at_by: FxHashMap::default(),
            refinements: 0,
            safety: learning.safety.then(|| Safety::new(&task.graph)),
            errors: learning.errors.then(|| Errors::new(&task.graph)),
        }
    }

    /// Says what the predicates of its place say of a leaf, and whether there are states at all.
    fn look_at(&mut self, art: &mut Art<'_>, leaf: TreeId, budget: &Budget) -> bool {
        let Some(parent) = art.tree.upwards(leaf).nth(1) else {
            return true;
        };
        let edge = art.tree.edge(leaf);
        let predicates = self.precision.at(art.tree.at(leaf));
        let block = art.space.block(edge);
        let before = art.tree.label(parent);
        let post = self
            .abstractor
            .post((edge, block), before, predicates, budget);
        self.looked_at_by.insert(leaf, predicates.len());
        match post {
            Post::Nowhere => {
                let never = Label::of(&art.task.terms, art.task.terms.bool(false));
                self.prune(art, leaf, vec![(leaf, never)], budget);
                false
            }
            Post::States(label) => {
                art.relabel(leaf, label, budget);
                true
            }
            Post::Unknown => true,
        }
    }

    /// A leaf that nothing can be reached from.
    fn prune(&mut self, art: &mut Art<'_>, leaf: TreeId, why: Explained, budget: &Budget) {
        art.prune(leaf, Some(why), Grounds::Label, budget);
        if let Some(safety) = &mut self.safety {
            safety.learn(art, leaf, budget);
        }
    }

    /// Whether safety facts settle a leaf.
    fn is_safe(&mut self, art: &mut Art<'_>, leaf: TreeId, budget: &Budget) -> bool {
        let Some(safety) = &mut self.safety else {
            return false;
        };
        if leaf == art.tree.root() || !safety.is_full_at(art, leaf) {
            return false;
        }
        let Found::DeadEnd(Some(explained)) = art.refute(leaf, true, budget) else {
            return false;
        };
        safety.used += 1;
        self.prune(art, leaf, explained, budget);
        true
    }

    /// A leaf at a goal.
    fn at_goal(&mut self, art: &mut Art<'_>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        match art.refute(leaf, true, budget) {
            Found::Run(run) => return art.reached(leaf, art.tree.at(leaf), &run, Vec::new()),
            Found::DeadEnd(Some(explained)) => {
                if let Some(errors) = &mut self.errors {
                    errors.learn(art, leaf, budget);
                }
                self.refine(art, leaf, explained, budget);
            }
            Found::DeadEnd(None) => _ = art.prune(leaf, None, Grounds::Label, budget),
            Found::Unknown(why) => art.undecided(leaf, why),
        }
        None
    }

    /// A path to a goal that no run takes: its reasons are looked at from now on, and the tree is built anew from the
    /// first node on that was not looked at by them.
    fn refine(&mut self, art: &mut Art<'_>, leaf: TreeId, explained: Explained, budget: &Budget) {
        self.refinements += 1;
        let mut pivot = None;
        for (id, label) in &explained {
            if *id == leaf || *id == art.tree.root() {
                continue;
            }
            for &clause in label.clauses() {
                let at = art.tree.at(*id);
                let needed = self.precision.add(&art.task.terms, at, clause);
                let by = self.looked_at_by.get(id).copied().unwrap_or(0);
                if needed > by && pivot.is_none() {
                    pivot = Some(*id);
                }
            }
        }
        match pivot {
            Some(id) => art.cut(id),
            // The solver could not say how the reasons follow from each other as predicates; as labels they do.
            None => _ = art.prune(leaf, Some(explained), Grounds::Label, budget),
        }
    }
}

impl<'t> Policy<'t> for Predicate {
    fn settle(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        if !self.look_at(art, leaf, budget) {
            return None;
        }
        if art.is_at_goal(leaf) {
            return self.at_goal(art, leaf, budget);
        }
        // In the paper's order: what is known to be safe, what is covered, what is known to be wrong.
        if self.is_safe(art, leaf, budget) || art.try_cover_by_state(leaf, budget) {
            return None;
        }
        let errors = self.errors.as_mut();
        if let Some(goal) = errors.and_then(|errors| errors.follow(art, leaf, budget)) {
            return self.at_goal(art, goal, budget);
        }
        art.grow(leaf);
        None
    }

    fn figures(&self) -> Figures {
        let mut figures = vec![
            ("predicates", self.precision.len() as f64),
            ("refinements", self.refinements as f64),
            ("abstractions", self.abstractor.computed as f64),
            ("abstractions-known", self.abstractor.recalled as f64),
        ];
        if let Some(safety) = &self.safety {
            figures.push(("full", safety.full() as f64));
            figures.push(("known-safe", safety.used as f64));
        }
        if let Some(errors) = &self.errors {
            figures.push(("error-cubes", errors.len() as f64));
            figures.push(("known-errors", errors.used as f64));
        }
        figures
    }
}
