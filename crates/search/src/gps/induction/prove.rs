//! Proofs by induction alone.
//!
//! Candidates are tried in stages, from few and cheap to many: what the program compares and how it is bounded; then the same under a condition that the
//! program tests; then under two. A goal is never reached if the candidate `false` survives there.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Budget, Symbol, Term};

use super::atoms::{Atoms, atoms, live};
use super::candidate::Candidate;
use super::subset::{Candidates, Formulas, Induction};

/// Variables of a lattice; of nodes with more only these many, those that the node's atoms mention first.
const DIMENSIONS: usize = 16;

/// Candidates of a node.
const CANDIDATES: usize = 600;

/// Conjuncts of what lies ahead that are candidates each for itself.
const CLAUSES: usize = 64;

/// How many conditions stand before a candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    /// None.
    Plain,
    /// One.
    Conditional,
    /// Two.
    TwoConditions,
}

impl Stage {
    /// All, the cheapest first.
    pub(crate) const ALL: [Stage; 3] = [Stage::Plain, Stage::Conditional, Stage::TwoConditions];
}

/// Invariants by which no goal is reached, beside what is known; none if induction doesn't find them. `ahead` is what is required of a state for a goal to be
/// reached from there.
pub(crate) fn prove(
    induction: &mut Induction<'_>,
    ahead: &IndexVec<NodeId, Term>,
    budget: &Budget,
) -> Option<Formulas> {
    let graph = induction.graph();
    let atoms = atoms(graph, ahead);
    let mut proved: Formulas = graph.nodes.iter().map(|_| Vec::new()).collect();
    for stage in Stage::ALL {
        let candidates = graph.nodes.indices().map(|node| {
            let mut all = candidates_at(graph, node, stage, &atoms[node], ahead[node]);
            let kept = proved[node].iter();
            all.extend(kept.map(|&fact| Candidate::formula(&graph.terms, fact)));
            all
        });
        let candidates: Candidates = candidates.collect();
        proved = induction.subset(candidates, budget);
        let goals: Vec<NodeId> = graph.goals().collect();
        let never = graph.terms.bool(false);
        let is_unreachable = |&goal: &NodeId| proved[goal].contains(&never);
        if goals.iter().all(is_unreachable) {
            let wanted = goals.into_iter().map(|goal| (goal, never));
            return Some(induction.support(&proved, wanted, budget));
        }
        if budget.is_spent() {
            return None;
        }
    }
    None
}

/// The candidates of a node.
fn candidates_at(
    graph: &BlockGraph,
    node: NodeId,
    stage: Stage,
    atoms: &Atoms,
    ahead: Term,
) -> Vec<Candidate> {
    let terms = &graph.terms;
    if node == graph.entry {
        return Vec::new();
    }
    if graph.nodes[node].kind.is_goal() {
        return vec![Candidate::formula(terms, terms.bool(false))];
    }
    let mut all = Vec::new();
    let symbols = relevant(graph, node, atoms);
    let forms = forms(graph, &symbols, atoms);
    for premise in premises(graph, stage, atoms) {
        all.push(Candidate::points(terms, premise, symbols.clone()));
        for (form, thresholds) in &forms {
            all.push(Candidate::bound(terms, premise, form, thresholds.clone()));
        }
        if all.len() > CANDIDATES {
            break;
        }
    }
    if stage == Stage::Plain {
        let safe = terms.not(ahead);
        all.push(Candidate::formula(terms, safe));
        let clauses = terms.conjuncts(safe);
        if clauses.len() <= CLAUSES {
            all.extend(
                clauses
                    .iter()
                    .map(|&clause| Candidate::formula(terms, clause)),
            );
        }
        for &atom in &atoms.all {
            if !matches!(terms.node(atom), Node::AtMostZero(_)) {
                all.push(Candidate::formula(terms, atom));
                all.push(Candidate::formula(terms, terms.not(atom)));
            }
        }
    }
    all
}

/// The conditions under which something may hold.
fn premises(graph: &BlockGraph, stage: Stage, atoms: &Atoms) -> Vec<Term> {
    let terms = &graph.terms;
    if stage == Stage::Plain {
        return vec![terms.bool(true)];
    }
    let single = atoms.all.iter().flat_map(|&atom| [atom, terms.not(atom)]);
    let single: Vec<Term> = single.collect();
    if stage == Stage::Conditional {
        return single;
    }
    let mut pairs = Vec::new();
    for (place, &first) in single.iter().enumerate() {
        for &second in &single[..place] {
            let both = terms.and([first, second]);
            if terms.as_bool(both) != Some(false) {
                pairs.push(both);
            }
        }
    }
    pairs
}

/// The variables of the lattices of a node.
fn relevant(graph: &BlockGraph, node: NodeId, atoms: &Atoms) -> Vec<Symbol> {
    let mut symbols = live(graph, node);
    if symbols.len() > DIMENSIONS {
        let mentioned = graph.terms.symbols(atoms.all.iter().copied());
        symbols.sort_by_key(|symbol| mentioned.binary_search(symbol).is_err());
        symbols.truncate(DIMENSIONS);
        symbols.sort_unstable();
    }
    symbols
}

/// The combinations that are bounded: those of the atoms, and each variable.
fn forms(graph: &BlockGraph, symbols: &[Symbol], atoms: &Atoms) -> Vec<(Linear, Vec<Int>)> {
    let terms = &graph.terms;
    let mut forms = atoms.forms(terms);
    for &symbol in symbols {
        let plus = terms.as_linear(terms.var(symbol));
        for form in [plus.times(&Int::NEG_ONE), plus] {
            if !forms.iter().any(|(other, _)| other.parts == form.parts) {
                forms.push((form, Vec::new()));
            }
        }
    }
    forms
}
