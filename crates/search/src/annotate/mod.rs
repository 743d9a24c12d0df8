//! Lazy annotation (McMillan, CAV 2010): depth first, along runs that are possible; where all ways on are blocked, a
//! label is learned that says why.
//!
//! A label of a place is a condition under which no goal can be reached from there. An edge that leads to states of
//! labels only is labelled with an interpolant (Learn), a location whose edges are all blocked with the conjunction of
//! what blocks them (Conjoin); then the search goes back. Labels of other paths block this one wherever they hold. Back
//! edges are counted down; labels that rest on that carry a bound, and when the search is over those without their
//! bounds are tried that justify themselves (`strengthen.rs`). If that is not enough, the search begins again with
//! twice as many back edges, and with all labels.
//!
//! Right for programs with many branches, most of which don't matter: a label says what does, and irrelevant ones are
//! forgotten, since labels are alternatives. Calls are inlined; where some are left, procedures are annotated one by one
//! (`procedures/`).

mod labels;
mod procedures;
mod question;
mod strengthen;

use std::collections::VecDeque;
use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId, NodeKind};
use rhumb_logic::interpolate::{PathQuery, PathSession, Run};
use rhumb_logic::project::Projector;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Term, Terms, Transition, Value};
use rustc_hash::FxHashSet;

use crate::catalog::Entry;
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Figures, Progress, Step};
use crate::proof::{Draft, unrolling};
use crate::runs::{Decoder, Replayed, Taken, replay};
use crate::task::Task;
use labels::{Annotation, Label, add};
use procedures::Procedures;
use question::{Asked, ask};
use strengthen::strengthen;

/// The engine, for the catalog.
pub(crate) const LAZY_ANNOTATION: Entry = Entry {
    name: "lazy-annotation",
    about: "lazy annotation: possible runs, depth first; dead ends leave conditions behind that block others",
    start: |task| match Procedures::new(task) {
        Some(procedures) => Box::new(procedures),
        None => Box::new(LazyAnnotation::new(task, Manner::Interpolants)),
    },
};

/// The same with weakest preconditions, to compare with.
pub(crate) const WEAKEST: Entry = Entry {
    name: "lazy-annotation-wp",
    about: "the same with weakest preconditions in place of interpolants, calls inlined, as a comparison",
    start: |task| Box::new(LazyAnnotation::new(task, Manner::Weakest)),
};

/// The same by another order.
pub(crate) const NEAREST: Entry = Entry {
    name: "lazy-annotation-near",
    about: "the same with ways that are nearer to a goal first, calls inlined",
    start: |task| Box::new(LazyAnnotation::new(task, Manner::Interpolants).by_distance()),
};

/// The same without labels, to compare with.
pub(crate) const WITHOUT_LEARNING: Entry = Entry {
    name: "lazy-annotation-nolearn",
    about: "the same without learning: all possible paths, one after the other, as a comparison",
    start: |task| Box::new(LazyAnnotation::new(task, Manner::Nothing)),
};

/// Back edges of the first search.
const FIRST: u32 = 1;

/// Labels of an edge that are tried before others are learned, the latest first.
const TRIED: usize = 4;

/// Depth of a proof by unrolling, in steps of the program as lowered for each step of the search.
const STRETCH: u32 = 4;

/// What a dead end leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// What the path has to say about it, in the variables that both sides know.
    Interpolants,
    /// The weakest condition under which the step leads nowhere else.
    Weakest,
    /// That the way is done with, and nothing for others.
    Nothing,
}

/// The engine.
struct LazyAnnotation<'t> {
    task: &'t Task<'t>,
    terms: Arc<Terms>,
    manner: Manner,
    /// The edges that leave a node, in the order in which they are looked at.
    outgoing: IndexVec<NodeId, Vec<BlockEdgeId>>,
    projector: Projector,
    annotation: Annotation,
    back_edges: FxHashSet<BlockEdgeId>,
    paths: PathSession,
    session: Session,
    stack: Vec<Query>,
    /// Back edges that a run may take.
    most: u32,
    /// Whether that kept a run from going on, here or where a label comes from.
    is_cut: bool,
    deepest: usize,
    backtracks: u64,
    queries: u64,
}

