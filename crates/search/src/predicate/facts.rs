//! What paths leave behind for others: where no goal can be reached from (S), and where one certainly can (E). After
//! InterpChecker (Tian, Duan, Duan, Ong, ASE 2017).
//!
//! *S.* An edge is justified by states from which it leads only to states that are blocked, or nowhere. A place is
//! *full* when each of its edges is justified, else *half*; the states of a full place that every edge has a reason for
//! are blocked. (As published, the last place that a path can get to becomes full by the one edge that the path fails
//! at: what its other edges lead to is nobody's business then, and errors are missed.)
//!
//! *E.* The end of a path that is feasible by itself leaves a cube behind, from each of whose states it leads to the
//! goal: a cube of the exact precondition at a model. So it is enough that path and cube are satisfiable together, and
//! what is found is followed to the goal all the same. (As published it is an interpolant: that is more than the
//! precondition, and errors are found where there are none.)
//!
//! *W.* Edges whose places are about to become full come first.

use std::cell::RefCell;
use std::rc::Rc;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId};
use rhumb_logic::cube::implicant;
use rhumb_logic::project::model_based;
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::{Budget, Term, Transition, Work};
use rustc_hash::FxHashSet;

use crate::art::{Art, Found, Tree, TreeId};
use crate::facts::Blocker;
use crate::frontier::Order;
use crate::runs::Taken;

/// The work for one question.
const QUESTION: Work = Work::secs(1);

/// Reasons that an edge has, and cubes of a place; more are not looked for.
const MOST: usize = 16;

/// Steps from a goal back that cubes are made for.
const STEPS: usize = 24;

/// The largest weight of an edge.
const HEAVIEST: u64 = 998;

/// Weights of edges: none for those that nothing is known of.
pub(super) type Weights = Rc<RefCell<IndexVec<BlockEdgeId, Option<u64>>>>;

/// Safety facts.
pub(super) struct Safety {
    blocker: Blocker,
    /// For each edge the states that it has a reason for.
    reasons: IndexVec<BlockEdgeId, Vec<Term>>,
    is_full: IndexVec<NodeId, bool>,
    pub(super) weights: Weights,
    /// Leaves that were blocked by it.
    pub(super) used: u64,
}

impl Safety {
    pub(super) fn new(graph: &BlockGraph) -> Safety {
        Safety {
            blocker: Blocker::new(graph),
            reasons: graph.edges.iter().map(|_| Vec::new()).collect(),
            is_full: graph.nodes.iter().map(|_| false).collect(),
            weights: Rc::new(RefCell::new(graph.edges.iter().map(|_| None).collect())),
            used: 0,
        }
    }

    /// The number of places that are full.
    pub(super) fn full(&self) -> usize {
        self.is_full.iter().filter(|full| **full).count()
    }

    /// A leaf is settled for good: nothing can be reached from its states. What follows from that for the nodes above.
    pub(super) fn learn(&mut self, art: &mut Art<'_>, leaf: TreeId, budget: &Budget) {
        let path: Vec<TreeId> = art.tree.upwards(leaf).collect();
        for pair in path.windows(2) {
            let (child, parent) = (pair[0], pair[1]);
            let edge = art.tree.edge(child);
            if self.reasons[edge].len() >= MOST || budget.is_spent() {
                return;
            }
            let (graph, terms) = (art.space.graph, &art.space.graph.terms);
            let (at, next) = (art.tree.at(parent), graph.edges[edge].target);
            let given = terms.and([art.space.known(at), art.tree.label(parent).formula(terms)]);
            let free = terms.and([art.space.known(next), art.space.reaches(next)]);
            let found = self
                .blocker
                .past(graph, edge, given, free, &budget.within(QUESTION));
            let Some(reason) = found else {
                return;
            };
            if self.reasons[edge].contains(&reason) {
                return;
            }
            self.reasons[edge].push(reason);
            let outgoing = &graph.nodes[at].outgoing;
            let is_full = outgoing.iter().all(|&edge| !self.reasons[edge].is_empty());
            self.weigh(graph, at, is_full, outgoing.len());
            if !is_full {
                return;
            }
            self.is_full[at] = true;
            let states = terms.and(outgoing.iter().map(|&edge| {
                let reasons = self.reasons[edge].iter().copied();
                terms.or(reasons)
            }));
            art.space.block_states(at, states);
        }
    }

