//! Linear relations between any number of variables at loop heads: polyhedra, on demand.
//!
//! Right for loops that keep a relation of three variables or more, or one with coefficients (`k = 2i + j`, `j <= 3i`), which octagons can't say. The analysis runs
//! on the block graph: what a block makes of a polyhedron is the hull of its formula. Dear, so it is for programs about which the cheaper domains leave the
//! question open. Widening goes up to the conditions of the program; the result is inductive together with what was known before.

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId, NodeKind};
use rhumb_logic::domain::polyhedron::Polyhedron;
use rhumb_logic::domain::{Constraint, Kind, Limits, TooLarge};
use rhumb_logic::hull::{Abstraction, Facts, Options};
use rhumb_logic::num::Int;
use rhumb_logic::{Budget, Linear, Node, Sort, Symbol, Term};
use rustc_hash::FxHashMap;

/// So many variables are related at a node.
const DIMENSIONS: usize = 8;

/// So often the states at a loop head are joined before they are widened.
const DELAY: u32 = 3;

/// So often everything is run through again after widening.
const NARROWING: usize = 2;

/// So many models are taken for the hull of one block.
const ROUNDS: usize = 60;

/// Resource units for one query.
const UNITS: u64 = 2_000_000;

const LIMITS: Limits = Limits {
    rows: 400,
    work: 50_000_000,
    bits: 256,
};

/// Relations that hold at the nodes of a graph whenever the known ones do, as conjuncts. Nothing where the budget is spent before there is a result.
pub fn polyhedra(
    graph: &BlockGraph,
    known: &IndexVec<NodeId, Vec<Term>>,
    budget: &Budget,
) -> IndexVec<NodeId, Vec<Term>> {
    let nothing = || graph.nodes.iter().map(|_| Vec::new()).collect();
    let mut analysis = Analysis::new(graph, known, budget.with_units(UNITS));
    match analysis.ascend() {
        Ok(true) => analysis.descend(),
        Ok(false) | Err(TooLarge) => return nothing(),
    }
    let conjuncts = graph.nodes.indices().map(|node| analysis.conjuncts(node));
    conjuncts.collect()
}

struct Analysis<'g> {
    graph: &'g BlockGraph,
    known: &'g IndexVec<NodeId, Vec<Term>>,
    budget: Budget,
    /// The variables that are related at each node.
    dimensions: IndexVec<NodeId, Vec<Symbol>>,
    thresholds: IndexVec<NodeId, Vec<Constraint>>,
    blocks: IndexVec<BlockEdgeId, Option<Abstraction>>,
    states: IndexVec<NodeId, Option<Polyhedron>>,
    /// Nodes that can still reach a goal and can be reached, in reverse postorder.
    order: Vec<NodeId>,
}

impl<'g> Analysis<'g> {
    fn new(
        graph: &'g BlockGraph,
        known: &'g IndexVec<NodeId, Vec<Term>>,
        budget: Budget,
    ) -> Analysis<'g> {
        let dimensions = dimensions(graph);
        let thresholds = (graph.nodes.indices())
            .map(|node| thresholds(graph, node, &dimensions[node]))
            .collect();
        Analysis {
            graph,
            known,
            budget,
            dimensions,
            thresholds,
            blocks: graph.edges.iter().map(|_| None).collect(),
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
                    Some(old) if old.includes(&new, &LIMITS)? => continue,
                    Some(old) if self.graph.nodes[node].kind == NodeKind::LoopHead => {
                        visits[node] += 1;
                        if visits[node] <= DELAY {
                            old.join(&new, &LIMITS)?
                        } else {
                            let joined = old.join(&new, &LIMITS)?;
                            old.widen_up_to(&joined, &self.thresholds[node], &LIMITS)?
                        }
                    }
                    Some(old) => old.join(&new, &LIMITS)?,
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
            self.states[node] = Some(old.meet(&new, &LIMITS)?);
        }
        for node in self.order.clone() {
            if self.budget.is_spent() {
                return Ok(false);
            }
            if let (Some(new), Some(state)) = (self.incoming(node)?, &self.states[node])
                && !state.includes(&new, &LIMITS)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the blocks that end at a node lead to.
    fn incoming(&mut self, node: NodeId) -> Result<Option<Polyhedron>, TooLarge> {
        let mut joined =
            (node == self.graph.entry).then(|| Polyhedron::universe(self.dimensions[node].len()));
        for &edge in &self.graph.nodes[node].incoming {
            let source = self.graph.edges[edge].source;
            let Some(before) = self.states[source].clone() else {
                continue;
            };
            let after = self.image(edge, &before)?;
            if after.is_empty(&LIMITS)? {
                continue;
            }
            joined = Some(match joined {
                Some(other) => other.join(&after, &LIMITS)?,
                None => after,
            });
        }
        Ok(joined)
    }

    /// What a block makes of a polyhedron.
    fn image(&mut self, edge: BlockEdgeId, before: &Polyhedron) -> Result<Polyhedron, TooLarge> {
        let terms = &self.graph.terms;
        let block = &self.graph.edges[edge];
        let assumed = self.formula(block.source, before)?;
        let after: Vec<Term> = (self.dimensions[block.target].iter())
            .map(|&symbol| block.transition.value_of(terms, symbol))
            .collect();
        let known = &self.known[block.source];
        let abstraction = self.blocks[edge].get_or_insert_with(|| {
            let known = known.iter().copied();
            let given = known.chain([self.graph.ranges(block.source), block.transition.guard]);
            let options = Options {
                rounds: ROUNDS,
                ..Options::default()
            };
            Abstraction::new(terms.clone(), terms.and(given), options)
        });
        abstraction.push(assumed);
        let hull = abstraction.convex(&after, &self.budget);
        abstraction.pop();
        Ok(hull.shape)
    }

    fn formula(&self, node: NodeId, state: &Polyhedron) -> Result<Term, TooLarge> {
        let terms = &self.graph.terms;
        let dimensions = self.dimensions[node].iter();
        let dimensions: Vec<Term> = dimensions.map(|&symbol| terms.var(symbol)).collect();
        let facts = Facts {
            constraints: state.constraints(&LIMITS)?,
            congruences: Vec::new(),
        };
        Ok(facts.to_formula(terms, &dimensions))
    }

    /// What is known at a node, as far as it can be said. A node that no run comes to is left alone: others know that.
    fn conjuncts(&self, node: NodeId) -> Vec<Term> {
        let state = self.states[node].as_ref();
        let formula = state.and_then(|state| self.formula(node, state).ok());
        formula.map_or_else(Vec::new, |formula| self.graph.terms.conjuncts(formula))
    }
}

/// The variables to relate at each node: of those that are live there the ones that occur most often together with others in conditions and in what blocks compute.
fn dimensions(graph: &BlockGraph) -> IndexVec<NodeId, Vec<Symbol>> {
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
    let of_node = |node: &rhumb_encode::BlockNode| {
        let live = node.live.iter().filter_map(|&var| graph.state.symbol(var));
        let mut live: Vec<Symbol> = live
            .filter(|symbol| terms.symbol_info(*symbol).sort == Sort::Int)
            .filter(|symbol| weight.contains_key(symbol))
            .collect();
        live.sort_by_key(|symbol| std::cmp::Reverse(weight[symbol]));
        live.truncate(DIMENSIONS);
        live.sort_unstable();
        live
    };
    graph.nodes.iter().map(of_node).collect()
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
