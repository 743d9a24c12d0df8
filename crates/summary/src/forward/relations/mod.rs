//! Linear relations between any number of variables at loop heads, on demand.
//!
//! The analysis runs on the block graph: what a block makes of a state is the hull of its formula. So it is as precise
//! as its [`Shape`] allows, and dearer than the analysis of the automaton: for programs about which that leaves the
//! question open. The result is inductive together with what was known before.

mod lattice;
mod polyhedron;
mod signed;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId, NodeKind};
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::domain::{Constraint, Kind, TooLarge};
use rhumb_logic::hull::{Abstraction, Facts, Options};
use rhumb_logic::num::Int;
use rhumb_logic::{Budget, Linear, Node, Symbol, Term};
use rustc_hash::FxHashMap;

use signed::Signed;

/// So often the states at a loop head are joined before they are widened.
const DELAY: u32 = 3;

/// So often everything is run through again after widening.
const NARROWING: usize = 2;

/// So many models are taken for the hull of one block.
const ROUNDS: usize = 60;

/// Blocks whose solvers are kept, for what is asked next. When there are more, all are closed: by the time they are
/// needed again others will be.
const OPEN: usize = 64;

/// Resource units for one query.
const UNITS: u64 = 2_000_000;

/// Equalities, and congruences of sums: right for loops that move several variables in step, and for strides. It has no inequalities, and
/// takes any number of variables.
pub fn equalities(
    graph: &BlockGraph,
    known: &IndexVec<NodeId, Vec<Term>>,
    budget: &Budget,
) -> IndexVec<NodeId, Vec<Term>> {
    relations::<Lattice>(graph, known, budget)
}

/// Inequalities with coefficients: right for loops that keep a relation of three variables or more, or one with
/// coefficients (`k <= 2i + j`), which octagons can't say. Widening goes up to the conditions of the program.
pub fn polyhedra(
    graph: &BlockGraph,
    known: &IndexVec<NodeId, Vec<Term>>,
    budget: &Budget,
) -> IndexVec<NodeId, Vec<Term>> {
    relations::<Polyhedron>(graph, known, budget)
}

/// Signs, and affine equalities: what the prototype of the paper on GPS has, for comparisons with it. It takes nothing
/// for granted but the ranges of types.
pub fn signs_and_equalities(graph: &BlockGraph, budget: &Budget) -> IndexVec<NodeId, Vec<Term>> {
    let nothing = graph.nodes.iter().map(|_| Vec::new()).collect();
    relations::<Signed>(graph, &nothing, budget)
}

/// What is known about points.
trait Shape: Clone {
    /// So many variables are related at a node.
    const DIMENSIONS: usize;

    /// All points.
    fn universe(dimensions: usize) -> Self;

    /// The least shape around the values of the terms.
    fn hull(of: &mut Abstraction, terms: &[Term], budget: &Budget) -> Self;

    /// Whether there is no point.
    fn is_nothing(&self) -> Result<bool, TooLarge>;

    /// A shape around both.
    fn around(&self, other: &Self) -> Result<Self, TooLarge>;

    /// A shape around both that ends every chain.
    fn widened(&self, next: &Self, thresholds: &[Constraint]) -> Result<Self, TooLarge>;

    /// A shape around the points in both, not larger than this one.
    fn narrowed(&self, other: &Self) -> Result<Self, TooLarge>;

    /// Whether every point of the other is in it.
    fn contains(&self, other: &Self) -> Result<bool, TooLarge>;

    /// What it says.
    fn facts(&self) -> Result<Facts, TooLarge>;
}

/// Relations that hold at the nodes of a graph whenever the known ones do, as conjuncts. Nothing where the budget is
/// spent before there is a result.
fn relations<S: Shape>(
    graph: &BlockGraph,
    known: &IndexVec<NodeId, Vec<Term>>,
    budget: &Budget,
) -> IndexVec<NodeId, Vec<Term>> {
    let mut analysis = Analysis::<S>::new(graph, known, budget.with_units(UNITS));
    match analysis.ascend() {
        Ok(true) => analysis.descend(),
        Ok(false) | Err(TooLarge) => return graph.nodes.iter().map(|_| Vec::new()).collect(),
    }
    let conjuncts = graph.nodes.indices().map(|node| analysis.conjuncts(node));
    conjuncts.collect()
}

