//! The inductive part of a guess.

use rhumb_logic::Budget;
use rhumb_program::{LocId, Program};

use super::argument::{Invariants, Proof};
use super::condition::{Batch, Bounded, Conditions};
use super::formula::{Vocabulary, validated};
use super::reject::Rejected;
use super::solve::Solver;
use super::subject::Subject;

/// Leaves of the formulas of a proof by invariants those that together hold at the start and are kept on every way from one cut point to
/// another: the greatest such set, as far as the solver can tell. Whether they exclude the targets is another question. Anything may go when the
/// budget is spent. Formulas without quantifiers only.
pub(crate) fn inductive_part(
    program: &Program,
    proof: &mut Proof,
    budget: &Budget,
) -> Result<(), Rejected> {
    let subject = Subject::new(program);
    let symbols = subject.symbols(proof)?;
    let vocabulary = Vocabulary::new(&symbols);
    let Some(mut current) = proof.as_invariants().cloned() else {
        return Ok(());
    };
    let terms = proof.terms.clone();
    let mut solver = Solver::new(&subject, &terms, &symbols, budget);
    loop {
        let mut is_stable = true;
        let mut pending: Option<Vec<LocId>> = None;
        // From the start on; what is lost there is lost everywhere behind it, so each region is looked at again until nothing fails.
        while pending.as_ref().is_none_or(|pending| !pending.is_empty()) {
            let checked = validated(proof, &current, &vocabulary)?;
            let conditions = Conditions::new(&subject, &terms, &symbols, &vocabulary, &checked)?;
            let regions = pending.get_or_insert_with(|| {
                let mut points = conditions.points();
                points.reverse();
                points
            });
            let mut lost = losses(&mut solver, Some(conditions.start()));
            while lost.is_empty() {
                let Some(&point) = regions.last() else { break };
                lost = losses(&mut solver, conditions.region(point)?);
                if lost.is_empty() {
                    regions.pop();
                }
            }
            if !lost.is_empty() {
                is_stable = false;
                remove(&mut current, &subject, &lost);
            }
        }
        if is_stable {
            break;
        }
    }
    proof.argument = super::argument::Argument::Invariants(current);
    Ok(())
}

/// The formulas at the ends of a region that are not shown.
fn losses(solver: &mut Solver<'_>, region: Option<Bounded>) -> Vec<(LocId, usize)> {
    let Some((batch, ranges)) = region else {
        return Vec::new();
    };
    solver.bound(&ranges);
    let goal = |batch: &Batch, place: usize| batch.conditions.get(place)?.goal;
    let places: Vec<usize> = (0..batch.conditions.len())
        .filter(|&place| goal(&batch, place).is_some())
        .collect();
    let unshown = solver.unshown(&batch, &places);
    let lost = unshown.into_iter().filter_map(|place| goal(&batch, place));
    lost.collect()
}

/// Takes formulas out; points stay cut points when they have none left.
fn remove(invariants: &mut Invariants, subject: &Subject<'_>, lost: &[(LocId, usize)]) {
    for (point, formulas) in &mut invariants.at {
        let Some(location) = subject.location(point) else {
            continue;
        };
        let mut place = 0;
        formulas.retain(|_| {
            place += 1;
            !lost.contains(&(location, place - 1))
        });
    }
}
