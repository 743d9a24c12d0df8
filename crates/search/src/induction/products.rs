//! Products of variables in induction: which ones may be related by equations, and how blocks with products are asked.

use std::sync::Arc;

use rhumb_certify::proof::{Products, have_products};
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::session::{Answer, Session, SessionOptions, Wanted};
use rhumb_logic::term::Node;
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::atoms::{Atoms, live};
use super::candidate::Candidate;
use super::question::PURPOSE;

/// Variables and products that are related with each other.
const DIMENSIONS: usize = 40;

/// A block asked by linear arithmetic, with a session made when there are products.
pub(super) struct WithoutProducts {
    terms: Arc<Terms>,
    made: Option<(Products, Session)>,
}

impl WithoutProducts {
    pub(super) fn new(terms: &Arc<Terms>) -> WithoutProducts {
        WithoutProducts {
            terms: terms.clone(),
            made: None,
        }
    }

    /// Facts among the given ones that, with what is known, contradict a formula by linear arithmetic about products;
    /// none of them if they are not known to. Nothing if there are no products.
    pub(super) fn refutes(
        &mut self,
        known: &[Term],
        given: &[Term],
        formula: Term,
        budget: &Budget,
    ) -> Option<Option<Vec<Term>>> {
        let all = known.iter().chain(given).copied().chain([formula]);
        if !have_products(&self.terms, all.clone()) {
            return None;
        }
        let terms = &self.terms;
        let (products, session) = self.made.get_or_insert_with(|| {
            let mut session = Session::new(terms.clone(), SessionOptions::default());
            session.set_purpose(PURPOSE);
            (Products::new(terms), session)
        });
        session.push();
        for lemma in products.lemmas(all) {
            session.assert(lemma);
        }
        for &fact in known.iter().chain([&formula]) {
            session.assert(products.left_open(fact));
        }
        let mut switches: FxHashMap<Term, Term> = FxHashMap::default();
        let mut assumed = Vec::new();
        for &fact in given {
            let switch = terms.fresh("holds", Sort::Bool);
            session.assert(terms.implies(switch, products.left_open(fact)));
            switches.insert(switch, fact);
            assumed.push(switch);
        }
        let answer = session.check_wanting(&assumed, &Wanted::Nothing, budget);
        let reasons = match answer {
            Answer::Unsat(core) => {
                let core = session.minimise_core(&core, budget);
                let facts = core.iter().filter_map(|it| switches.get(it).copied());
                Some(facts.collect())
            }
            _ => None,
        };
        session.pop();
        Some(reasons)
    }
}

/// The equations among some atoms; of those between products that wrap, also what they say modulo the period.
pub(super) fn equations(terms: &Arc<Terms>, atoms: &Atoms) -> impl Iterator<Item = Candidate> {
    let mut products = Products::new(terms);
    let equations = (atoms.all.iter()).filter(|it| matches!(terms.node(**it), Node::Zero(_)));
    let formulas = equations.flat_map(move |&it| [Some(it), products.congruence(it)]);
    formulas.flatten().map(|it| Candidate::formula(terms, it))
}

/// The variables and products of a node between which there may be equations: all products of two variables that are in
/// a product of the program, or that are compared with one, and the products of the program itself.
pub(super) fn dimensions(graph: &BlockGraph, node: NodeId, atoms: &Atoms) -> Vec<Term> {
    let terms = &graph.terms;
    let blocks = graph.edges.iter().map(|edge| &edge.transition);
    let roots = blocks.flat_map(|block| {
        let values = block.updates.iter().map(|update| update.1);
        values.chain([block.guard])
    });
    let mut multiplied: FxHashSet<Symbol> = FxHashSet::default();
    for part in terms.postorder(roots) {
        if matches!(terms.node(part), Node::Product(..)) {
            multiplied.extend(terms.symbols([part]));
        }
    }
    let compared = (atoms.all.iter())
        .map(|&atom| terms.symbols([atom]))
        .filter(|symbols| symbols.iter().any(|symbol| multiplied.contains(symbol)));
    let compared: FxHashSet<Symbol> = compared.flatten().collect();
    // Those that are multiplied first.
    let mut symbols = live(graph, node);
    symbols.retain(|symbol| multiplied.contains(symbol) || compared.contains(symbol));
    symbols.sort_by_key(|symbol| !multiplied.contains(symbol));
    let symbols: Vec<Term> = symbols.into_iter().map(|it| terms.var(it)).collect();
    let mut all = symbols.clone();
    for (place, &last) in symbols.iter().enumerate() {
        let products = symbols[..=place].iter().map(|&it| terms.mul(it, last));
        all.extend(products);
    }
    all.truncate(DIMENSIONS);
    all
}