struct Analysis<'g, S> {
    graph: &'g BlockGraph,
    known: &'g IndexVec<NodeId, Vec<Term>>,
    budget: Budget,
    /// The variables that are related at each node.
    dimensions: IndexVec<NodeId, Vec<Symbol>>,
    thresholds: IndexVec<NodeId, Vec<Constraint>>,
    blocks: FxHashMap<BlockEdgeId, Abstraction>,
    states: IndexVec<NodeId, Option<S>>,
    /// The nodes that can be reached, in reverse postorder.
    order: Vec<NodeId>,
}

impl<'g, S: Shape> Analysis<'g, S> {
    fn new(
        graph: &'g BlockGraph,
        known: &'g IndexVec<NodeId, Vec<Term>>,
        budget: Budget,
    ) -> Analysis<'g, S> {
        let dimensions = dimensions(graph, S::DIMENSIONS);
        let thresholds = (graph.nodes.indices())
            .map(|node| thresholds(graph, node, &dimensions[node]))
            .collect();
        Analysis {
            graph,
            known,
            budget,
            dimensions,
            thresholds,
            blocks: FxHashMap::default(),
            states: graph.nodes.iter().map(|_| None).collect(),
            order: graph.graph().reverse_postorder(graph.entry),
        }
    }

    /// Grows the states until every block leads into the state of its end. Says whether it got there in time.
    fn ascend(&mut self) -> Result<bool, TooLarge> {
        let mut visits: IndexVec<NodeId, u32> = IndexVec::from_vec(vec![0; self.states.len()]);
        loop {
            let mut is_stable = true;
            for node in self.order.clone() {
                if self.budget.is_spent() {
                    return Ok(false);
                }
                let Some(new) = self.incoming(node)? else {
                    continue;
                };
                let next = match &self.states[node] {
                    None => new,
                    Some(old) if old.contains(&new)? => continue,
                    Some(old) if self.graph.nodes[node].kind == NodeKind::LoopHead => {
                        visits[node] += 1;
                        if visits[node] <= DELAY {
                            old.around(&new)?
                        } else {
                            old.widened(&new, &self.thresholds[node])?
                        }
                    }
                    Some(old) => old.around(&new)?,
                };
                self.states[node] = Some(next);
                is_stable = false;
            }
            if is_stable {
                return Ok(true);
            }
        }
    }

    /// Takes back what widening gave away. A round that doesn't lead to smaller states everywhere is taken back itself.
    fn descend(&mut self) {
        for _ in 0..NARROWING {
            let before = self.states.clone();
            if !matches!(self.narrowed(), Ok(true)) {
                self.states = before;
                return;
            }
        }
    }

    /// One round of narrowing: says whether the result is inductive again.
    fn narrowed(&mut self) -> Result<bool, TooLarge> {
        for node in self.order.clone() {
            if self.budget.is_spent() {
                return Ok(false);
            }
            let (Some(new), Some(old)) = (self.incoming(node)?, &self.states[node]) else {
                continue;
            };
            self.states[node] = Some(old.narrowed(&new)?);
        }
        for node in self.order.clone() {
            if self.budget.is_spent() {
                return Ok(false);
            }
            if let (Some(new), Some(state)) = (self.incoming(node)?, &self.states[node])
                && !state.contains(&new)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the blocks that end at a node lead to.
    fn incoming(&mut self, node: NodeId) -> Result<Option<S>, TooLarge> {
        let mut joined =
            (node == self.graph.entry).then(|| S::universe(self.dimensions[node].len()));
        for &edge in &self.graph.nodes[node].incoming {
            let source = self.graph.edges[edge].source;
            let Some(before) = self.states[source].clone() else {
                continue;
            };
            let after = self.image(edge, &before)?;
            if after.is_nothing()? {
                continue;
            }
            joined = Some(match joined {
                Some(other) => other.around(&after)?,
                None => after,
            });
        }
        Ok(joined)
    }

    /// What a block makes of a polyhedron.
    fn image(&mut self, edge: BlockEdgeId, before: &S) -> Result<S, TooLarge> {
        let terms = &self.graph.terms;
        let block = &self.graph.edges[edge];
        let assumed = self.formula(block.source, before)?;
        let after: Vec<Term> = (self.dimensions[block.target].iter())
            .map(|&symbol| block.transition.value_of(terms, symbol))
            .collect();
        let known = &self.known[block.source];
        if self.blocks.len() >= OPEN && !self.blocks.contains_key(&edge) {
            self.blocks.clear();
        }
        let abstraction = self.blocks.entry(edge).or_insert_with(|| {
            let known = known.iter().copied();
            let given = known.chain([self.graph.ranges(block.source), block.transition.guard]);
            let options = Options {
                rounds: ROUNDS,
                ..Options::default()
            };
            Abstraction::new(terms.clone(), terms.and(given), options)
        });
        abstraction.push(assumed);
        let image = S::hull(abstraction, &after, &self.budget);
        abstraction.pop();
        Ok(image)
    }

    fn formula(&self, node: NodeId, state: &S) -> Result<Term, TooLarge> {
        let terms = &self.graph.terms;
        let dimensions = self.dimensions[node].iter();
        let dimensions: Vec<Term> = dimensions.map(|&symbol| terms.var(symbol)).collect();
        Ok(state.facts()?.to_formula(terms, &dimensions))
    }

    /// What is known at a node, as far as it can be said. A node that no run comes to is left alone: others know that.
    fn conjuncts(&self, node: NodeId) -> Vec<Term> {
        let state = self.states[node].as_ref();
        let formula = state.and_then(|state| self.formula(node, state).ok());
        formula.map_or_else(Vec::new, |formula| self.graph.terms.conjuncts(formula))
    }
}

/// The variables to relate at each node: of those that are live there the ones that occur most often together with
/// others in conditions and in what blocks compute.
fn dimensions(graph: &BlockGraph, most: usize) -> IndexVec<NodeId, Vec<Symbol>> {
    let terms = &graph.terms;
    let mut weight: FxHashMap<Symbol, usize> = FxHashMap::default();
    for block in &graph.edges {
        let values = block.transition.updates.iter().map(|update| update.1);
        for term in terms.postorder(values.chain([block.transition.guard])) {
            let sum = match terms.node(term) {
                Node::AtMostZero(sum) | Node::Zero(sum) => sum,
                _ => continue,
            };
            let symbols = sum.parts.iter().filter_map(|part| terms.as_symbol(part.0));
            for symbol in symbols {
                *weight.entry(symbol).or_default() += sum.parts.len();
            }
        }
        for &(symbol, _) in &block.transition.updates {
            *weight.entry(symbol).or_default() += 1;
        }
    }
    let of_node = |node: NodeId| {
        let live = graph.live(node).filter(|cell| cell.is_number());
        let mut live: Vec<Symbol> = live
            .map(|cell| cell.symbol)
            .filter(|symbol| weight.contains_key(symbol))
            .collect();
        live.sort_by_key(|symbol| std::cmp::Reverse(weight[symbol]));
        live.truncate(most);
        live.sort_unstable();
        live
    };
    graph.nodes.indices().map(of_node).collect()
}

/// The linear conditions of the blocks that leave a node, and their opposites, over its dimensions.
fn thresholds(graph: &BlockGraph, node: NodeId, dimensions: &[Symbol]) -> Vec<Constraint> {
    let terms = &graph.terms;
    let mut found = Vec::new();
    for &edge in &graph.nodes[node].outgoing {
        for term in terms.postorder([graph.edges[edge].transition.guard]) {
            let sums = match terms.node(term) {
                Node::AtMostZero(sum) => vec![sum.times(&Int::NEG_ONE), sum.clone()],
                Node::Zero(sum) => vec![sum.times(&Int::NEG_ONE), sum.clone()],
                _ => continue,
            };
            let constraints = sums
                .iter()
                .filter_map(|sum| at_least_zero(graph, sum, dimensions));
            found.extend(constraints);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// That a sum over the dimensions is not negative; none if it is over something else.
fn at_least_zero(graph: &BlockGraph, sum: &Linear, dimensions: &[Symbol]) -> Option<Constraint> {
    let mut coefficients = vec![Int::ZERO; dimensions.len()];
    for (part, coefficient) in &sum.parts {
        let symbol = graph.terms.as_symbol(*part)?;
        let place = dimensions.binary_search(&symbol).ok()?;
        coefficients[place] = coefficient.clone();
    }
    Some(Constraint::new(
        Kind::Ge,
        coefficients,
        sum.constant.clone(),
    ))
}
