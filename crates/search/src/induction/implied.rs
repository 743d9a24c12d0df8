//! Candidates that follow from others of the same node.
//!
//! Right for candidates that come in families: a fact, the same fact on one side of a place, and that on one side of two
//! places. As long as one of a family may hold, those that say less follow from it. The solver is asked about the
//! strongest ones alone; when those fall, the next ones take their place.

use rhumb_logic::num::Int;
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::Candidate;

/// Parts of a disjunction; of one with more nothing is said.
const PARTS: usize = 5;

/// What follows from what, among the candidates of a node.
#[derive(Debug, Default)]
pub(super) struct Implied {
    /// For a disjunction those that imply it: with fewer parts, or with stronger ones.
    stronger: FxHashMap<Term, Vec<Term>>,
}

impl Implied {
    /// Compares the candidates of a node. Those that follow from what is known there are dropped.
    pub(super) fn of(terms: &Terms, known: &[Term], candidates: &mut Vec<Candidate>) -> Implied {
        let formulas = candidates.iter().filter_map(Candidate::as_formula);
        let open: FxHashSet<Term> = formulas.collect();
        let all = open.iter().chain(known);
        let all: FxHashMap<Vec<Term>, Term> = all.map(|&it| (parts(terms, it), it)).collect();
        let known: FxHashSet<Term> = known.iter().copied().collect();
        let mut stronger: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        candidates.retain(|candidate| {
            let Some(formula) = candidate.as_formula() else {
                return true;
            };
            let above = above(terms, &parts(terms, formula), &all);
            if known.contains(&formula) || above.iter().any(|it| known.contains(it)) {
                return false;
            }
            if !above.is_empty() {
                stronger.insert(formula, above);
            }
            true
        });
        Implied { stronger }
    }

    /// What candidates say, each once, but for formulas that follow from other ones.
    pub(super) fn strongest(&self, candidates: &[Candidate]) -> Vec<Term> {
        let mut all: Vec<Term> = (candidates.iter())
            .flat_map(Candidate::clauses)
            .copied()
            .collect();
        if !self.stronger.is_empty() {
            let formulas = candidates.iter().filter_map(Candidate::as_formula);
            let open: FxHashSet<Term> = formulas.collect();
            let follows = |clause: &Term| {
                let above = self.stronger.get(clause);
                above.is_some_and(|above| above.iter().any(|it| open.contains(it)))
            };
            all.retain(|clause| !follows(clause));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The parts of a disjunction, in order.
fn parts(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut parts = terms.disjuncts(formula);
    parts.sort_unstable();
    parts
}

/// Those of all formulas that imply a disjunction, since each of their parts implies a part of it.
fn above(terms: &Terms, parts: &[Term], all: &FxHashMap<Vec<Term>, Term>) -> Vec<Term> {
    if parts.len() > PARTS {
        return Vec::new();
    }
    let mut ways: Vec<Vec<Term>> = vec![Vec::new()];
    for &part in parts {
        let more: Vec<Vec<Term>> = (ways.iter())
            .flat_map(|way| {
                let with = |part: Term| way.iter().copied().chain([part]).collect();
                [Some(part), tighter(terms, part)].map(|part| part.map(with))
            })
            .flatten()
            .collect();
        ways.extend(more);
    }
    let same = parts;
    let mut found = Vec::new();
    for mut way in ways {
        way.sort_unstable();
        way.dedup();
        if way != same
            && let Some(&formula) = all.get(&way)
            && !found.contains(&formula)
        {
            found.push(formula);
        }
    }
    found
}

/// An inequality that is tighter by one.
fn tighter(terms: &Terms, part: Term) -> Option<Term> {
    let Node::AtMostZero(sum) = terms.node(part) else {
        return None;
    };
    let sum = Linear {
        parts: sum.parts.clone(),
        constant: &sum.constant + Int::ONE,
    };
    Some(terms.at_most_zero(&sum))
}
