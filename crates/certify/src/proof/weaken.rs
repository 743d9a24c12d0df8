//! The inductive part of a guess.

use rhumb_logic::{Budget, Term};
use rhumb_program::{LocId, Program};

use super::argument::{Argument, Formula, Invariants, Proof};
use super::check::Checker;
use super::condition::{Bounded, Condition};
use super::formula::{Vocabulary, validated};
use super::generate::Conditions;
use super::name::Point;
use super::reject::Rejected;
use super::solve::{Judge, Solver};
use super::subject::Subject;

/// Leaves of the formulas of a proof by invariants those that together hold at the start and are kept on every way from
/// one cut point to another: the greatest such set, as far as the solver can tell. Whether they exclude the targets is
/// another question. Nothing is left when the budget is spent. Formulas without quantifiers and named relations only.
pub fn inductive_part(
    program: &Program,
    proof: &mut Proof,
    budget: &Budget,
) -> Result<(), Rejected> {
    Checker::new(program).inductive_part(proof, budget)
}

impl Checker<'_> {
    /// As [`inductive_part`], for this program.
    pub fn inductive_part(&self, proof: &mut Proof, budget: &Budget) -> Result<(), Rejected> {
        let plan = proof.ghosts.clone();
        self.with_subject(&plan, |subject| weaken(subject, proof, budget))
    }
}

fn weaken(subject: &Subject<'_>, proof: &mut Proof, budget: &Budget) -> Result<(), Rejected> {
    subject.is_right()?;
    let symbols = subject.symbols(proof)?;
    let vocabulary = Vocabulary::new(&symbols);
    let Some(mut current) = proof.as_invariants().cloned() else {
        return Ok(());
    };
    let terms = proof.terms.clone();
    let mut solver = Solver::new(subject, &terms, &symbols, budget);
    loop {
        let mut is_stable = true;
        let mut pending: Option<Vec<LocId>> = None;
        // From the start on; what is lost there is lost everywhere behind it, so each region is looked at again until nothing fails.
        while pending.as_ref().is_none_or(|pending| !pending.is_empty()) {
            if budget.is_spent() {
                current.at.values_mut().for_each(Vec::clear);
                is_stable = true;
                break;
            }
            let checked = validated(proof, &current, &vocabulary.knows())?;
            let conditions = Conditions::new(
                subject.start(),
                &terms,
                &symbols,
                &vocabulary,
                &checked,
                None,
            )?;
            let regions = pending.get_or_insert_with(|| {
                let mut points = conditions.points();
                points.reverse();
                points
            });
            let mut lost = losses(&mut solver, conditions.start(), |_| true);
            while lost.is_empty() {
                let Some(&point) = regions.last() else { break };
                lost = losses(&mut solver, conditions.region(point)?, |_| true);
                if lost.is_empty() {
                    regions.pop();
                }
            }
            if !lost.is_empty() {
                is_stable = false;
                if !remove(&mut current, subject, &lost) {
                    // Only formulas with named relations are not found again.
                    return Ok(());
                }
            }
        }
        if is_stable {
            break;
        }
    }
    proof.argument = Argument::Invariants(current);
    Ok(())
}

/// Whether a formula holds at a point that a proof by invariants has none for, if its invariants hold. (Not if it has
/// to be known there to be shown.)
pub fn holds_at(
    program: &Program,
    proof: &Proof,
    point: &Point,
    formula: Term,
    budget: &Budget,
) -> Result<bool, Rejected> {
    let mut proof = proof.clone();
    proof.add(point.clone(), Formula::plain(formula));
    let subject = Subject::with_ghosts(program, &proof.ghosts);
    subject.is_right()?;
    let symbols = subject.symbols(&proof)?;
    let vocabulary = Vocabulary::new(&symbols);
    let Some(invariants) = proof.as_invariants() else {
        return Ok(false);
    };
    let checked = validated(&proof, invariants, &vocabulary.knows())?;
    let conditions = Conditions::new(
        subject.start(),
        &proof.terms,
        &symbols,
        &vocabulary,
        &checked,
        None,
    )?;
    let mut solver = Solver::new(&subject, &proof.terms, &symbols, budget);
    let here = subject.location(point);
    for from in conditions.points() {
        // Whoever comes back here passes a cut point before.
        if Some(from) == here {
            continue;
        }
        let lost = losses(&mut solver, conditions.region(from)?, |to| Some(to) == here);
        if !lost.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The formulas at the ends of a region that are not shown, of those at wanted locations.
fn losses(
    solver: &mut Solver<'_>,
    region: Option<Bounded>,
    is_wanted: impl Fn(LocId) -> bool,
) -> Vec<(LocId, Formula)> {
    let Some((batch, ranges)) = region else {
        return Vec::new();
    };
    solver.bound(&ranges);
    let goal = |condition: &Condition| {
        let to = condition.about.to.location()?;
        Some((to, condition.about.formula.clone()?))
    };
    let goals: Vec<Option<(LocId, Formula)>> = batch.conditions.iter().map(goal).collect();
    let wanted = goals.iter().enumerate().filter(|(_, goal)| {
        let goal = goal.as_ref();
        goal.is_some_and(|goal| is_wanted(goal.0))
    });
    let wanted: Vec<usize> = wanted.map(|(place, _)| place).collect();
    let unshown = solver.unshown(&batch, &wanted);
    let lost = unshown
        .into_iter()
        .filter_map(|place| goals.get(place)?.clone());
    lost.collect()
}

/// Takes formulas out, and says whether there were any; points stay cut points when they have none left.
fn remove(invariants: &mut Invariants, subject: &Subject<'_>, lost: &[(LocId, Formula)]) -> bool {
    let mut removed = false;
    for (point, formulas) in &mut invariants.at {
        let Some(location) = subject.location(point) else {
            continue;
        };
        formulas.retain(|formula| {
            let mut lost = lost.iter();
            let is_lost = lost.any(|(at, lost)| *at == location && lost == formula);
            removed |= is_lost;
            !is_lost
        });
    }
    removed
}
