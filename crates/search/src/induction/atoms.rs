//! Atoms of a program: the comparisons that its guards, its branches and what lies ahead are made of.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Atoms of one node; more are not looked at.
const MOST: usize = 96;

/// The atoms that make sense at a node, over variables that are live there.
#[derive(Clone, Debug, Default)]
pub(super) struct Atoms {
    /// In the order in which they were found: those of the node's own blocks first.
    pub(super) all: Vec<Term>,
}

/// The atoms of every node: of the blocks that leave it, of a formula given for it, and of all other blocks and formulas.
pub(super) fn atoms(graph: &BlockGraph, ahead: &IndexVec<NodeId, Term>) -> IndexVec<NodeId, Atoms> {
    atoms_without(graph, ahead, &FxHashSet::default())
}

/// The same without those that speak of some symbols.
pub(super) fn atoms_without(
    graph: &BlockGraph,
    ahead: &IndexVec<NodeId, Term>,
    hidden: &FxHashSet<Symbol>,
) -> IndexVec<NodeId, Atoms> {
    let terms = &graph.terms;
    let own: IndexVec<NodeId, Vec<Term>> = graph
        .nodes
        .iter_enumerated()
        .map(|(id, node)| {
            let blocks = node
                .outgoing
                .iter()
                .map(|&edge| &graph.edges[edge].transition);
            let roots = blocks.flat_map(|block| {
                let values = block.updates.iter().map(|update| update.1);
                values.chain([block.guard])
            });
            let roots: Vec<Term> = roots.chain([ahead[id]]).collect();
            atoms_of(terms, &roots)
        })
        .collect();
    let index = ByFirstSymbol::new(terms, own.iter().flatten().copied());
    let at = |id: NodeId| {
        let mut live: FxHashSet<Symbol> = live(graph, id).into_iter().collect();
        live.retain(|symbol| !hidden.contains(symbol));
        let is_live = |atom: &Term| terms.symbols([*atom]).iter().all(|it| live.contains(it));
        let found = own[id].iter().copied().filter(is_live);
        let found = found.chain(index.about(&live).into_iter().filter(is_live));
        let mut seen = FxHashSet::default();
        Atoms {
            all: found.filter(|&atom| seen.insert(atom)).take(MOST).collect(),
        }
    };
    graph.nodes.indices().map(at).collect()
}

/// Atoms by the first of their symbols, each with its place: a program may have many, of which a node is concerned with few.
struct ByFirstSymbol {
    atoms: FxHashMap<Option<Symbol>, Vec<(usize, Term)>>,
}

impl ByFirstSymbol {
    fn new(terms: &Terms, all: impl Iterator<Item = Term>) -> ByFirstSymbol {
        let mut atoms: FxHashMap<Option<Symbol>, Vec<(usize, Term)>> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        for (place, atom) in all.enumerate() {
            if seen.insert(atom) {
                let first = terms.symbols([atom]).first().copied();
                atoms.entry(first).or_default().push((place, atom));
            }
        }
        ByFirstSymbol { atoms }
    }

    /// The atoms whose first symbol is among these, in their order.
    fn about(&self, symbols: &FxHashSet<Symbol>) -> Vec<Term> {
        let keys = symbols.iter().map(|&symbol| Some(symbol)).chain([None]);
        let found = keys.filter_map(|key| self.atoms.get(&key)).flatten();
        let mut found: Vec<(usize, Term)> = found.copied().collect();
        found.sort_unstable();
        found.into_iter().map(|(_, atom)| atom).collect()
    }
}

/// The symbols of the numbers that are live at a node.
pub(super) fn live(graph: &BlockGraph, node: NodeId) -> Vec<Symbol> {
    let numbers = graph.live(node).filter(|cell| cell.is_number());
    numbers.map(|cell| cell.symbol).collect()
}

/// A formula with the first, and with the second of all cases.
pub(super) fn cases(terms: &Terms, root: Term) -> [Term; 2] {
    let (first, second) = both_cases(terms, &terms.postorder([root]));
    [first[&root], second[&root]]
}

/// What becomes of terms, given in an order in which parts come first, with the first, and with the second of all cases.
fn both_cases(terms: &Terms, order: &[Term]) -> (FxHashMap<Term, Term>, FxHashMap<Term, Term>) {
    let mut first: FxHashMap<Term, Term> = FxHashMap::default();
    let mut second: FxHashMap<Term, Term> = FxHashMap::default();
    for &term in order {
        for (cases, takes_first) in [(&mut first, true), (&mut second, false)] {
            let resolved = match terms.node(term) {
                Node::Ite(_, then, _) if takes_first => cases[then],
                Node::Ite(_, _, other) => cases[other],
                _ => terms.rebuild(term, |child| cases[&child]),
            };
            cases.insert(term, resolved);
        }
    }
    (first, second)
}

/// The atoms of formulas and terms. One with case distinctions inside stands for two: with the first, and with the second of all cases.
pub(super) fn atoms_of(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let order = terms.postorder(roots.iter().copied());
    let (first, second) = both_cases(terms, &order);
    let mut atoms = Vec::new();
    for term in order {
        for resolved in [first[&term], second[&term]] {
            let kind = terms.node(resolved);
            if matches!(
                kind,
                Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..)
            ) {
                atoms.push(resolved);
            }
        }
    }
    atoms
}

/// The atoms of a formula or term, with the first, and with the second of all cases.
pub(super) fn resolved(terms: &Terms, root: Term) -> Vec<Term> {
    atoms_of(terms, &[root])
}

impl Atoms {
    /// The combinations that inequalities and equations bound, in both directions, each with the bounds that the program itself has for it.
    pub(super) fn forms(&self, terms: &Terms) -> Vec<(Linear, Vec<Int>)> {
        let mut found: FxHashMap<Box<[(Term, Int)]>, usize> = FxHashMap::default();
        let mut forms: Vec<(Linear, Vec<Int>)> = Vec::new();
        let mut note = |sum: &Linear, bounds: &[Int]| {
            let place = *found.entry(sum.parts.clone()).or_insert_with(|| {
                let form = Linear {
                    parts: sum.parts.clone(),
                    constant: Int::ZERO,
                };
                forms.push((form, Vec::new()));
                forms.len() - 1
            });
            forms[place].1.extend(bounds.iter().cloned());
        };
        for &atom in &self.all {
            let sum = match terms.node(atom) {
                Node::AtMostZero(sum) | Node::Zero(sum) => sum,
                _ => continue,
            };
            // form <= -c; where that fails, -form <= c - 1.
            let bound = -&sum.constant;
            let opposite = sum.times(&Int::NEG_ONE);
            note(sum, &[&bound - Int::ONE, bound.clone(), &bound + Int::ONE]);
            let bound = -bound;
            note(
                &opposite,
                &[&bound - Int::ONE, bound.clone(), &bound + Int::ONE],
            );
        }
        forms
    }
}