    /// The paper's rules: nothing is to be gained at a full place, all but one edge where the last one failed, and what
    /// lies behind counts for what leads there.
    fn weigh(&mut self, graph: &BlockGraph, at: NodeId, is_full: bool, edges: usize) {
        let mut weights = self.weights.borrow_mut();
        let own = match is_full {
            true => 0,
            false => HEAVIEST.min(edges.saturating_sub(1) as u64),
        };
        let mut changed = Vec::new();
        for &edge in &graph.nodes[at].incoming {
            if weights[edge] != Some(own) {
                weights[edge] = Some(own);
                changed.push(graph.edges[edge].source);
            }
        }
        // Once round each place is enough to order by.
        let mut seen = FxHashSet::from_iter([at]);
        while let Some(place) = changed.pop() {
            if !seen.insert(place) {
                continue;
            }
            let outgoing = graph.nodes[place].outgoing.iter();
            // Ways multiply; what is more than this is all the same.
            let sum = outgoing.fold(0, |sum, &edge| {
                HEAVIEST.min(sum + weights[edge].unwrap_or(1))
            });
            for &edge in &graph.nodes[place].incoming {
                if !self.is_full[place] && weights[edge] != Some(sum) {
                    weights[edge] = Some(sum);
                    changed.push(graph.edges[edge].source);
                }
            }
        }
    }

    /// Whether a leaf is at a full place, of which facts may say that nothing can be reached from its states. A place
    /// that nothing leads on from is full from the start.
    pub(super) fn is_full_at(&mut self, art: &mut Art<'_>, leaf: TreeId) -> bool {
        let at = art.tree.at(leaf);
        if art.space.graph.nodes[at].outgoing.is_empty() && !self.is_full[at] {
            self.is_full[at] = true;
            let all = art.task.terms.bool(true);
            art.space.block_states(at, all);
        }
        self.is_full[at]
    }
}

/// Deeper paths are all alike.
const DEPTHS: u64 = 1 << 40;

/// Depth first, and of what leads on from one place the largest weight: more than nothing before unknown before nothing.
pub(super) struct ByWeight(pub(super) Weights);

impl Order for ByWeight {
    fn rank(&self, tree: &Tree, leaf: TreeId) -> u64 {
        let depth = tree.upwards(leaf).count() as u64;
        let class = match self.0.borrow()[tree.edge(leaf)] {
            Some(0) => HEAVIEST + 2,
            None => HEAVIEST + 1,
            Some(weight) => HEAVIEST - weight,
        };
        ((DEPTHS - depth.min(DEPTHS)) << 10) | class
    }
}

/// States from which a way leads to a goal.
struct Cube {
    states: Term,
    way: Vec<BlockEdgeId>,
}

/// Error facts.
pub(super) struct Errors {
    session: Session,
    cubes: IndexVec<NodeId, Vec<Cube>>,
    /// Leaves from which a cube led to a goal.
    pub(super) used: u64,
}

impl Errors {
    pub(super) fn new(graph: &BlockGraph) -> Errors {
        Errors {
            session: Session::new(graph.terms.clone(), SessionOptions::default()),
            cubes: graph.nodes.iter().map(|_| Vec::new()).collect(),
            used: 0,
        }
    }

    /// The number of cubes.
    pub(super) fn len(&self) -> usize {
        self.cubes.iter().map(Vec::len).sum()
    }

    /// A path to a goal that no run takes: its end, as far as it is feasible by itself.
    pub(super) fn learn(&mut self, art: &Art<'_>, leaf: TreeId, budget: &Budget) {
        let graph = art.space.graph;
        let terms = &graph.terms;
        let mut step = Transition::identity(terms);
        let mut way = Vec::new();
        for id in art.tree.upwards(leaf).take(STEPS) {
            if id == art.tree.root() {
                return;
            }
            let edge = art.tree.edge(id);
            way.insert(0, edge);
            step = art.space.block(edge).compose(terms, &step);
            let budget = budget.within(QUESTION);
            let Answer::Sat(model) = self.session.check_assuming(&[step.guard], &budget) else {
                return;
            };
            let model = model.into_assignment();
            let cube = implicant(terms, step.guard, &model);
            let states = cube.and_then(|cube| model_based(terms, &cube, &step.inputs, &model));
            let Some(states) = states.map(|states| terms.and(states)) else {
                return;
            };
            let cubes = &mut self.cubes[graph.edges[edge].source];
            if cubes.len() < MOST && cubes.iter().all(|known| known.states != states) {
                let way = way.clone();
                cubes.push(Cube { states, way });
            }
        }
    }

    /// Where a way of a cube leads to from a leaf, entered into the tree, if a run to the leaf ends in the cube.
    pub(super) fn follow(
        &mut self,
        art: &mut Art<'_>,
        leaf: TreeId,
        budget: &Budget,
    ) -> Option<TreeId> {
        let cubes = &self.cubes[art.tree.at(leaf)];
        for cube in cubes {
            let ends = Transition::assume(cube.states);
            let budget = budget.within(QUESTION);
            if let Found::Run(_) = art.beyond(leaf, &ends, false, &budget) {
                let steps: Vec<Taken> = (cube.way.iter())
                    .map(|&edge| Taken::Block {
                        edge,
                        inputs: Box::default(),
                    })
                    .collect();
                self.used += 1;
                return Some(art.enter(leaf, &steps));
            }
        }
        None
    }
}
