//! Recurrences from the hull of what an iteration adds.
//!
//! If every iteration satisfies `a · (x' - x) >= b`, then `k` of them satisfy `a · (x' - x) >= k·b` (lossy
//! translations, as in compositional recurrence analysis). Exact for bodies that are translations.

use rhumb_logic::domain::Kind;
use rhumb_logic::{Budget, Term};

use super::{Body, Ends, How, LoopOperator};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "recurrences",
    about: "loops whose variables grow by amounts between linear bounds",
    how: How::Facts(iterated),
};

fn iterated(body: &mut Body, ends: &Ends, budget: &Budget) -> Term {
    let growth = body.growth();
    let hull = body.convex(&growth, budget);
    let terms = &body.terms;
    let facts = hull.facts.constraints.iter().map(|constraint| {
        // a · growth + c >= 0 becomes a · (after - before) + c·k >= 0.
        let mut sum = terms.scale(constraint.constant().clone(), ends.count);
        for (coefficient, &(before, after)) in constraint.coefficients().iter().zip(&ends.changed) {
            let grown = terms.sub(after, before);
            sum = terms.add(sum, terms.scale(coefficient.clone(), grown));
        }
        match constraint.kind() {
            Kind::Eq => terms.eq(sum, terms.int(0)),
            Kind::Ge => terms.ge(sum, terms.int(0)),
        }
    });
    terms.and(facts.collect::<Vec<_>>())
}
