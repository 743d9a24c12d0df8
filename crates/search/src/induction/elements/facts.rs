//! What may hold of contents.

use std::cell::Cell;

use rhumb_encode::BlockGraph;
use rhumb_logic::term::Node;
use rhumb_logic::{Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::atoms::{cases, resolved};
use super::places::Places;
use super::{Elements, mentions_huge};

/// Facts about contents.
const FACTS: usize = 48;
/// Values of a cell after a block, and combinations of those of several cells.
const LEAVES: usize = 8;
const WAYS: usize = 16;
/// Rounds of preconditions: loops that hand contents on, one after the other.
const ROUNDS: usize = 12;

/// Finds facts: what must hold so that no goal is reached, the atoms about cells, and what makes those hold after a
/// block; each also with counters replaced by the index, as they are where the program is at the cell.
pub(super) struct Facts<'g> {
    graph: &'g BlockGraph,
    elements: &'g Elements,
    /// Inputs of blocks.
    inputs: FxHashSet<Symbol>,
    /// Variables, each with its value where the program is at a cell.
    at_cells: Vec<(Symbol, Term)>,
    found: Vec<Term>,
    seen: FxHashSet<Term>,
}

impl<'g> Facts<'g> {
    /// The facts about contents, and negations of those that are atoms.
    pub(super) fn of(
        graph: &'g BlockGraph,
        elements: &'g Elements,
        places: &Places,
        atoms: &[Term],
    ) -> Vec<Term> {
        let inputs = graph.edges.iter();
        let inputs = inputs.flat_map(|edge| edge.transition.inputs.iter().copied());
        let mut finder = Facts {
            graph,
            elements,
            inputs: inputs.collect(),
            at_cells: places.at_cells(graph, elements),
            found: Vec::new(),
            seen: FxHashSet::default(),
        };
        finder.find(atoms);
        let terms = &graph.terms;
        let both = finder.found.into_iter().flat_map(|fact| {
            let is_atom = is_atom(terms, fact);
            [Some(fact), is_atom.then(|| terms.not(fact))]
        });
        both.flatten().collect()
    }

    fn find(&mut self, atoms: &[Term]) {
        let terms = &self.graph.terms;
        let mut todo = self.required();
        todo.extend(atoms);
        for _ in 0..=ROUNDS {
            let first = self.found.len();
            for formula in todo {
                self.accept(formula);
            }
            todo = Vec::new();
            for edge in &self.graph.edges {
                let updates: FxHashMap<Symbol, Term> =
                    edge.transition.updates.iter().copied().collect();
                for &fact in &self.found[first..] {
                    let symbols = terms.symbols([fact]);
                    for before in before(terms, fact, &symbols, &updates) {
                        match is_atom(terms, fact) {
                            true => todo.extend(resolved(terms, before)),
                            false => todo.extend(cases(terms, before)),
                        }
                    }
                }
            }
        }
    }

    /// Takes a formula for a fact, if it is one, and what it says where the program is at a cell.
    fn accept(&mut self, formula: Term) {
        let terms = &self.graph.terms;
        let symbols = terms.symbols([formula]);
        let is_about_cells = symbols.iter().any(|it| self.elements.cells.contains(it));
        if !is_about_cells || symbols.iter().any(|it| self.inputs.contains(it)) {
            return;
        }
        let local = self.at_cells.iter().filter(|it| symbols.contains(&it.0));
        let local: Vec<Term> = local
            .map(|&(symbol, value)| {
                terms.substitute(formula, &FxHashMap::from_iter([(symbol, value)]))
            })
            .collect();
        for fact in local.into_iter().chain([formula]) {
            let is_new = terms.as_bool(fact).is_none() && !mentions_huge(self.graph, fact);
            if is_new && self.found.len() < FACTS && self.seen.insert(fact) {
                self.found.push(fact);
            }
        }
    }

    /// A formula where all that is read is followed: of two cases, of which one alone depends on inputs, the other one.
    /// What else is distinguished stays: values that wrap are one of two things, and none of both everywhere.
    fn followed(&self, root: Term) -> Term {
        let terms = &self.graph.terms;
        let mut done: FxHashMap<Term, (Term, bool)> = FxHashMap::default();
        for term in terms.postorder([root]) {
            let own = match terms.node(term) {
                Node::Ite(_, first, second) => match (done[first], done[second]) {
                    ((first, false), (_, true)) => Some((first, false)),
                    ((_, true), (second, false)) => Some((second, false)),
                    _ => None,
                },
                _ => None,
            };
            let is_input = terms
                .as_symbol(term)
                .is_some_and(|it| self.inputs.contains(&it));
            let is_open = Cell::new(is_input);
            let all = || {
                let followed = terms.rebuild(term, |child| {
                    let (followed, depends) = done[&child];
                    is_open.set(is_open.get() || depends);
                    followed
                });
                (followed, is_open.get())
            };
            let own = own.unwrap_or_else(all);
            done.insert(term, own);
        }
        done[&root].0
    }

    /// What must hold of contents before blocks to goals, so that they are not taken.
    fn required(&self) -> Vec<Term> {
        let (graph, terms) = (self.graph, &self.graph.terms);
        let to_goals = (graph.edges.iter()).filter(|edge| graph.nodes[edge.target].kind.is_goal());
        let mut all = Vec::new();
        for edge in to_goals {
            let guard = edge.transition.guard;
            let [first, second] = cases(terms, guard);
            for guard in [first, second, self.followed(guard)] {
                let about = terms.conjuncts(guard).into_iter().filter(|&part| {
                    let symbols = terms.symbols([part]);
                    symbols.iter().any(|it| self.elements.cells.contains(it))
                        && !symbols.iter().any(|it| self.inputs.contains(it))
                });
                all.push(terms.not(terms.and(about)));
            }
        }
        all
    }
}

/// What may have to hold before a block so that a fact holds after it: with each of the values that contents may get
/// there. A write that is one of several, or only done at some places, is one case inside of another.
fn before(
    terms: &Terms,
    fact: Term,
    symbols: &[Symbol],
    updates: &FxHashMap<Symbol, Term>,
) -> Vec<Term> {
    let mut ways: Vec<FxHashMap<Symbol, Term>> = vec![FxHashMap::default()];
    for symbol in symbols {
        let Some(&value) = updates.get(symbol) else {
            continue;
        };
        let values = leaves(terms, value);
        let more = ways.iter().flat_map(|way| {
            values.iter().map(|&value| {
                let mut way = way.clone();
                way.insert(*symbol, value);
                way
            })
        });
        ways = more.take(WAYS).collect();
    }
    let ways = ways.into_iter().filter(|way| !way.is_empty());
    ways.map(|way| terms.substitute(fact, &way)).collect()
}

/// The values that a term has in its cases, case by case.
fn leaves(terms: &Terms, value: Term) -> Vec<Term> {
    let mut todo = vec![value];
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) || found.len() >= LEAVES {
            continue;
        }
        match terms.node(term) {
            Node::Ite(_, first, second) => todo.extend([*second, *first]),
            _ => found.push(term),
        }
    }
    found
}

fn is_atom(terms: &Terms, formula: Term) -> bool {
    matches!(
        terms.node(formula),
        Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..)
    )
}
