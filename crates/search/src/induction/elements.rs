//! Candidates about elements of arrays that are followed.
//!
//! Right for loops that go through an array in steps and do to each element, or to those at related places, what makes
//! a fact hold. The fact is about the contents of cells: one that the program tests, or what has to hold before a block
//! so that it holds after it. It may hold everywhere, or where the loop has been, or where it will be: where a linear
//! combination of counters and the cell's index, by which the program tells whether it is at the cell, is positive or
//! negative.
//!
//! Where sums of elements are followed: equations between those and all other numbers.

use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::atoms::{atoms_of, live, resolved};
use super::conditions::is_huge;

/// Facts about contents.
const FACTS: usize = 40;
/// Rounds of preconditions.
const ROUNDS: usize = 3;
/// Combinations of counters and indices.
const FORMS: usize = 24;
/// Candidates of a node.
const CANDIDATES: usize = 700;
/// Numbers of a node between which equations are looked for.
const SUMMANDS: usize = 64;

/// The variables of elements that are followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    /// The indices.
    pub(crate) indices: FxHashSet<Symbol>,
    /// The contents of cells.
    pub(crate) cells: FxHashSet<Symbol>,
    /// Places and sums of folds.
    pub(crate) folds: FxHashSet<Symbol>,
}

impl Elements {
    /// Whether nothing is followed.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.folds.is_empty()
    }
}

/// Where sums are followed: the numbers of a node between which equations are looked for. Right for loops that add up
/// elements: what a program has added up is a combination of the sums that are followed, and of nothing else that is
/// read. There are three numbers for each sum, so all of a node's are looked at.
pub(super) fn summands(graph: &BlockGraph, node: NodeId, elements: &Elements) -> Vec<Term> {
    let mut symbols = live(graph, node);
    if !symbols.iter().any(|symbol| elements.folds.contains(symbol)) {
        return Vec::new();
    }
    symbols.sort_by_key(|symbol| !elements.folds.contains(symbol));
    symbols.truncate(SUMMANDS);
    let symbols = symbols.into_iter();
    symbols.map(|symbol| graph.terms.var(symbol)).collect()
}

/// The candidates of every node.
pub(super) fn candidates(graph: &BlockGraph, elements: &Elements) -> Vec<(NodeId, Term)> {
    if elements.cells.is_empty() {
        return Vec::new();
    }
    let terms = &graph.terms;
    let blocks = graph.edges.iter().map(|edge| &edge.transition);
    let roots = blocks.flat_map(|block| {
        let values = block.updates.iter().map(|update| update.1);
        values.chain([block.guard])
    });
    let atoms = atoms_of(terms, &roots.collect::<Vec<_>>());
    let facts = facts(graph, elements, &atoms);
    let forms = forms(graph, elements, &atoms);
    let tests = tests(graph, elements, &atoms);
    let mut all = Vec::new();
    for (node, block) in graph.nodes.iter_enumerated() {
        if node == graph.entry || block.kind.is_goal() {
            continue;
        }
        let live: FxHashSet<Symbol> = live(graph, node).into_iter().collect();
        let is_live = |&&term: &&Term| {
            let symbols = terms.symbols([term]);
            symbols.iter().all(|symbol| live.contains(symbol))
        };
        let guards = guards(graph, elements, &forms, &live);
        let tests: Vec<Term> = tests.iter().filter(is_live).copied().collect();
        let mut here: Vec<Term> = Vec::new();
        let facts: Vec<Term> = facts.iter().filter(is_live).copied().collect();
        here.extend(&facts);
        for &fact in &facts {
            here.extend(guards.iter().map(|&guard| terms.or([guard, fact])));
        }
        for &fact in &facts {
            here.extend(tests.iter().map(|&test| terms.or([test, fact])));
        }
        for (place, &first) in guards.iter().enumerate() {
            for &second in &guards[..place] {
                let either = terms.or([first, second]);
                if terms.as_bool(either) != Some(true) && differ(graph, elements, first, second) {
                    here.extend(facts.iter().map(|&fact| terms.or([either, fact])));
                }
            }
        }
        for &test in &tests {
            for &guard in &guards {
                here.extend(facts.iter().map(|&fact| terms.or([test, guard, fact])));
            }
        }
        let mut seen = FxHashSet::default();
        here.retain(|&formula| terms.as_bool(formula) != Some(true) && seen.insert(formula));
        here.truncate(CANDIDATES);
        all.extend(here.into_iter().map(|formula| (node, formula)));
    }
    all
}

/// Whether two conditions are about different indices.
fn differ(graph: &BlockGraph, elements: &Elements, a: Term, b: Term) -> bool {
    let index = |term: Term| {
        let symbols = graph.terms.symbols([term]);
        let mut indices = symbols
            .into_iter()
            .filter(|symbol| elements.indices.contains(symbol));
        indices.next()
    };
    index(a) != index(b)
}