/// A place on the path, which is not blocked.
struct Query {
    node: NodeId,
    /// The edge that led here.
    edge: Option<BlockEdgeId>,
    /// Back edges that are left.
    left: u32,
    /// What blocks the first edges that lead on.
    blocked: Vec<Label>,
}

impl<'t> LazyAnnotation<'t> {
    fn new(task: &'t Task<'t>, manner: Manner) -> LazyAnnotation<'t> {
        let task = task.everywhere();
        let (graph, terms): (&BlockGraph, _) = (&task.graph, task.terms.clone());
        LazyAnnotation {
            task,
            manner,
            outgoing: graph
                .nodes
                .iter()
                .map(|node| node.outgoing.clone())
                .collect(),
            projector: Projector::new(terms.clone()),
            annotation: Annotation::empty(graph),
            back_edges: back_edges(graph),
            paths: PathSession::new(terms.clone(), SessionOptions::default()),
            session: Session::new(terms.clone(), SessionOptions::default()),
            terms,
            stack: Vec::new(),
            most: FIRST,
            is_cut: false,
            deepest: 0,
            backtracks: 0,
            queries: 0,
        }
    }

    /// Looks at ways first that are nearer to a goal, in blocks.
    fn by_distance(mut self) -> LazyAnnotation<'t> {
        let graph: &BlockGraph = &self.task.graph;
        let mut distance: IndexVec<NodeId, usize> =
            graph.nodes.iter().map(|_| usize::MAX).collect();
        let mut next: VecDeque<NodeId> = graph.goals().collect();
        for &goal in &next {
            distance[goal] = 0;
        }
        while let Some(node) = next.pop_front() {
            for &edge in &graph.nodes[node].incoming {
                let source = graph.edges[edge].source;
                if distance[source] == usize::MAX {
                    distance[source] = distance[node] + 1;
                    next.push_back(source);
                }
            }
        }
        for edges in &mut self.outgoing {
            edges.sort_by_key(|&edge| distance[graph.edges[edge].target]);
        }
        self
    }

    fn learns(&self) -> bool {
        self.manner != Manner::Nothing
    }

    /// The weakest condition under which an edge leads to states of a formula only; none if the budget was spent before.
    fn weakest(&mut self, edge: BlockEdgeId, post: Term, budget: &Budget) -> Option<Term> {
        let step = &self.task.graph.edges[edge].transition;
        let bad = step.before(&self.terms, self.terms.not(post));
        let bad = self.projector.exact(bad, &step.inputs, budget).ok()?;
        Some(self.terms.not(bad))
    }

    fn begin(&mut self) {
        self.is_cut = false;
        self.stack = vec![Query {
            node: self.task.graph.entry,
            edge: None,
            left: self.most,
            blocked: Vec::new(),
        }];
    }

    /// Whether a run along the path, and then along an edge if one is given, ends outside of what is blocked.
    fn ask(
        &mut self,
        edge: Option<BlockEdgeId>,
        post: Term,
        explain: bool,
        budget: &Budget,
    ) -> Asked {
        let graph: &BlockGraph = &self.task.graph;
        let edges = self.stack.iter().filter_map(|query| query.edge).chain(edge);
        let path: Vec<&Transition> = edges.map(|edge| &graph.edges[edge].transition).collect();
        let query = PathQuery {
            pre: graph.ranges(graph.entry),
            path: &path,
            post,
            known: &[],
        };
        let (paths, queries) = (&mut self.paths, &mut self.queries);
        let asked = ask(paths, &self.terms, &query, explain, queries, budget);
        asked.unwrap_or_else(|| match budget.is_spent() {
            true => Asked::Unknown(self.stopped()),
            false => Asked::Unknown(Reason::Inconclusive),
        })
    }

    /// Looks at the next edge of the last query, or goes back if there is none.
    fn advance(&mut self, budget: &Budget) -> Option<Claim> {
        let query = self.stack.last()?;
        let (node, left) = (query.node, query.left);
        let Some(&edge) = self.outgoing[node].get(query.blocked.len()) else {
            self.conjoin();
            return None;
        };
        let is_back = self.back_edges.contains(&edge);
        if is_back && left == 0 {
            let formula = self.terms.bool(true);
            self.block(Label {
                formula,
                bound: Some(0),
            });
            return None;
        }
        let after = left - u32::from(is_back);
        let known = self.annotation.edges[edge].iter().rev();
        let known = known.filter(|label| label.applies(left)).take(TRIED);
        let known: Vec<Label> = known.copied().collect();
        for label in known {
            match self.ask(None, label.formula, false, budget) {
                Asked::Blocked(_) => {
                    self.block(label);
                    return None;
                }
                Asked::Feasible(_) => {}
                Asked::Unknown(reason) => return Some(Claim::Unknown(reason)),
            }
        }
        self.follow(edge, after, budget)
    }

    /// Goes along an edge (Decide), or learns why nobody needs to.
    fn follow(&mut self, edge: BlockEdgeId, after: u32, budget: &Budget) -> Option<Claim> {
        let graph: &BlockGraph = &self.task.graph;
        let block = &graph.edges[edge];
        let left = self.stack.last()?.left;
        let is_goal = graph.nodes[block.target].kind.is_goal();
        let (always, now) = self.annotation.blocked(&self.terms, block.target, after);
        let nothing = self.terms.as_bool(now) == Some(false);
        if nothing && !is_goal && self.terms.as_bool(block.transition.guard) == Some(true) {
            self.push(edge, after);
            return None;
        }
        let mut questions = vec![(always, None)];
        if now != always {
            questions.push((now, Some(left)));
        }
        let mut found = None;
        for (post, bound) in questions {
            let explain = self.manner == Manner::Interpolants;
            match self.ask(Some(edge), post, explain, budget) {
                Asked::Blocked(formula) => {
                    let formula = match self.manner {
                        Manner::Weakest => self.weakest(edge, post, budget),
                        Manner::Interpolants | Manner::Nothing => formula,
                    };
                    if self.manner == Manner::Weakest && formula.is_none() {
                        return Some(Claim::Unknown(self.stopped()));
                    }
                    let formula = formula.unwrap_or_else(|| self.terms.bool(true));
                    let label = Label { formula, bound };
                    if self.learns() {
                        add(&mut self.annotation.edges[edge], label);
                    }
                    self.block(label);
                    return None;
                }
                Asked::Feasible(run) => found = Some(run),
                Asked::Unknown(reason) => return Some(Claim::Unknown(reason)),
            }
        }
        self.push(edge, after);
        is_goal.then(|| self.reached(&found?)).flatten()
    }

    fn push(&mut self, edge: BlockEdgeId, left: u32) {
        self.stack.push(Query {
            node: self.task.graph.edges[edge].target,
            edge: Some(edge),
            left,
            blocked: Vec::new(),
        });
        self.deepest = self.deepest.max(self.stack.len());
    }

    fn block(&mut self, label: Label) {
        self.is_cut |= label.bound.is_some();
        if let Some(query) = self.stack.last_mut() {
            query.blocked.push(label);
        }
    }

    /// All edges are blocked, so the place is.
    fn conjoin(&mut self) {
        let Some(query) = self.stack.pop() else {
            return;
        };
        self.backtracks += 1;
        let label = Label::conjoin(&self.terms, &query.blocked);
        if self.learns() {
            add(&mut self.annotation.nodes[query.node], label);
        } else {
            // The way is done with, and that is all that is remembered.
            self.block(label);
        }
    }

    /// A run gets to a goal.
    fn reached(&self, run: &Run) -> Option<Claim> {
        let graph: &BlockGraph = &self.task.graph;
        let goal = self.stack.last()?.node;
        let edges = self.stack.iter().filter_map(|query| query.edge);
        let taken = edges.zip(&run.inputs).map(|(edge, values)| {
            let inputs = graph.edges[edge].transition.inputs.iter();
            let zero = || Value::Int(0.into());
            Taken::Block {
                edge,
                inputs: inputs
                    .map(|input| values.get(input).cloned().unwrap_or_else(zero))
                    .collect(),
            }
        });
        let taken: Vec<Taken> = taken.collect();
        let first = run.states.first();
        let addresses = graph.state.constants().filter_map(|cell| {
            let value = first.and_then(|state| state.get(&cell.symbol));
            Some((cell.symbol, value?.clone()))
        });
        let mut decoder = Decoder::new(self.task, addresses.collect())?;
        // Where the program leaves the blocks, something was approximated: the inputs up to there may do all the same.
        let _ = decoder.follow(&taken);
        let inputs = decoder.finish();
        Some(match (replay(self.task, &inputs), graph.nodes[goal].kind) {
            (Replayed::Target(target), _) => Claim::Unsafe { target, inputs },
            (Replayed::Unsupported(reason), _) => Claim::Unknown(reason),
            (Replayed::Other, _) => {
                let reason = self.task.unsupported(goal);
                Claim::Unknown(reason.unwrap_or(Reason::Inconclusive))
            }
        })
    }

    /// A search is over, and no goal was reached.
    fn conclude(&mut self, budget: &Budget) -> Step {
        let graph: &BlockGraph = &self.task.graph;
        if !self.learns() {
            return match self.is_cut {
                true => self.again(),
                false => {
                    let depth = u32::try_from(self.deepest).unwrap_or(u32::MAX);
                    let proof = unrolling(self.task, depth.saturating_mul(STRETCH), budget);
                    Step::Done(proof.map_or(Claim::Unknown(Reason::Endless), Claim::Safe))
                }
            };
        }
        match strengthen(graph, &mut self.annotation, &mut self.session, budget) {
            Some(true) => {
                let proof = Draft::at_heads(self.task, budget, |node| {
                    vec![self.annotation.blocked(&self.terms, node, u32::MAX).0]
                });
                Step::Done(Claim::Safe(proof))
            }
            Some(false) if self.is_cut => self.again(),
            Some(false) => Step::Done(Claim::Unknown(Reason::Inconclusive)),
            None => Step::Done(Claim::Unknown(self.stopped())),
        }
    }

    fn again(&mut self) -> Step {
        self.most = self.most.saturating_mul(2);
        self.begin();
        Step::Working
    }

    fn stopped(&self) -> Reason {
        Reason::Stopped(format!("after {}", self.summary()))
    }

    fn summary(&self) -> String {
        format!(
            "{} backtracks, {} labels, up to {} rounds",
            self.backtracks,
            self.annotation.len(),
            self.most
        )
    }
}

