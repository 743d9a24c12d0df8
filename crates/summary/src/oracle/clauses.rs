//! A formula as a list of facts that can be given up one by one.

use rhumb_logic::{Node, Term, Terms};

/// A disjunction is distributed to at most so many clauses.
const MOST: usize = 48;

/// Formulas that all follow from the given one: its conjuncts, and for a disjunction also the clauses that come from
/// distributing it over the conjunctions inside, as far as they are few. Together they are equivalent to it.
pub(super) fn clauses(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    for conjunct in terms.conjuncts(formula) {
        found.push(conjunct);
        if let Node::Or(_) = terms.node(conjunct) {
            found.extend(distributed(terms, conjunct));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|&clause| terms.as_bool(clause) != Some(true));
    found
}

/// Clauses that follow from a disjunction.
fn distributed(terms: &Terms, disjunction: Term) -> Vec<Term> {
    let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
    let members: Vec<Vec<Term>> = (terms.disjuncts(disjunction).into_iter())
        .map(|member| terms.conjuncts(member))
        .collect();
    let product = members.iter().try_fold(1_usize, |product, member| {
        let product = product.checked_mul(member.len())?;
        (product <= MOST).then_some(product)
    });
    if product.is_none() {
        return shared(terms, &members);
    }
    for member in &members {
        let extended = rows.iter().flat_map(|row| {
            let with = move |&literal: &Term| row.iter().copied().chain([literal]).collect();
            member.iter().map(with)
        });
        rows = extended.collect();
    }
    rows.into_iter().map(|row| terms.or(row)).collect()
}

/// What all members have in common.
fn shared(terms: &Terms, members: &[Vec<Term>]) -> Vec<Term> {
    let Some((first, rest)) = members.split_first() else {
        return Vec::new();
    };
    let in_all = |literal: &&Term| rest.iter().all(|member| member.contains(literal));
    let common = first.iter().filter(in_all).copied();
    common
        .filter(|&literal| terms.as_bool(literal).is_none())
        .collect()
}