/// What may hold of contents: the atoms about cells, their negations, and what makes those hold after a block.
fn facts(graph: &BlockGraph, elements: &Elements, atoms: &[Term]) -> Vec<Term> {
    let terms = &graph.terms;
    let inputs: FxHashSet<Symbol> = (graph.edges.iter())
        .flat_map(|edge| edge.transition.inputs.iter().copied())
        .collect();
    let is_fact = |atom: Term| {
        let symbols = terms.symbols([atom]);
        symbols.iter().any(|symbol| elements.cells.contains(symbol))
            && !symbols.iter().any(|symbol| inputs.contains(symbol))
            && !symbols
                .iter()
                .any(|symbol| elements.indices.contains(symbol))
            && !mentions_huge(graph, atom)
    };
    let mut found: Vec<Term> = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut todo: Vec<Term> = atoms.to_vec();
    for _ in 0..=ROUNDS {
        let mut next: Vec<Term> = Vec::new();
        for atom in todo {
            if found.len() < FACTS && is_fact(atom) && seen.insert(atom) {
                found.push(atom);
                next.push(atom);
            }
        }
        todo = Vec::new();
        for edge in &graph.edges {
            let updates: FxHashMap<Symbol, Term> =
                edge.transition.updates.iter().copied().collect();
            for &fact in &next {
                let symbols = terms.symbols([fact]);
                if symbols.iter().any(|symbol| updates.contains_key(symbol)) {
                    let before = terms.substitute(fact, &updates);
                    todo.extend(resolved(terms, before));
                }
            }
        }
    }
    let both = found.into_iter().flat_map(|fact| [fact, terms.not(fact)]);
    both.collect()
}

fn mentions_huge(graph: &BlockGraph, atom: Term) -> bool {
    match graph.terms.node(atom) {
        Node::AtMostZero(sum) | Node::Zero(sum) => is_huge(&sum.constant),
        _ => false,
    }
}

/// Combinations of indices and other variables that the program compares, and those that come of two comparisons by leaving out a variable.
fn forms(graph: &BlockGraph, elements: &Elements, atoms: &[Term]) -> Vec<Linear> {
    let terms = &graph.terms;
    let mut with: Vec<Linear> = Vec::new();
    let mut without: Vec<Linear> = Vec::new();
    for &atom in atoms {
        let (Node::AtMostZero(sum) | Node::Zero(sum)) = terms.node(atom) else {
            continue;
        };
        let symbols = terms.symbols([atom]);
        if is_huge(&sum.constant) || symbols.iter().any(|symbol| elements.cells.contains(symbol)) {
            continue;
        }
        let has_index = symbols
            .iter()
            .any(|symbol| elements.indices.contains(symbol));
        let is_sharp = matches!(terms.node(atom), Node::Zero(_));
        match has_index {
            true if is_sharp => with.push(sum.clone()),
            true => {}
            false if symbols.len() <= 3 => without.push(sum.clone()),
            false => {}
        }
    }
    let mut all = with.clone();
    for sum in &with {
        for (term, factor) in &sum.parts {
            let is_index = |symbol: Symbol| elements.indices.contains(&symbol);
            if terms.as_symbol(*term).is_none_or(is_index) {
                continue;
            }
            for other in with.iter().chain(&without) {
                let theirs = other.coefficient(*term);
                if !theirs.is_zero() && other != sum {
                    all.push(sum.times(&theirs).plus(&-factor, other));
                }
            }
        }
    }
    let mut kept: Vec<Linear> = Vec::new();
    for sum in all {
        let mut symbols = sum.parts.iter().filter_map(|part| terms.as_symbol(part.0));
        let is_new = !kept.iter().any(|known| known.parts == sum.parts);
        if symbols.any(|symbol| elements.indices.contains(&symbol)) && is_new {
            kept.push(sum);
        }
    }
    kept.truncate(FORMS);
    kept
}

/// On which side of an index one is, by the variables that are live.
fn guards(
    graph: &BlockGraph,
    elements: &Elements,
    forms: &[Linear],
    live: &FxHashSet<Symbol>,
) -> Vec<Term> {
    let terms = &graph.terms;
    let mut guards = Vec::new();
    for form in forms {
        let is_live = |term: Term| {
            let symbols = terms.symbols([term]);
            symbols.iter().all(|symbol| live.contains(symbol))
        };
        let parts = form.parts.iter().filter(|part| is_live(part.0));
        let parts: Vec<(Term, Int)> = parts.cloned().collect();
        let is_index = |part: &(Term, Int)| {
            let symbol = terms.as_symbol(part.0);
            symbol.is_some_and(|symbol| elements.indices.contains(&symbol))
        };
        let is_cut = parts.len() < form.parts.len();
        if !parts.iter().any(is_index) || is_cut && parts.len() < 2 {
            continue;
        }
        let linear: Vec<(Int, Linear)> = parts
            .into_iter()
            .map(|(term, factor)| (factor, terms.as_linear(term)))
            .collect();
        let parts = linear.iter().map(|(factor, sum)| (factor, sum.clone()));
        let sum = Linear::combine(form.constant.clone(), parts);
        for side in [sum.clone(), sum.times(&Int::NEG_ONE)] {
            for shift in [Int::ZERO, Int::ONE] {
                let sum = Linear {
                    constant: &side.constant + shift,
                    parts: side.parts.clone(),
                };
                let guard = terms.at_most_zero(&sum);
                if !guards.contains(&guard) {
                    guards.push(guard);
                }
            }
        }
    }
    guards
}

/// What the program compares for equality that is not about elements: flags.
fn tests(graph: &BlockGraph, elements: &Elements, atoms: &[Term]) -> Vec<Term> {
    let terms = &graph.terms;
    let is_test = |&&atom: &&Term| match terms.node(atom) {
        Node::Zero(sum) => {
            let symbols = terms.symbols([atom]);
            let is_plain = |symbol: &Symbol| {
                !elements.cells.contains(symbol) && !elements.indices.contains(symbol)
            };
            sum.parts.len() == 1 && !is_huge(&sum.constant) && symbols.iter().all(is_plain)
        }
        _ => false,
    };
    let mut tests = Vec::new();
    for &atom in atoms.iter().filter(is_test) {
        for test in [atom, terms.not(atom)] {
            if !tests.contains(&test) {
                tests.push(test);
            }
        }
    }
    tests.truncate(6);
    tests
}
