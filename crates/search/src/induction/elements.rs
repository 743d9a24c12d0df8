//! Candidates about elements of arrays that are followed.
//!
//! Right for loops that go through an array in steps and do to each element, or to those at related places, what makes
//! a fact hold. The fact is about the contents of cells: one that the program tests, or what has to hold before a block
//! so that it holds after it ([`facts`]). It may hold everywhere, or where the loop has been, or where it will be: where
//! a linear combination of counters and the cell's index, by which the program tells whether it is at the cell, is
//! positive or negative ([`places`]); or for indices with a certain remainder, where loops go in steps, for all but a place
//! that the program tells apart, or for some columns of a table.
//!
//! Where sums of elements are followed: equations between those and all other numbers.

mod facts;
mod places;

use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::term::Node;
use rhumb_logic::{Symbol, Term};
use rustc_hash::FxHashSet;

use self::facts::Facts;
use self::places::{Places, Remainder};
use super::atoms::{atoms_of, live};
use super::conditions::is_huge;
use super::subset::Induction;

/// Candidates of a node.
const FEW: usize = 1200;
/// The same where few were not enough.
const MANY: usize = 2400;
/// Tests of the program under which a fact may hold.
const TESTS: usize = 6;
/// Numbers of a node between which equations are looked for.
const SUMMANDS: usize = 64;
/// What the program compares of other numbers: of such facts so many are candidates, too.
const OTHERS: usize = 48;

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

/// The candidates of every node: few, or many, also those between two places.
pub(super) fn candidates(
    induction: &Induction<'_>,
    elements: &Elements,
    is_broad: bool,
) -> Vec<(NodeId, Term)> {
    let graph = induction.graph();
    if elements.cells.is_empty() {
        return Vec::new();
    }
    let most = if is_broad { MANY } else { FEW };
    let terms = &graph.terms;
    let blocks = graph.edges.iter().map(|edge| &edge.transition);
    let roots = blocks.flat_map(|block| {
        let values = block.updates.iter().map(|update| update.1);
        values.chain([block.guard])
    });
    let atoms = atoms_of(terms, &roots.collect::<Vec<_>>());
    let places = Places::of(graph, elements, &atoms);
    let facts = Facts::of(graph, elements, &places, &atoms);
    let known = graph.nodes.indices().flat_map(|node| induction.known(node));
    let known: Vec<Remainder> = known
        .filter_map(|&fact| Remainder::of(terms, fact))
        .collect();
    let mut tests = places.remainders(graph, elements, &known);
    tests.extend(places.strangers(graph, elements));
    tests.extend(places.special(graph, elements));
    tests.extend(places.columns(graph, elements));
    tests.extend(self::tests(graph, elements, &atoms));
    let others = others(graph, elements, &atoms);
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
        let guards = places.guards(graph, elements, &live);
        let tests: Vec<Term> = tests.iter().filter(is_live).copied().collect();
        let facts: Vec<Term> = facts.iter().filter(is_live).copied().collect();
        let others = others.iter().filter(is_live).copied().take(OTHERS);
        let mut here = Chosen::default();
        here.extend(graph, most, others.chain(facts.iter().copied()));
        let at_places = diagonal(&facts, &guards).map(|(fact, guard)| terms.or([guard, fact]));
        here.extend(graph, most / 2, at_places);
        let tested = diagonal(&facts, &tests).map(|(fact, test)| terms.or([test, fact]));
        here.extend(graph, most / 4 * 3, tested);
        let sides = diagonal(&guards, &guards).filter(|&(first, second)| {
            first < second && are_sides(graph, elements, is_broad, [first, second])
        });
        let sides = sides.map(|(first, second)| terms.or([first, second]));
        let tested = diagonal(&tests, &guards).map(|(test, guard)| terms.or([test, guard]));
        let pairs = alternate(sides.take(most), tested.take(most));
        let at_pairs = diagonal(&facts, &pairs).map(|(fact, either)| terms.or([either, fact]));
        here.extend(graph, most, at_pairs);
        all.extend(here.all.into_iter().map(|formula| (node, formula)));
    }
    all
}

/// Formulas, each once, none of which is always true.
#[derive(Default)]
struct Chosen {
    all: Vec<Term>,
    seen: FxHashSet<Term>,
}

impl Chosen {
    /// Adds formulas until there are so many.
    fn extend(&mut self, graph: &BlockGraph, most: usize, formulas: impl Iterator<Item = Term>) {
        for formula in formulas {
            if self.all.len() >= most {
                return;
            }
            if graph.terms.as_bool(formula) != Some(true) && self.seen.insert(formula) {
                self.all.push(formula);
            }
        }
    }
}

/// One of each in turn.
fn alternate(
    mut first: impl Iterator<Item = Term>,
    mut second: impl Iterator<Item = Term>,
) -> Vec<Term> {
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(first.next());
        all.extend(second.next());
        if all.len() == before {
            return all;
        }
    }
}

/// All pairs, those of the first of both first: where not all can be tried, each has a few partners, and the first ones have more.
fn diagonal(first: &[Term], second: &[Term]) -> impl Iterator<Item = (Term, Term)> {
    const SLOPE: usize = 8;
    let last = SLOPE * first.len() + second.len();
    (0..last).flat_map(move |sum| {
        let reached = first.iter().enumerate().take(sum / SLOPE + 1);
        reached.filter_map(move |(place, &one)| {
            let other = second.get(sum - SLOPE * place)?;
            Some((one, *other))
        })
    })
}

/// What the program compares that is not about elements: facts about contents may need it.
fn others(graph: &BlockGraph, elements: &Elements, atoms: &[Term]) -> Vec<Term> {
    let terms = &graph.terms;
    let is_other =
        |symbol: &Symbol| !elements.cells.contains(symbol) && !elements.indices.contains(symbol);
    let mut all = Vec::new();
    for &atom in atoms {
        let symbols = terms.symbols([atom]);
        let is_simple = (2..=3).contains(&symbols.len()) && symbols.iter().all(is_other);
        if is_simple && !mentions_huge(graph, atom) && !all.contains(&atom) {
            all.extend([atom, terms.not(atom)]);
        }
    }
    all
}

/// Whether two conditions are about different indices, or, if that is asked, say that one is below a place, and above another.
fn are_sides(graph: &BlockGraph, elements: &Elements, is_broad: bool, [a, b]: [Term; 2]) -> bool {
    let terms = &graph.terms;
    let index = |term: Term| {
        let Node::AtMostZero(sum) = terms.node(term) else {
            return None;
        };
        let mut indices = sum.parts.iter().filter_map(|(part, factor)| {
            let symbol = terms.as_symbol(*part)?;
            elements
                .indices
                .contains(&symbol)
                .then_some((symbol, *factor > Int::ZERO))
        });
        indices.next()
    };
    let different = |a: Term, b: Term| match (terms.node(a), terms.node(b)) {
        (Node::AtMostZero(a), Node::AtMostZero(b)) => {
            a.times(&Int::NEG_ONE).parts != b.parts && a.parts != b.parts
        }
        _ => false,
    };
    match (index(a), index(b)) {
        (Some((a_index, _)), Some((b_index, _))) if a_index != b_index => true,
        (Some((_, a_side)), Some((_, b_side))) => is_broad && a_side != b_side && different(a, b),
        _ => false,
    }
}

fn mentions_huge(graph: &BlockGraph, atom: Term) -> bool {
    match graph.terms.node(atom) {
        Node::AtMostZero(sum) | Node::Zero(sum) => is_huge(&sum.constant),
        _ => false,
    }
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
    tests.truncate(TESTS);
    tests
}
