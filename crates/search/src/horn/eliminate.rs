//! Fewer relations: what only one clause derives is put where it is used.
//!
//! A solver for clauses looks for each relation separately, so relations at places that nobody asks for make its work
//! harder: between two calls, say, or before a return. Where one clause alone derives such a relation, its body can
//! stand for it.

use rhumb_logic::session::horn::{Clause, Clauses};
use rhumb_logic::term::Function;
use rhumb_logic::{Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bodies with more relations than this are not put together any further: a sequence of calls would have a clause for
/// each with all that came before.
const MAX_RELATIONS: usize = 8;

/// Takes relations out that are not to be kept.
pub(super) fn eliminate(terms: &Terms, clauses: &mut Clauses, keep: &FxHashSet<Function>) {
    let all: Vec<Function> = clauses.relations.iter().map(|known| known.0).collect();
    for relation in all {
        if keep.contains(&relation) {
            continue;
        }
        let derives = |clause: &&Clause| {
            let head = clause.head.and_then(|head| applied(terms, head));
            head == Some(relation)
        };
        let mut deriving = clauses.clauses.iter().filter(derives);
        let (Some(only), None) = (deriving.next(), deriving.next()) else {
            continue;
        };
        let only = only.clone();
        if uses(terms, &only, relation) > 0 || relations(terms, &only) > MAX_RELATIONS {
            continue;
        }
        let mut rest = Vec::with_capacity(clauses.clauses.len());
        for clause in &clauses.clauses {
            match (derives(&clause), uses(terms, clause, relation)) {
                (true, _) => {}
                (false, 0) => rest.push(clause.clone()),
                (false, _) => rest.push(resolved(terms, clause, relation, &only)),
            }
        }
        clauses.clauses = rest;
    }
}

fn applied(terms: &Terms, term: Term) -> Option<Function> {
    match terms.node(term) {
        Node::Apply(function, _) => Some(*function),
        _ => None,
    }
}

/// How often a clause has the relation in its body.
fn uses(terms: &Terms, clause: &Clause, relation: Function) -> usize {
    let parts = clause.body.iter();
    let uses = parts.filter(|&&part| applied(terms, part) == Some(relation));
    uses.count()
}

fn relations(terms: &Terms, clause: &Clause) -> usize {
    let parts = clause.body.iter();
    parts
        .filter(|&&part| applied(terms, part).is_some())
        .count()
}

/// The clause, with the body that derives a relation in place of the relation.
fn resolved(terms: &Terms, clause: &Clause, relation: Function, deriving: &Clause) -> Clause {
    let mut body = Vec::with_capacity(clause.body.len() + deriving.body.len());
    let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
    for &part in &clause.body {
        let (Node::Apply(function, wanted), Some(head)) = (terms.node(part), deriving.head) else {
            body.push(part);
            continue;
        };
        if *function != relation {
            body.push(part);
            continue;
        }
        // Each use has symbols of its own.
        let all = deriving.body.iter().copied().chain([head]);
        let fresh: FxHashMap<Symbol, Term> = terms
            .symbols(all)
            .into_iter()
            .map(|symbol| (symbol, terms.var(terms.fresh_copy(symbol))))
            .collect();
        let renamed = deriving
            .body
            .iter()
            .map(|&part| terms.substitute(part, &fresh));
        body.extend(renamed);
        let Node::Apply(_, given) = terms.node(terms.substitute(head, &fresh)) else {
            continue;
        };
        for (&wanted, &given) in wanted.iter().zip(given) {
            match terms.as_symbol(wanted) {
                Some(symbol) if !values.contains_key(&symbol) => {
                    values.insert(symbol, given);
                }
                _ => body.push(terms.eq(wanted, given)),
            }
        }
    }
    let with_values = |term: Term| terms.substitute(term, &values);
    let body = body.into_iter().map(with_values);
    Clause {
        body: body
            .filter(|&part| terms.as_bool(part) != Some(true))
            .collect(),
        head: clause.head.map(with_values),
    }
}
