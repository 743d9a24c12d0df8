//! Strides from the lattice of what an iteration adds.
//!
//! If every iteration satisfies `a · (x' - x) = r (mod m)`, then `k` of them satisfy `a · (x' - x) = k·r (mod m)`: a
//! counter that grows by 4 or 8 stays a multiple of 4, which the convex hull of its growth doesn't say.

use rhumb_logic::{Budget, Term};

use super::{Body, Ends, How, LoopOperator};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "strides",
    about: "loops whose variables grow by multiples of a number",
    how: How::Facts(iterated),
};

fn iterated(body: &mut Body, ends: &Ends, budget: &Budget) -> Term {
    let growth = body.growth();
    let hull = body.lattice(&growth, budget);
    let terms = &body.terms;
    let facts = hull.facts.congruences.iter().map(|congruence| {
        let mut sum = terms.scale(-&congruence.residue, ends.count);
        for (coefficient, &(before, after)) in congruence.coefficients.iter().zip(&ends.changed) {
            let grown = terms.sub(after, before);
            sum = terms.add(sum, terms.scale(coefficient.clone(), grown));
        }
        terms.divides(congruence.modulus.clone(), sum)
    });
    terms.and(facts.collect::<Vec<_>>())
}