/// The edges that close a cycle: those that lead from the inside of a loop to its head.
fn back_edges(graph: &BlockGraph) -> FxHashSet<BlockEdgeId> {
    let mut found = FxHashSet::default();
    let whole = graph.graph();
    for (head, node) in graph.nodes.iter_enumerated() {
        if node.kind == NodeKind::LoopHead {
            let inside = whole.reachable([head]);
            let incoming = node.incoming.iter().copied();
            found.extend(incoming.filter(|&edge| inside[graph.edges[edge].source]));
        }
    }
    found
}

/// What annotation tells of itself, with procedures and without.
fn figures(backtracks: u64, labels: usize, queries: u64, rounds: u32) -> Figures {
    vec![
        ("backtracks", backtracks as f64),
        ("labels", labels as f64),
        ("queries", queries as f64),
        ("rounds", f64::from(rounds)),
    ]
}

impl Engine for LazyAnnotation<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        if self.task.graph.goals().next().is_none() {
            let proof = Draft::without_goals(self.task, budget);
            return Step::Done(Claim::Safe(proof));
        }
        if self.stack.is_empty() && self.queries == 0 {
            self.begin();
        }
        if budget.is_spent() {
            return Step::Done(Claim::Unknown(self.stopped()));
        }
        if let Some(claim) = self.advance(budget) {
            return Step::Done(claim);
        }
        match self.stack.is_empty() {
            true => self.conclude(budget),
            false => Step::Working,
        }
    }

    fn progress(&self) -> Progress {
        let labels = self.annotation.len();
        Progress {
            summary: self.summary(),
            figures: figures(self.backtracks, labels, self.queries, self.most),
        }
    }
}
