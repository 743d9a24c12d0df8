//! A projection as a disjunction of cubes: found by the model loop, then made small.

use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::cube::{Region, reduce};
use crate::session::{Answer, Session};
use crate::term::{Symbol, Term, Terms};

use super::eliminate::Shadow;
use super::model_based::project;
use super::{ProjectionLimits, Spent};

/// More disjuncts, or more literals in all of them, and the result is only simplified by what can be seen from its form.
const SIMPLIFIED: usize = 24;
const SIMPLIFIED_LITERALS: usize = 160;

/// Projects the implicants of a formula in one model after the other, until every model is covered.
///
/// The session must have nothing asserted that concerns the formula; it is left as it was.
pub(super) fn cover(
    session: &mut Session,
    formula: Term,
    targets: &FxHashSet<Symbol>,
    shadow: Shadow,
    limits: &ProjectionLimits,
    budget: &Budget,
) -> Result<Term, Spent> {
    let terms = session.terms().clone();
    let region = Region::mentioning(&terms, formula, targets);
    session.push();
    session.assert(region.formula());
    let cubes = collect(session, &region, targets, shadow, limits, budget);
    session.pop();
    let mut cubes = absorb(cubes?);
    let literals: usize = cubes.iter().map(Vec::len).sum();
    if (2..=SIMPLIFIED).contains(&cubes.len()) && literals <= SIMPLIFIED_LITERALS {
        cubes = absorb(generalise(session, cubes, budget));
        cubes = irredundant(session, cubes, budget);
    }
    Ok(factored(&terms, &cubes))
}

fn collect(
    session: &mut Session,
    region: &Region,
    targets: &FxHashSet<Symbol>,
    shadow: Shadow,
    limits: &ProjectionLimits,
    budget: &Budget,
) -> Result<Vec<Vec<Term>>, Spent> {
    let terms = session.terms().clone();
    let mut cubes: Vec<Vec<Term>> = Vec::new();
    let mut literals = 0;
    loop {
        let model = match session.check(budget) {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return Ok(cubes),
            Answer::Unknown(reason) => return Err(Spent::Solver(reason)),
        };
        if cubes.len() >= limits.rounds {
            return Err(Spent::Rounds);
        }
        let cube = project(&terms, region, targets, model.assignment(), shadow)
            .ok_or(Spent::Uninterpreted)?;
        literals += cube.len();
        if literals > limits.literals {
            return Err(Spent::Literals);
        }
        session.assert(terms.not(terms.and(cube.iter().copied())));
        cubes.push(cube);
    }
}

/// Without cubes that have all the literals of another one.
fn absorb(mut cubes: Vec<Vec<Term>>) -> Vec<Vec<Term>> {
    for cube in &mut cubes {
        cube.sort_unstable();
        cube.dedup();
    }
    // Shorter ones first: only they can absorb.
    cubes.sort_by_key(Vec::len);
    let mut kept: Vec<Vec<Term>> = Vec::new();
    for cube in cubes {
        let within = |small: &Vec<Term>| small.iter().all(|term| cube.binary_search(term).is_ok());
        if !kept.iter().any(within) {
            kept.push(cube);
        }
    }
    kept
}

/// Drops literals without which a cube still lies within the disjunction.
fn generalise(session: &mut Session, cubes: Vec<Vec<Term>>, budget: &Budget) -> Vec<Vec<Term>> {
    let terms = session.terms().clone();
    session.push();
    for cube in &cubes {
        session.assert(terms.not(terms.and(cube.iter().copied())));
    }
    let weaker = cubes
        .into_iter()
        .map(|cube| session.minimise_core(&cube, budget))
        .collect();
    session.pop();
    weaker
}

/// Drops cubes that lie within the others together.
fn irredundant(session: &mut Session, cubes: Vec<Vec<Term>>, budget: &Budget) -> Vec<Vec<Term>> {
    let terms = session.terms().clone();
    let blocked: Vec<Term> = cubes
        .iter()
        .map(|cube| terms.not(terms.and(cube.iter().copied())))
        .collect();
    let mut kept: Vec<bool> = vec![true; cubes.len()];
    // What is assumed leaves traces in the solver until the level is closed.
    session.push();
    // The longest first: they say the least.
    for place in (0..cubes.len()).rev() {
        kept[place] = false;
        let others = blocked.iter().zip(&kept);
        let mut question: Vec<Term> = others
            .filter(|(_, kept)| **kept)
            .map(|(&blocked, _)| blocked)
            .collect();
        question.extend(&cubes[place]);
        if session.is_sat(&question, budget) != Some(false) {
            kept[place] = true;
        }
    }
    session.pop();
    let kept = cubes.into_iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|(cube, _)| cube).collect()
}

/// The disjunction, with the literals of all cubes in front of it.
fn factored(terms: &Terms, cubes: &[Vec<Term>]) -> Term {
    let Some((first, others)) = cubes.split_first() else {
        return terms.bool(false);
    };
    let common: Vec<Term> = first
        .iter()
        .copied()
        .filter(|term| others.iter().all(|cube| cube.contains(term)))
        .collect();
    let rests = cubes.iter().map(|cube| {
        let rest = cube.iter().copied().filter(|term| !common.contains(term));
        terms.and(reduce(terms, rest.collect()))
    });
    let rest = terms.or(rests);
    terms.and(common.into_iter().chain([rest]))
}
